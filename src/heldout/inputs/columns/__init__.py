"""From columns of any source to a batch: roles, labels, numbers, scores, the task."""
