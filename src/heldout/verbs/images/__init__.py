"""`detect` and `masks`: object detection and segmentation."""
