"""
One known label moves the rest
==============================

The colours of Ghana's flag, asked of a model that has seen all other flags of 1986. It is unsure.
Told one thing, that there is no white, it moves to another answer, and is right.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import jointbayes as jb

data = jb.load_dataset("flags", identifiers="keep")
X = data.X.to_pandas().set_index("name")
Y = pd.DataFrame(data.Y, index=X.index, columns=data.label_names)

# %%
# Learn from all nations but one, and ask for the best label sets of that one.

others = X.index != "Ghana"
model = jb.MultilabelFAN().fit(X[others], Y[others])
posterior = model.posterior(X.loc[["Ghana"]])
posterior.to_frame("top_k", k=3)

# %%
# ``given`` returns a posterior again: the same questions, now that one label is known.

told = posterior.given({"white": 0})
told.to_frame("top_k", k=3)

# %%
# The whole picture: the true set is the third at first, and the first once white is ruled out.


def named(vector):
    return " ".join(name for name, value in zip(Y, vector, strict=True) if value)


truth = named(Y.loc["Ghana"])
figure, axes = plt.subplots(1, 2, figsize=(9, 3), sharex=True, layout="constrained")
for ax, title, asked in zip(
    axes, ("nothing known", "known: no white"), (posterior, told), strict=True
):
    vectors, log_p = asked.top_k(4)
    names = [named(vector) for vector in vectors[0]]
    colours = ["#1b998b" if name == truth else "#9aa5b1" for name in names]
    ax.barh(names, np.exp(log_p[0]), color=colours)
    ax.invert_yaxis()
    ax.set(title=title, xlabel="probability of the set")
