"""Simulations of pictures and texts: sets whose figures (mAP, mean IoU, BLEU) are known, and how intervals do there."""
