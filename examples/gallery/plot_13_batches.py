"""
Learning in batches
===================

Models whose knowledge is counts learn batch by batch and end up as if they had seen all rows at once.
Memory does not grow with the rows.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import jointbayes as jb

X, digit = load_digits(return_X_y=True)
Y = np.stack([digit % 2 == 0, np.isin(digit, [0, 6, 8, 9]), digit >= 5], axis=1).astype(int)
X_train, X_test, Y_train, Y_test = jb.validation.train_test_split(X, Y, random_state=0)

# %%
# The first batch fixes the cuts of numbers. Each further batch adds its counts, and forgets its rows.

curves = {}
for kind in (jb.MultilabelNB, jb.MultilabelFAN):
    model, curve = kind(), {}
    for start in range(0, len(X_train), 150):
        batch = slice(start, start + 150)
        model.partial_fit(X_train[batch], Y_train[batch])
        curve[min(start + 150, len(X_train))] = model.score(X_test, Y_test)
    curves[kind.__name__] = curve
    print(kind.__name__, {rows: round(score, 3) for rows, score in curve.items()})

# %%
# What more rows are worth.

drawing = jb.plots.learning_curves(curves, "all three labels right")
figure, ax = plt.subplots(figsize=(drawing.width / 90, drawing.height / 90))
_ = jb.plots.draw(drawing, ax)
