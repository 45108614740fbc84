"""
Labels that fall apart
======================

Labels that are independent given the features need no joint model. ``label_factors`` finds the groups
that do belong together; ``ILFCompo`` gives each of them a model of its own.
"""

import matplotlib.pyplot as plt
import pandas as pd

import jointbayes as jb

# %%
# A made-up problem with five labels in two groups, and one feature of 16 categories.

X, Y = jb.synthetic.toy_problem(3, n=3000, rng=0)
X = pd.DataFrame(X, columns=["x"]).astype("category")
found = jb.independence.label_factors(X, Y, random_state=0)
print("found:   ", found)
print("in truth:", jb.synthetic.TOY_FACTORS[3])

# %%
# A model that is a product of two smaller ones.

model = jb.ILFCompo(random_state=0).fit(X, Y)
print(model.posterior(X.head(2)))
figure, ax = plt.subplots(figsize=(7, 2), layout="constrained")
for row, factor in enumerate(found):
    ax.plot(list(factor), [row] * len(factor), "o-", markersize=24, linewidth=3)
    for label in factor:
        ax.annotate(f"y{label}", (label, row), ha="center", va="center", color="white")
ax.set(yticks=range(len(found)), yticklabels=[f"factor {k + 1}" for k in range(len(found))])
ax.set_ylim(-0.6, len(found) - 0.4)
ax.set_xticks([])
