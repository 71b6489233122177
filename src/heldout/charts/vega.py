"""Charts that need no network: the JavaScript that draws them comes from vl-convert's wheel and stands in the file."""

from __future__ import annotations

import os
import re
from base64 import b64encode
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from gzip import compress
from hashlib import sha256
from html import escape
from json import dumps
from pathlib import Path
from typing import Any

from heldout.charts.drawing.theme import FONT, INK, PAPER
from heldout.charts.figure import Figure
from heldout.errors import UsageError
from heldout.file_writing import write_file
from heldout.optional_packages import needed

START = (
    "vegaEmbed('#chart',JSON.parse(document.getElementById('spec').textContent),"
    "{ast:true,actions:false,renderer:'svg'});"
)
"""`ast`: expressions are interpreted, so that a page may forbid evaluation."""
UNPACK = (
    "const packed=Uint8Array.from(atob(document.getElementById('vega').textContent),c=>c.charCodeAt(0));"
    "new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).text().then(code=>{"
    "for(const text of [code,document.getElementById('start').textContent]){"
    "const one=document.createElement('script');one.textContent=text;document.head.append(one);}});"
)
"""For notebooks, where every chart brings the JavaScript: less than half as large."""
STYLE = (
    "body{margin:0;padding:.75rem;background:PAPER;color:INK;font:.875rem/1.4 FONT}h1{font-size:1.05rem;margin:0}"
    "p{margin:.2rem 0 .6rem;max-width:44rem}#chart{width:100%;display:block}svg{max-width:100%;height:auto}"
)


RESERVED = 2**36
"""Bytes of address space that vl-convert's JavaScript engine reserves; with less it aborts the process."""


def converter() -> Any:
    """The module vl_convert; refused where its JavaScript engine would abort the process."""
    try:
        from resource import RLIM_INFINITY, RLIMIT_AS, getrlimit
    except ImportError:  # Windows has no such limit
        return needed("vl_convert", "charts need")
    limit, _ = getrlimit(RLIMIT_AS)
    if RLIM_INFINITY != limit < RESERVED:
        raise UsageError(
            f"charts need {RESERVED // 2**30} GB of address space, which is limited to {limit // 2**20:,} MB",
            fix="raise the limit: ulimit -v unlimited",
        )
    return needed("vl_convert", "charts need")


@cache
def bundle() -> str:
    """Vega, Vega-Lite and vega-embed as one script; vl-convert takes seconds to make it, so a copy is kept."""
    kept = _kept()
    text = None if kept is None else _trusted(kept)
    if text is None:
        text = str(converter().javascript_bundle())
        if kept is not None:
            _keep(kept, text)
    return text


def _trusted(kept: Path) -> str | None:
    """The copy, where it is whole and only the user can have written it; it runs in the reader's browser."""
    try:
        facts = (kept.lstat(), kept.parent.stat())
        digest, _, text = kept.read_bytes().decode("utf-8").partition("\n")
    except (OSError, UnicodeDecodeError):
        return None
    if os.name == "posix" and any(one.st_uid != os.geteuid() or one.st_mode & 0o022 for one in facts):
        return None
    return text if digest == _digest(text) else None


def _digest(text: str) -> str:
    return f"// sha256 {sha256(text.encode()).hexdigest()}"


def _kept() -> Path | None:
    """Where the copy is: in the user's cache folder, by the version of vl-convert."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        known = version("vl-convert-python")
    except PackageNotFoundError:
        return None
    folder = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    try:
        place = Path(folder) if folder else Path.home() / ".cache"
    except RuntimeError:  # there is no home
        return None
    return place / "heldout" / f"vega-{known}.js"


def _keep(place: Path, text: str) -> None:
    """Write the whole copy with its hash, or none; a folder that cannot be written is no reason to fail."""
    with suppress(OSError, UsageError):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.parent.chmod(0o700)
        write_file(place, f"{_digest(text)}\n{text}").chmod(0o600)


def embedded_json(value: Any) -> str:
    r"""JSON that may stand inside a script element: nothing in it can end the element or start a comment.

    >>> embedded_json({"name": "</script>"})
    '{"name":"\\u003c/script\\u003e"}'
    """
    text = dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


NOT_IN_XML = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")
"""Characters that XML 1.0 does not allow: vl-convert, which draws by way of SVG, aborts the process at them."""


def in_xml(node: Any) -> Any:
    r"""A specification whose texts may stand in XML: other characters are escapes, as in what is printed.

    >>> print(in_xml({"text": ["a\x1b", 1]})["text"][0])
    a\x1b
    """
    if isinstance(node, str):
        return NOT_IN_XML.sub(lambda found: found[0].encode("unicode_escape").decode(), node)
    if isinstance(node, list | tuple):
        return [in_xml(one) for one in node]
    return {in_xml(key): in_xml(one) for key, one in node.items()} if isinstance(node, dict) else node


def policy(*scripts: str) -> str:
    """A Content-Security-Policy that runs these scripts and loads nothing else."""
    hashes = " ".join(f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" for script in scripts)
    return f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:"


def document(spec: Mapping[str, Any], figure: Figure, *, dark: bool = False, packed: bool = False) -> str:
    """A chart as one HTML file that works offline; `packed` makes it small, for notebooks."""
    style = STYLE.replace("PAPER", PAPER[dark]).replace("INK", INK[dark]).replace("FONT", FONT)
    code = bundle()
    if packed:
        allowed = policy(UNPACK, code, START)
        scripts = (
            f'<script type="text/plain" id="vega">{_packed()}</script>'
            f'<script type="text/plain" id="start">{START}</script><script>{UNPACK}</script>'
        )
    else:
        allowed = policy(code, START)
        scripts = f"<script>{code}</script><script>{START}</script>"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{allowed}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(figure.title)}</title><style>{style}</style></head>"
        f"<body><h1>{escape(figure.title)}</h1><p>{escape(figure.caption)}</p>"
        f'<div id="chart" role="img" aria-label="{escape(figure.alt)}"></div>'
        f'<script type="application/json" id="spec">{embedded_json(spec)}</script>{scripts}</body></html>\n'
    )


@cache
def _packed() -> str:
    return b64encode(compress(bundle().encode(), 9, mtime=0)).decode()
