"""
What a mistake costs decides the answer
=======================================

One posterior, four losses, four answers. The set that is most often wholly right is not the one with
the fewest wrong labels, nor the one with the best F1.
"""

import matplotlib.pyplot as plt
import numpy as np

import jointbayes as jb

data = jb.load_dataset("flags")
X, Y = data.X.to_pandas(), np.asarray(data.Y, dtype=int)
X_train, X_test, Y_train, Y_test = jb.validation.train_test_split(X, Y, random_state=0)
posterior = jb.MultilabelFAN().fit(X_train, Y_train).posterior(X_test)

# %%
# Each answer is the best for its own loss, in expectation: the smallest number of every column.

losses = ["subset", "hamming", "f1", jb.losses.Weighted(false_negative=4)]
names = ["subset", "hamming", "f1", "a miss costs 4"]
expected = np.array(
    [
        [posterior.expected_loss(posterior.decide(answer), loss).mean() for loss in losses]
        for answer in losses
    ]
)
for name, row in zip(names, expected.round(3), strict=True):
    print(f"decided for {name:16}", *row)

# %%
# Answers grow when misses are dear.

sizes = [posterior.decide(loss).sum(axis=1) for loss in losses]
figure, ax = plt.subplots(figsize=(8, 3), layout="constrained")
ax.bar(names, [s.mean() for s in sizes], color="#2667ff")
ax.axhline(Y_test.sum(axis=1).mean(), color="#444", linestyle="--", label="in truth")
ax.set(ylabel="colours in the answer")
_ = ax.legend()
