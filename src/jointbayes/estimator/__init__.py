"""The front door: what every estimator does with its arguments, and how it answers."""
