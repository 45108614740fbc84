"""Label-driven learning (Sun 2017): a generalist, and a second look at the rows it doubts."""
