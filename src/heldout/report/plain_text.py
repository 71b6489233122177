"""Text that stays in its column: control characters shown, long texts shortened, widths as a terminal counts them."""

from __future__ import annotations

import re
from unicodedata import combining, east_asian_width


def visible(text: str) -> str:
    r"""The text with what cannot be seen written as an escape, and in quotes where blanks surround it or it is empty.

    Letters of every script stay as they are; control, format and zero-width characters do not.

    >>> print(visible("a\nb"), visible("yes "), visible(""), visible("é"))
    a\nb "yes " "" é
    """
    if not text or text != text.strip():
        return f'"{escaped(text)}"'
    return escaped(text)


def escaped(text: str) -> str:
    """The text with what cannot be seen written as an escape."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "backslashreplace").decode() for c in text)


OLD_COMMANDS = re.compile(r"(?<=#)#(?=\[|vso\[|teamcity\[)")
COMMANDS = re.compile(rf"^(?P<blanks>[^\S\n]*):(?=:)|{OLD_COMMANDS.pattern}", re.MULTILINE)
"""What build servers read as a command in a log: `::error::` at the start of a line, `##[error]` anywhere."""


def without_commands(text: str) -> str:
    r"""Lines of text with what a build server would take for its own command written as an escape.

    >>> print(without_commands("::error::label\nstd::map ##[group]"))
    \x3a:error::label
    std::map #\x23[group]
    """
    return COMMANDS.sub(lambda found: r"\x23" if found["blanks"] is None else rf"{found['blanks']}\x3a", text)


def columns_of(text: str) -> int:
    """How many columns of a terminal the text takes."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def shortened(text: str, width: int) -> str:
    """The text cut to a width, with ... where something is missing.

    >>> shortened("a very long label", 10)
    'a very ...'
    """
    if columns_of(text) <= width:
        return text
    kept, used = [], 0
    for c in text[:width]:
        used += columns_of(c)
        if used > width - 3:
            break
        kept.append(c)
    return "".join(kept) + "..."[:width]


def in_two_lines(text: str, width: int) -> tuple[str, str]:
    """The text broken after a blank, `_`, `-` or `,`, the second line indented if there is room and cut if it must be.

    >>> in_two_lines("balanced_accuracy", 12), in_two_lines("effective-n Wilson", 14), in_two_lines("f1", 9)
    (('balanced_', '  accuracy'), ('effective-n', '  Wilson'), ('f1', ''))
    """
    if columns_of(text) <= width:
        return text, ""
    ends = [
        at + 1
        for at, letter in enumerate(text[:width])
        if letter in " _-," and columns_of(text[: at + 1].rstrip()) <= width
    ]
    if not ends or 3 * ends[-1] < width:  # one long word: nothing is gained by a nearly empty first line
        return shortened(text, width), ""
    rest = text[ends[-1] :]
    return text[: ends[-1]].rstrip(), shortened(rest, width) if columns_of(rest) > width - 2 else f"  {rest}"


def padded(text: str, width: int, align: str) -> str:
    """The text with blanks up to a width: on the right for align `l`, on the left for `r`."""
    blanks = " " * (width - columns_of(text))
    return blanks + text if align == "r" else text + blanks


def folded(text: str, width: int, first: str = "", rest: str = "", *, cuts: bool = True) -> list[str]:
    """Lines no wider than `width`, the first one after `first`, the others after `rest`; too long words are cut.

    Where `cuts` is False, a line of one long word is wider.

    >>> folded("one two three", 9, "n  ", "   ")
    ['n  one', '   two', '   three']
    """
    lines, line, apart = [], first, ""
    for whole in text.split():
        word = shortened(whole, width - columns_of(rest)) if cuts else whole
        if line != rest and columns_of(line + apart + word) > width:
            lines.append(line.rstrip())
            line, apart = rest, ""
        line, apart = line + apart + word, " "
    return [*lines, line.rstrip()]
