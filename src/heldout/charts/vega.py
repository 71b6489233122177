"""Charts that need no network: the JavaScript that draws them comes from vl-convert's wheel and stands in the file."""

from __future__ import annotations

import os
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


@cache
def bundle() -> str:
    """Vega, Vega-Lite and vega-embed as one script; vl-convert takes seconds to make it, so a copy is kept."""
    kept = _kept()
    if kept is not None and kept.exists():
        return kept.read_text(encoding="utf-8")
    text: str = needed("vl_convert", "charts need").javascript_bundle()
    if kept is not None:
        _keep(kept, text)
    return text


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
    """Write the whole copy or none; a folder that cannot be written is no reason to fail."""
    with suppress(OSError, UsageError):
        place.parent.mkdir(parents=True, exist_ok=True)
        write_file(place, text)


def embedded_json(value: Any) -> str:
    r"""JSON that may stand inside a script element: nothing in it can end the element or start a comment.

    >>> embedded_json({"name": "</script>"})
    '{"name":"\\u003c/script\\u003e"}'
    """
    text = dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


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
