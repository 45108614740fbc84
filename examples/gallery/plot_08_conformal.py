"""
Sets of answers with a promise
==============================

``Conformal`` answers with a set of label vectors that holds the true one with the probability you ask
for. Sure rows get one vector, doubtful rows more.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import jointbayes as jb

X, digit = load_digits(return_X_y=True)
Y = np.stack([digit % 2 == 0, np.isin(digit, [0, 6, 8, 9]), digit >= 5], axis=1).astype(int)
X_train, X_test, Y_train, Y_test = jb.validation.train_test_split(X, Y, random_state=0)

# %%
# The promise is kept, and costs few vectors.

alphas = [0.02, 0.05, 0.1, 0.2, 0.3]
covered, size = [], []
for alpha in alphas:
    model = jb.Conformal(jb.MultilabelNB(), alpha=alpha, random_state=0)
    sets = model.fit(X_train, Y_train).predict_sets(X_test)
    covered.append(sets.covers(Y_test).mean())
    size.append(sets.size().mean())
    print(f"asked for {1 - alpha:.2f}: covered {covered[-1]:.3f}, mean size {size[-1]:.2f}")

# %%
# Asked for, kept, and the price.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3), layout="constrained")
asked = 1 - np.array(alphas)
left.plot(asked, asked, color="#9aa5b1", linestyle="--")
left.plot(asked, covered, "o-", color="#1b998b")
left.set(xlabel="asked for", ylabel="covered", title="the promise")
right.plot(asked, size, "o-", color="#2667ff")
right.set(xlabel="asked for", ylabel="label vectors in the set", title="its price")
