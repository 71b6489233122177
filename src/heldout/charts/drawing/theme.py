"""One look for every chart, light and dark: all colours live here, a chart names only styles and scales."""

from __future__ import annotations

from typing import Any

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
PAPER = {False: "#ffffff", True: "#14171c"}
INK = {False: "#1b1f24", True: "#e6e9ed"}
MUTED = {False: "#57606a", True: "#a3adb8"}
"""Text of axes; at least 4.5 : 1 on paper."""
GRID = {False: "#e6e8eb", True: "#2b3138"}
RULE = {False: "#8a929b", True: "#76808b"}
"""Reference lines; at least 3 : 1 on paper."""
CATEGORY = {
    False: ("#0072b2", "#d55e00", "#00795a", "#a8487f", "#8a6d00", "#3f8fc4", "#5a5f66", "#7a3e00"),
    True: ("#56b4e9", "#f08a4b", "#2fc29a", "#e29cc4", "#e0b13e", "#9ecff2", "#b8bec6", "#d9a06b"),
}
"""After Okabe and Ito, each at least 3 : 1 on its paper; distinguishable with colour blindness."""
DASHES = ([1, 0], [7, 3], [2, 2], [9, 3, 2, 3], [4, 4], [12, 3], [1, 3], [6, 2, 1, 2])
"""Lines also differ by dashes, so that a print without colours can be read."""
RAMP = {
    False: ("#f2f6fa", "#cfe1ef", "#93bfdd", "#2c7bb2", "#1a659b", "#0b4a7a"),
    True: ("#1c232c", "#1d3a54", "#20557f", "#2d7bb4", "#5ba3d6", "#a3d2f3"),
}
"""Shares from 0 to 1 as the ground of a table. At `STRONG` black and white can be read on it equally well, 4.5 : 1."""
ON_GROUND = {False: ("#000000", "#ffffff"), True: ("#ffffff", "#000000")}
"""Text on a ground below and from `STRONG` on."""
STRONG = 0.6
"""From this share on the ground is dark (on dark paper: bright) and the text on it changes sides."""


def theme(dark: bool = False) -> dict[str, Any]:
    """The theme of charts as a Vega configuration: fonts, axes, colours, on a transparent background.

    Parameters
    ----------
    dark : bool, default False
        Whether colours suit a dark background.

    Returns
    -------
    dict
        The configuration, for `config` of a specification.

    Examples
    --------
    >>> theme()["range"]["category"][0], theme(dark=True)["range"]["category"][0]
    ('#0072b2', '#56b4e9')
    """
    ink, muted, rule = INK[dark], MUTED[dark], RULE[dark]
    return {
        "background": "transparent",
        "font": FONT,
        "padding": 6,
        "view": {"stroke": None},
        "axis": {
            "labelColor": muted,
            "titleColor": ink,
            "gridColor": GRID[dark],
            "domainColor": rule,
            "tickColor": rule,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "titlePadding": 8,
            "tickSize": 4,
            "labelLimit": 190,
            "tickCount": 6,
        },
        "title": {
            "anchor": "start",
            "color": ink,
            "subtitleColor": muted,
            "fontSize": 15,
            "fontWeight": 600,
            "subtitleFontSize": 12,
            "subtitlePadding": 4,
            "offset": 12,
            "frame": "group",
        },
        "legend": {
            "labelColor": ink,
            "titleColor": ink,
            "labelFontSize": 12,
            "labelLimit": 420,
            "symbolStrokeWidth": 2.5,
            "symbolSize": 140,
            "rowPadding": 3,
        },
        "header": {"labelColor": ink, "titleColor": ink, "labelFontSize": 12},
        "range": {
            "category": list(CATEGORY[dark]),
            "heatmap": list(RAMP[dark]),
            "ramp": list(RAMP[dark]),
            "ordinal": list(RAMP[dark]),
        },
        "line": {"strokeWidth": 2, "strokeJoin": "round"},
        "point": {"filled": True, "size": 60},
        "bar": {"color": CATEGORY[dark][0]},
        "style": _styles(dark),
    }


def _styles(dark: bool) -> dict[str, Any]:
    """What a mark may be besides one of the models."""
    (first, second, *_), paper = CATEGORY[dark], PAPER[dark]
    pale, strong = ON_GROUND[dark]
    return {
        "whole-band": {"opacity": 0.16 if dark else 0.13, "strokeWidth": 0},
        "point-band": {"opacity": 0.24 if dark else 0.2, "strokeWidth": 0},
        "margin": {"color": RULE[dark], "opacity": 0.18},
        "reference": {"color": RULE[dark], "stroke": RULE[dark], "strokeDash": [4, 3], "strokeWidth": 1.3},
        "zero": {"color": MUTED[dark], "stroke": MUTED[dark], "strokeWidth": 1.2},
        "interval": {"color": first, "stroke": first, "strokeWidth": 2.2},
        "fine-interval": {"strokeWidth": 1.1, "opacity": 0.75},
        "thick-interval": {"strokeWidth": 3.2, "opacity": 0.85},
        "through": {"strokeWidth": 1, "opacity": 0.6},
        "place": {"filled": True, "opacity": 1, "stroke": paper, "strokeWidth": 1.2},
        "histogram": {"opacity": 0.45, "strokeWidth": 0},
        "first": {"color": first, "fill": first},
        "strong-fine": {"color": second, "stroke": second, "strokeWidth": 1.4},
        "strong-thick": {"color": second, "stroke": second, "strokeWidth": 3.4},
        "strong-place": {
            "filled": True,
            "opacity": 1,
            "color": second,
            "fill": second,
            "stroke": paper,
            "strokeWidth": 1.2,
        },
        "grid-cell": {"strokeWidth": 0},
        "part": {"color": first, "fill": first, "opacity": 0.85},
        "whole": {"color": MUTED[dark], "fill": MUTED[dark]},
        "edge": {"color": first, "stroke": first, "strokeWidth": 1.2},
        "settled": {"color": second, "stroke": second, "strokeWidth": 1.8},
        "cell": {"stroke": paper, "strokeWidth": 2},
        "value": {"filled": True, "opacity": 1, "color": first, "fill": first, "strokeWidth": 0},
        "hollow": {"opacity": 1, "color": first, "stroke": first, "strokeWidth": 1.8},
        "ground": {"filled": True, "opacity": 1, "color": paper, "fill": paper, "strokeWidth": 0},
        "dot": {"size": 12, "opacity": 0.45, "color": first, "strokeWidth": 0},
        "constant": {"color": MUTED[dark], "stroke": MUTED[dark], "strokeWidth": 2},
        "label": {"color": INK[dark], "fill": INK[dark], "fontSize": 12},
        "quiet-label": {"color": MUTED[dark], "fill": MUTED[dark], "fontSize": 11},
        "on-pale": {"color": pale, "fill": pale, "fontSize": 13},
        "on-strong": {"color": strong, "fill": strong, "fontSize": 13},
        "verdict": {"opacity": 1, "stroke": paper, "strokeWidth": 1},
        "region": {"color": second, "fill": second, "opacity": 0.45, "strokeWidth": 0},
        "on-region": {"color": first, "fill": first, "opacity": 0.95, "strokeWidth": 0},
        "off-region": {"color": first, "fill": first, "opacity": 0.22, "strokeWidth": 0},
        "beta-region": {"color": second, "fill": second, "opacity": 0.6, "strokeWidth": 0},
        "off-alternative": {"color": second, "fill": second, "opacity": 0.15, "strokeWidth": 0},
        "pale": {"opacity": 0.3},
        "outline": {"fill": "transparent", "strokeWidth": 2.4},
        "row-seen": {"filled": True, "opacity": 0.9, "color": paper, "fill": paper, "stroke": RULE[dark]},
        "link": {"color": INK[dark], "stroke": INK[dark], "strokeWidth": 1},
        "tied": {"color": first, "stroke": first, "strokeWidth": 5, "opacity": 0.75, "strokeCap": "round"},
    }
