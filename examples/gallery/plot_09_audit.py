"""
Labels that look wrong
======================

Some labels of a table are mistakes. ``jb.audit`` asks a model that has not seen a row how probable
each of its labels is, and puts the least probable first.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import jointbayes as jb

X, digit = load_digits(return_X_y=True)
Y = np.stack([digit % 2 == 0, np.isin(digit, [0, 6, 8, 9]), digit >= 5], axis=1).astype(int)
X, Y = X[:900], Y[:900]

# %%
# Forty labels are turned around; the audit does not know which.

rng = np.random.default_rng(0)
wrong = {(int(row), int(rng.integers(3))) for row in rng.choice(len(Y), 40, replace=False)}
spoilt = Y.copy()
for row, label in wrong:
    spoilt[row, label] = 1 - spoilt[row, label]
found = jb.audit(jb.JointForest(n_estimators=50), X, spoilt, cv=3)
hits = [(int(e.row), int(e.label[1:])) in wrong for e in found.entries[:120]]
print(f"{sum(hits[:40])} of the first 40 entries are mistakes, {sum(hits)} of the first 120")

# %%
# How far one has to read.

figure, ax = plt.subplots(figsize=(8, 3), layout="constrained")
ax.plot(np.cumsum(hits), color="#d7263d", label="audit")
ax.plot(np.arange(len(hits)) * len(wrong) / spoilt.size, color="#9aa5b1", label="by chance")
ax.set(xlabel="entries read", ylabel="mistakes found")
_ = ax.legend()
