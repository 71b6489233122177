"""Pictures of the course: `make course-pictures` runs its pages and keeps what they draw in docs/images/course.

Names of pages as arguments, such as `01 11`, run only these. A test fails where a picture is not what its page draws.
"""

from __future__ import annotations

import contextlib
import re
import sys
import tempfile
from pathlib import Path

from PIL import Image

from tests.docs.page_blocks import run_page
from tests.docs.test_docs import pictures

COURSE = Path(__file__).parent / "course"
IMAGES = Path(__file__).parent / "images" / "course"


def keep(drawn: Path, kept: Path) -> None:
    """Copy a picture; of a PNG, 256 colours are enough and take a tenth of the bytes."""
    if kept.suffix == ".png":
        Image.open(drawn).convert("RGB").quantize().save(kept, optimize=True)
        return
    svg = drawn.read_text(encoding="utf-8")
    ids = list(dict.fromkeys(re.findall(r"\bclip\d+", svg)))  # counted over all charts of a process
    kept.write_text(re.sub(r"\bclip\d+", lambda found: f"clip{ids.index(found[0])}", svg), encoding="utf-8")


def main(names: list[str]) -> None:
    """Run pages, each in a folder of its own, and keep their pictures."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    for page in sorted(COURSE.glob("[0-9]*.md")):
        if names and page.name[:2] not in names:
            continue
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            run_page(page)
            for kept in pictures(page):
                keep(Path(kept.name), kept)
                print(f"{kept.name}  {kept.stat().st_size / 1024:.0f} kB")  # noqa: T201 a script


if __name__ == "__main__":
    main(sys.argv[1:])
