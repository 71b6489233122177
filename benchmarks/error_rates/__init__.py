"""How often other packages' default intervals hold the truth, and their tests reject it, beside ours.

    shares       a share of rows, every sample counted
    labels       accuracy, precision, recall and F1 of two classes, drawn
    areas        the area under the ROC curve, drawn
    rejections   two models on the same rows: right or wrong, every sample counted
    rivals       two models on the same rows: areas, drawn

All stand in the same worlds of `heldout.lab`, and what is drawn is drawn with the same seeds. Peers are imported where
they are called, because they live in an environment of their own.
"""
