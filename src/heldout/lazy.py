"""Public names that are loaded when they are first used, so that importing the package stays light."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def attach(
    package: str, public: Mapping[str, Sequence[str]], modules: Sequence[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of a package.

    `public` gives the names that live in each module, `modules` the submodules that are public themselves.

    >>> getattr_, dir_, all_ = attach("heldout", {"heldout.version": ("__version__",)})
    >>> all_
    ['__version__']
    """
    homes = {name: module for module, names in public.items() for name in names}
    everything = sorted([*homes, *modules])

    def __getattr__(name: str) -> Any:  # noqa: N807 this is what the package calls it
        if name in homes:
            found = getattr(import_module(homes[name]), name)
        elif name in modules:
            found = import_module(f"{package}.{name}")
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        setattr(sys.modules[package], name, found)
        return found

    return __getattr__, lambda: list(everything), everything
