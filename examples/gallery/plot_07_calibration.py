"""
Is 70 % seventy in a hundred?
=============================

Networks of counts are surer than they should be. ``Calibrated`` learns one exponent from rows that
were held out, and what it says can be taken at its word again.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import jointbayes as jb

X, digit = load_digits(return_X_y=True)
Y = np.stack([digit % 2 == 0, np.isin(digit, [0, 6, 8, 9]), digit >= 5], axis=1).astype(int)
X_train, X_test, Y_train, Y_test = jb.validation.train_test_split(X, Y, random_state=0)
models = {
    "MultilabelFAN": jb.MultilabelFAN(),
    "Calibrated(MultilabelFAN)": jb.Calibrated(jb.MultilabelFAN(), cv=3),
}
posteriors = {n: m.fit(X_train, Y_train).posterior(X_test) for n, m in models.items()}
for name, posterior in posteriors.items():
    print(f"{name:26} joint log loss {jb.metrics.joint_log_loss(Y_test, posterior):.3f}")

# %%
# How often the most probable set was right, against the probability it was given.

curves = {n: jb.metrics.joint_reliability(Y_test, p, n_bins=8) for n, p in posteriors.items()}
drawing = jb.plots.reliability_curves(curves)
figure, ax = plt.subplots(figsize=(drawing.width / 90, drawing.height / 90))
_ = jb.plots.draw(drawing, ax)
