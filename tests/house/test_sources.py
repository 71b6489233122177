"""One bibliography: every key that a docstring cites is in it, and nothing else is."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_cited_source_is_listed_once_and_in_order():
    page = (ROOT / "docs/sources.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| ([a-z]+\d\d[a-z]?) \|", page, re.MULTILINE)
    code = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "src").rglob("*.py")))
    cited = set(re.findall(r"\[([a-z]+\d\d[a-z]?)\]", code))
    assert "wilson27" in cited
    assert listed == sorted(cited)
