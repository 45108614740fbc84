"""Networks of several class variables (Corani 2014): a class graph, a bridge, and the features."""
