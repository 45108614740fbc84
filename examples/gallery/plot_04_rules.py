"""
Rules that labels obey
======================

What you know about labels need not be learned. In most rows of the table the column ``colours`` is
the number of labels; said as a rule, it makes answers better, whatever the model.
"""

import matplotlib.pyplot as plt
import numpy as np

import jointbayes as jb

data = jb.load_dataset("flags")
X, Y = data.X.to_pandas(), np.asarray(data.Y, dtype=int)
X_train, X_test, Y_train, Y_test = jb.validation.train_test_split(
    X, Y, test_size=0.4, random_state=1
)


def answers_with_rule(posterior):
    """Answer each row with exactly as many labels as its flag has colours."""
    answers = np.empty_like(Y_test)
    counts = X_test["colours"].to_numpy().astype(int).clip(max=Y.shape[1])
    for k in np.unique(counts):
        rows = np.flatnonzero(counts == k)
        answers[rows] = posterior[rows].subject_to(jb.rules.exactly(int(k))).map()
    return answers


# %%
# Three models, each with and without the rule.

models = [jb.BinaryRelevance(), jb.MultilabelFAN(), jb.JointForest(n_estimators=50)]
plain, ruled = [], []
for model in models:
    posterior = model.fit(X_train, Y_train).posterior(X_test)
    plain.append((posterior.map() == Y_test).all(axis=1).mean())
    ruled.append((answers_with_rule(posterior) == Y_test).all(axis=1).mean())
    print(type(model).__name__, plain[-1].round(3), "with the rule", ruled[-1].round(3))

# %%
# The picture.

places = np.arange(len(models))
figure, ax = plt.subplots(figsize=(8, 3), layout="constrained")
ax.bar(places - 0.2, plain, 0.4, label="as learned", color="#9aa5b1")
ax.bar(places + 0.2, ruled, 0.4, label="with the rule", color="#1b998b")
ax.set_xticks(places, [type(model).__name__ for model in models])
ax.set(ylabel="all seven colours right")
_ = ax.legend()
