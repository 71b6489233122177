"""Boxes in images: how much they overlap, which detection found which object, and the precision that follows.

Algorithms only: columns in, columns out. An image is the unit; matches are made once and weighed afterwards.
"""
