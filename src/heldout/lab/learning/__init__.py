"""Learners in simulations: bias and variance, what their error estimates are worth, how good anyone could be."""
