"""The product's own modules, loaded a second time to answer thousands of samples at once.

Formulas, tallies and intervals are written for one sample. Here their source is loaded again with other basic
functions: `float`, `min`, `max`, `math` and `numpy` that also take the numbers of many samples (`sample_arrays`).
There is one implementation, so that a rate is always that of the method which users get, however it changes.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import importlib.util
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from heldout.lab.rates.sample_arrays import MATH, Numpy, largest, number, smallest

LOADED = ("heldout.estimates", "heldout.intervals", "heldout.formulas", "heldout.tallies")
"""Packages whose modules are loaded again; all others are shared."""
AS_THEY_ARE = ("heldout.estimates.rounding",)
CALLS = {"float": number, "min": smallest, "max": largest}
"""What is called instead of built-in functions; where these are types, the type stays."""
MARK = "of_many_samples_"
"""Before the name under which it is called: no module has such names."""


class _Calls(ast.NodeTransformer):
    """`float(x)` becomes a call of `number`; `float` as a type stays."""

    def visit_Call(self, node: ast.Call) -> ast.Call:
        """Rename what is called."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in CALLS:
            node.func = ast.copy_location(ast.Name(MARK + node.func.id, ast.Load()), node.func)
        return node


class Interval(SimpleNamespace):
    """What stands in for an `Estimate`, which is one float: the same facts for many samples."""

    def __init__(self, value: Any, **facts: Any) -> None:
        super().__init__(value=value, **facts)


KNOWN: dict[str, ModuleType] = {}
"""Modules that were loaded again, by name: as `sys.modules`, because modules import each other."""


def vectorised(name: str) -> Any:
    """A module of the product that also takes numbers of many samples, by its full name.

    >>> from heldout.lab.rates.sample_arrays import Many
    >>> import numpy as np
    >>> successes = Many(np.array([12.0, 0.0]))
    >>> low, high = vectorised("heldout.intervals.shares").SHARES["normal"](successes, 40.0, 0.95)
    >>> high.data.round(3).tolist()
    [0.442, 0.0]
    """
    if name in KNOWN:
        return KNOWN[name]
    found = importlib.util.find_spec(name)
    assert found is not None
    source = Path(found.origin or "").read_text(encoding="utf-8")
    tree = ast.fix_missing_locations(_Calls().visit(ast.parse(source)))
    module = KNOWN[name] = ModuleType(name)
    module.__file__, module.__package__ = found.origin, found.parent
    module.__dict__["__builtins__"] = {**vars(builtins), "__import__": _imported}
    module.__dict__.update({MARK + called: function for called, function in CALLS.items()})
    importlib.import_module(name)  # dataclasses look up annotations by the name of their module
    exec(compile(tree, found.origin or name, "exec", dont_inherit=True), module.__dict__)  # noqa: S102
    if name == "heldout.estimates.value_with_interval":
        module.__dict__["Estimate"] = Interval
    return module


def _imported(name: str, given: Any = None, _locals: Any = None, names: Any = (), level: int = 0) -> Any:
    """`import` inside of such a module: modules that were loaded again see each other."""
    if name == "numpy":
        return Numpy()
    if name == "math":
        return MATH
    if level == 0 and name.startswith(LOADED) and not name.startswith(AS_THEY_ARE):
        module = vectorised(name)
        for part in names or ():
            if not hasattr(module, part):
                module.__dict__[part] = vectorised(f"{name}.{part}")
        return module
    return importlib.__import__(name, given, _locals, names or (), level)
