"""The project's own copies of the cases that may be copied.

    python tests/oracles/collect.py DIR

DIR is an oracle folder. Of its cases, those that are answered and whose data may all be copied go to data/ beside this
file, with their data, where it came from and its licence.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.oracles.run import ANSWERED, run

HOME = Path(__file__).parent / "data"
KEPT_RESAMPLES = 5
"""Of the resamples behind stored draws only the first few are compared one by one."""
LARGE = ("nested_cv",)
"""How the names of data end that are too large to be copied."""
WHOLE = ("b632_",)
"""How the names of resamples begin that are all needed."""
REMARKS = ("note",)
README = """# Numbers from outside tools: the cases that may be copied

Made by `python tests/oracles/collect.py DIR`; do not edit by hand. `manifest.json` names, for every case, the tool with
its version, the expression that was evaluated there, what it gave and the tolerance. Nothing here was typed in.

The data are predictions on public data sets, or made by a random number generator. Of the resamples behind stored
draws only the first five are kept.

| data | rows | what it is | source | licence |
|---|---|---|---|---|
"""


def collected(folder: Path) -> dict[str, Any]:
    """The manifest of the cases that are answered and may be copied, and of their data."""
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    answered = {verdict.case.id for verdict in run(folder) if verdict.ending in ANSWERED}
    free = {name for name, data in manifest["data"].items() if data["may_be_copied"] and not name.endswith(LARGE)}
    cases = [case for case in manifest["cases"] if case["id"] in answered and set(case["data"]) <= free]
    used = {name for case in cases for name in case["data"]}
    data = {name: about for name, about in manifest["data"].items() if name in used}
    kept = [{name: part for name, part in case.items() if name not in REMARKS} for case in cases]
    return {"format": manifest["format"], "set": "copies", "data": data, "cases": kept}


def copied(source: Path, goal: Path) -> str:
    """Copy a file, of stored resamples only the first few; gives its checksum."""
    goal.parent.mkdir(parents=True, exist_ok=True)
    content = source.read_bytes()
    if source.name.endswith("_indices.csv.gz") and not source.name.startswith(WHOLE):
        lines = gzip.decompress(content).splitlines(keepends=True)[:KEPT_RESAMPLES]
        content = gzip.compress(b"".join(lines), mtime=0)
    goal.write_bytes(content)
    return hashlib.sha256(content).hexdigest()


def described(data: dict[str, Any]) -> str:
    facts = ("rows", "description", "source", "licence")
    lines = [[name, *(str(about.get(fact, "")).replace("|", "/") for fact in facts)] for name, about in data.items()]
    return README + "".join(f"| {' | '.join(line)} |\n" for line in lines)


def main(arguments: list[str]) -> int:
    """The command line."""
    if len(arguments) != 1:
        print("usage: python tests/oracles/collect.py DIR", file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    manifest = collected(folder)
    for about in manifest["data"].values():
        about["sha256"] = copied(folder / about["file"], HOME / about["file"])
    for case in manifest["cases"]:
        if "expected_file" in case:
            copied(folder / case["expected_file"], HOME / case["expected_file"])
    lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in manifest.pop("cases"))
    head = json.dumps(manifest, ensure_ascii=False, indent=1).removesuffix("\n}")
    (HOME / "manifest.json").write_text(f'{head},\n "cases": [\n{lines}\n]}}\n', encoding="utf-8", newline="\n")
    (HOME / "README.md").write_text(described(manifest["data"]), encoding="utf-8", newline="\n")
    print(f"{lines.count(chr(10)) + 1} cases on {len(manifest['data'])} data sets")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
