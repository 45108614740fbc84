"""Models: one file per idea of a paper. Each makes a posterior; none knows a loss."""
