"""Boxes and masks: `detect` and `masks`, where the unit is the image."""
