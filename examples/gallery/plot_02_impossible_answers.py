"""
Answers that cannot be
======================

Handwritten digits, by five things that are true of some of them. There are ten digits, so at most ten
label sets exist. Classifiers that answer label by label do not know that.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import jointbayes as jb

X, digit = load_digits(return_X_y=True)
properties = [{0, 2, 4, 6, 8}, {2, 3, 5, 7}, {5, 6, 7, 8, 9}, {0, 6, 8, 9}, {0, 1, 4, 9}]
Y = np.stack([np.isin(digit, list(which)) for which in properties], axis=1).astype(int)
possible = {tuple(row) for row in Y}
X_train, X_test, Y_train, Y_test = jb.validation.train_test_split(X, Y, random_state=0)

# %%
# Two classifiers that look at each label alone, and two that look at all of them.

regression = MultiOutputClassifier(LogisticRegression(max_iter=500))
models = {
    "logistic regression,\nlabel by label": make_pipeline(StandardScaler(), regression),
    "random forest,\nlabel by label": RandomForestClassifier(50, random_state=0),
    "CTBN": jb.CTBN(),
    "JointForest": jb.JointForest(n_estimators=50),
}
right, impossible = {}, {}
for name, model in models.items():
    answers = model.fit(X_train, Y_train).predict(X_test)
    right[name] = (answers == Y_test).all(axis=1).mean()
    impossible[name] = np.mean([tuple(row) not in possible for row in answers.astype(int)])
    print(f"{name!r:40} right {right[name]:.3f}, impossible {impossible[name]:.3f}")

# %%
# Whole rows that are right, and answers that no digit has.

figure, axes = plt.subplots(1, 2, figsize=(9, 3), sharey=True, layout="constrained")
axes[0].barh(list(right), list(right.values()), color="#1b998b")
axes[0].set(title="all five labels right", xlim=(0, 1))
axes[1].barh(list(impossible), list(impossible.values()), color="#d7263d")
axes[1].set(title="answers that cannot be")
axes[0].invert_yaxis()
