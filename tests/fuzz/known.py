"""Signatures of failures that are not mended yet, each with what is wrong; the short run passes them over."""

from __future__ import annotations

KNOWN: dict[str, str] = {}
