"""
Which labels go together
========================

Before any model: what one label says about another, in bits. After: the graph that a network has
learned between the labels, with the features taken into account.
"""

import matplotlib.pyplot as plt

import jointbayes as jb

data = jb.load_dataset("flags")
about = jb.describe(data)
for pair in about.pairs[:5]:
    print(f"{pair.first:7} {pair.second:7} {pair.bits:.3f} bits, {pair.direction}")

# %%
# The network's arcs between labels.

model = jb.MultilabelFAN().fit(data)
drawing = jb.plots.label_graph(model.edges_, model.label_names_)
figure, ax = plt.subplots(figsize=(drawing.width / 90, drawing.height / 90))
_ = jb.plots.draw(drawing, ax)
