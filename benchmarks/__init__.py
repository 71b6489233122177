"""How fast the package is beside its peers, how its time grows with the rows, and how much memory it takes.

`make bench` makes an environment with the peers and runs everything; `make bench TASK=auc` runs one task,
`make bench ROWS=1e5` none with more rows than that. Here the word "limit" means: the least that the hardware needs for
the one unavoidable step, such as sorting the scores or reading the columns.
"""
