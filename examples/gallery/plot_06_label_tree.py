"""
A tree of labels
================

``CTBN`` learns a directed tree of labels; each is a pair of logistic regressions, one for each value of
its parent. The tree is cheap, exact, and can be looked at.
"""

import matplotlib.pyplot as plt

import jointbayes as jb

data = jb.load_dataset("flags")
model = jb.CTBN().fit(data)
print(model.edges_)

# %%
# Each arc is a pair of labels that the model found worth tying.

drawing = jb.plots.label_graph(model.edges_, model.label_names_, title="The tree of CTBN")
figure, ax = plt.subplots(figsize=(drawing.width / 90, drawing.height / 90))
_ = jb.plots.draw(drawing, ax)
