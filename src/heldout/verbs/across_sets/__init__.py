"""`compare_across_sets`: learners over many data sets."""
