"""
The next question
=================

Somebody can be asked about one label of each row. ``next_question`` names the label whose answer is
worth most, row by row.
"""

import matplotlib.pyplot as plt
import numpy as np

import jointbayes as jb

data = jb.load_dataset("flags")
X, Y = data.X.to_pandas(), np.asarray(data.Y, dtype=int)
X_train, X_test, Y_train, Y_test = jb.validation.train_test_split(
    X, Y, test_size=0.5, random_state=0
)
posterior = jb.JointForest(n_estimators=50).fit(X_train, Y_train).posterior(X_test)
names, worth = posterior.next_question()
print(names[:5], worth[:5].round(2))

# %%
# Rows that are right: nothing asked, one label told by lot, the label that helps most when asked of
# every row, and the one that is proposed for each row.


def right_after(labels):
    """Return the share of rows that are right once each has been told one of its labels."""
    right = 0
    for label in range(Y.shape[1]):
        for value in (0, 1):
            rows = np.flatnonzero((labels == label) & (Y_test[:, label] == value))
            if len(rows):
                told = posterior[rows].given({f"y{label}": value})
                right += (told.map() == Y_test[rows]).all(axis=1).sum()
    return right / len(Y_test)


always = [right_after(np.full(len(Y_test), label)) for label in range(Y.shape[1])]
shares = {
    "nothing asked": (posterior.map() == Y_test).all(axis=1).mean(),
    "any label, by lot": np.mean(always),
    "the best for all rows": max(always),
    "the next question": right_after(np.array([int(name[1:]) for name in names])),
}
figure, ax = plt.subplots(figsize=(8, 2.5), layout="constrained")
ax.barh(list(shares), list(shares.values()), color=["#9aa5b1"] * 3 + ["#1b998b"])
ax.invert_yaxis()
ax.set(xlabel="all seven colours right")
print({name: round(float(share), 3) for name, share in shares.items()})
