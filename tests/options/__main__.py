"""python -m tests.options [TEXT]: try every option in every mode whose name contains TEXT; write the table."""

from __future__ import annotations

import sys

from tests.options.table import write_table

write_table(" ".join(sys.argv[1:]))
