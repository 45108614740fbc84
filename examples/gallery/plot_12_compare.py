"""
Models compared, with the statistics
====================================

``jb.compare`` runs models on data sets with the same folds. Average ranks with their critical
difference say which differences are more than luck.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

import jointbayes as jb

sets = {
    "iris": load_iris(return_X_y=True),
    "wine": load_wine(return_X_y=True),
    "breast cancer": load_breast_cancer(return_X_y=True),
    "zoo": jb.load_dataset("zoo"),
}
models = [jb.NaiveBayes(), jb.TAN(), jb.AODE(), jb.KDB(k=1)]
found = jb.compare(models, sets, cv=3, metrics=["subset_accuracy", "log_loss"], progress="none")
found

# %%
# Models that a bar ties do not differ by more than chance would make them.

ranks = jb.statistics.nemenyi(found.score_table("log_loss"))
drawing = jb.plots.rank_diagram(ranks)
figure, ax = plt.subplots(figsize=(drawing.width / 90, drawing.height / 90))
_ = jb.plots.draw(drawing, ax)
