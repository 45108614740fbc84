"""
One class variable, and why
===========================

A classifier of one class variable is the same story with one column. The platypus, asked of a model
that has seen the other animals: which facts speak for a mammal, which against?
"""

import matplotlib.pyplot as plt
import numpy as np

import jointbayes as jb

data = jb.load_dataset("zoo", identifiers="keep")
X = data.X.to_pandas().set_index("animal")
y = np.asarray(data.Y)
others = X.index != "platypus"
model = jb.KDB(k=2).fit(X[others], y[others])
why = model.explain(X.loc[["platypus"]])
print(f"{why.answer[0]}, and not {why.runner_up[0]}")

# %%
# Each feature adds to the log-odds of the answer over the runner-up.

order = np.argsort(np.abs(why.contributions[0]))[-10:]
parts = why.contributions[0][order]
row = X.loc["platypus"]
figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
ax.barh(
    [f"{why.feature_names[j]} = {row.iloc[j]}" for j in order],
    parts,
    color=np.where(parts > 0, "#1b998b", "#d7263d"),
)
ax.axvline(0, color="#444")
ax.set(xlabel=f"log-odds for {why.answer[0]} over {why.runner_up[0]}")
