"""Thousands of samples at once, for code that was written for one of them.

A `Many` holds one number, or one array of the same shape, per sample, and behaves like the number or array of a single
sample: arithmetic, numpy functions and indexing act on each. Where code asks a yes-or-no question whose answer differs
between samples, `Split` is raised with the answers, and the caller runs the code again on either part. What cannot be
done for many samples together raises `OneByOne`; nothing is ever answered for the wrong axis.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from heldout.batch import Array


class OneByOne(Exception):  # noqa: N818  not an error: the samples have to be answered one at a time
    """Code that needs the numbers of one sample."""


class Split(Exception):  # noqa: N818  not an error either
    """Samples take different ways from here."""

    def __init__(self, yes: Array) -> None:
        super().__init__("samples differ")
        self.yes = yes
        """Of each sample: whether the answer is yes."""


class Many(NDArrayOperatorsMixin):
    """One array per sample; the first axis of `data` numbers samples."""

    __slots__ = ("data",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, data: Array) -> None:
        self.data = data

    # The shape is that of one sample.

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.data.shape[1:])

    @property
    def ndim(self) -> int:
        return int(self.data.ndim - 1)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def dtype(self) -> Any:
        return self.data.dtype

    @property
    def T(self) -> Many:  # noqa: N802  as numpy spells it
        return Many(self.data.transpose(0, *range(self.data.ndim - 1, 0, -1)))

    def __len__(self) -> int:
        if not self.ndim:
            raise OneByOne("a number has no length")
        return self.shape[0]

    def __iter__(self) -> Iterator[Many]:
        return (Many(self.data[:, k]) for k in range(len(self)))

    # A question whose answer differs between samples splits them; a number is one where all samples have the same.

    def __bool__(self) -> bool:
        if self.ndim:
            raise OneByOne("the truth of an array")
        yes: Array = self.data.astype(bool)
        if yes.all():
            return True
        if not yes.any():
            return False
        raise Split(yes)

    def __index__(self) -> int:
        if self.ndim or not np.all(np.isfinite(self.data)):
            raise OneByOne("an array or nan as a position")
        return int(self.same())

    __int__ = __index__

    def __round__(self, digits: int | None = None) -> Any:
        return Many(np.round(self.data, digits)) if digits is not None else int(self)

    def __float__(self) -> float:
        raise OneByOne("one float of many samples")

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise OneByOne("one array of many samples")

    def __format__(self, _: str) -> str:
        return "…"  # numbers in notes are not read

    def same(self) -> Array:
        """What all samples have; where they differ, those that have what the first has go one way."""
        alike = np.asarray(np.equal(self.data, self.data[:1]).reshape(len(self.data), -1).all(axis=1))
        if not alike.all():
            raise Split(alike)
        found: Array = self.data[0]
        return found

    # Elementwise functions, and functions along axes of one sample.

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **given: Any) -> Any:
        out, where = given.pop("out", None), given.pop("where", None)
        if ufunc is np.matmul and method == "__call__":
            return _product(*inputs)
        if method == "reduceat" and isinstance(inputs[0], Many) and not isinstance(inputs[1], Many):
            axis = given.pop("axis", 0)
            return Many(ufunc.reduceat(inputs[0].data, inputs[1], axis=_shifted(axis), **given))
        if method != "__call__":
            raise OneByOne(f"{ufunc.__name__}.{method}")
        parts = aligned(*inputs, *(() if where is None else (where, out[0])))
        found = ufunc(*parts[: len(inputs)], **given)
        if where is not None:
            found = np.where(parts[-2], found, parts[-1])
        if out is not None and isinstance(out[0], Many) and out[0].data.shape == found.shape:
            out[0].data[...] = found
            return out[0]
        return tuple(map(Many, found)) if isinstance(found, tuple) else Many(found)

    def __array_function__(self, function: Any, _types: Any, args: Any, given: Any) -> Any:
        handler = FUNCTIONS.get(function.__name__)
        if handler is None:
            raise OneByOne(f"numpy.{function.__name__}")
        return handler(*args, **given)

    def __getitem__(self, key: Any) -> Many:
        return Many(self.data[self._place(key)])

    def __setitem__(self, key: Any, value: Any) -> None:
        place = self._place(key)
        target = self.data[place]
        self.data[place] = np.broadcast_to(aligned(Many(target), value)[1], target.shape)

    def _place(self, key: Any) -> tuple[Any, ...]:
        keys = key if isinstance(key, tuple) else (key,)
        return (slice(None), *(one.same() if isinstance(one, Many) else one for one in keys))

    def astype(self, kind: Any, copy: bool = True) -> Many:
        return Many(self.data.astype(kind, copy=copy))

    def view(self, kind: Any) -> Many:
        return Many(self.data.view(kind))

    def copy(self) -> Many:
        return Many(self.data.copy())

    def ravel(self) -> Many:
        return Many(self.data.reshape(len(self.data), -1))

    def reshape(self, *shape: Any) -> Many:
        wanted = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple) else shape
        return Many(self.data.reshape(len(self.data), *wanted))

    def item(self) -> Many:
        return self


def _along(name: str) -> Callable[..., Many]:
    function = getattr(np, name)

    def along(one: Any, axis: Any = None, **given: Any) -> Many:
        given.pop("out", None)
        if not isinstance(one, Many):
            raise OneByOne(name)
        if not one.ndim:
            # along the only number of a sample
            data, axis = one.data[:, None], 0
            return Many(function(data, axis=1, **given))
        data = one.data.reshape(len(one.data), -1) if axis is None else one.data
        return Many(function(data, axis=1 if axis is None else _shifted(axis), **given))

    return along


def _shifted(axis: Any) -> Any:
    """An axis of one sample as an axis of the data."""
    if isinstance(axis, tuple):
        return tuple(_shifted(part) for part in axis)
    return axis + 1 if axis >= 0 else axis


def aligned(*parts: Any) -> list[Any]:
    """Arrays that broadcast as those of one sample would, samples first."""
    depth = max(part.ndim if isinstance(part, Many) else np.ndim(part) for part in parts)
    found = []
    for part in parts:
        if isinstance(part, Many):
            data = part.data
            found.append(data.reshape(len(data), *(1,) * (depth - part.ndim), *part.shape))
        else:
            found.append(part)
    return found


def _product(one: Any, other: Any) -> Many:
    """A matrix product, sample by sample."""
    first, second = (part.data if isinstance(part, Many) else np.asarray(part) for part in (one, other))
    depths = np.ndim(one) if not isinstance(one, Many) else one.ndim, other.ndim
    if depths == (1, 1):
        return Many(np.einsum("...i,...i->...", first, second))
    if not isinstance(one, Many) and depths[0] == 2:  # one large product instead of many small ones
        found = np.tensordot(second, first.astype(float, copy=False), axes=(1, 1))
        return Many(found if depths[1] == 1 else np.moveaxis(found, -1, 1))
    if depths[0] == 1:
        first = first[..., None, :]
    if depths[1] == 1:
        second = second[..., None]
    found = np.matmul(first, second)
    if depths[0] == 1:
        found = found[..., 0, :]
    return Many(found[..., 0] if depths[1] == 1 else found)


def _joined(parts: Sequence[Any], axis: int = 0) -> Any:
    samples = next(len(part.data) for part in parts if isinstance(part, Many))
    whole = [_spread(part, samples) for part in parts]
    return Many(np.concatenate(whole, axis=_shifted(axis)))


def _stacked(parts: Sequence[Any], axis: int = 0) -> Any:
    if not any(isinstance(part, Many) for part in parts):
        return np.stack(parts, axis=axis)
    samples = next(len(part.data) for part in parts if isinstance(part, Many))
    return Many(np.stack([_spread(part, samples) for part in parts], axis=_shifted(axis)))


def _spread(part: Any, samples: int) -> Array:
    """The data of many samples, or the same array for each of them."""
    if isinstance(part, Many):
        return np.broadcast_to(part.data, (samples, *part.shape))
    plain = np.asarray(part)
    return np.broadcast_to(plain, (samples, *plain.shape))


def _counted(place: Any, weights: Any = None, minlength: int = 0) -> Many:
    """`np.bincount`, sample by sample, into as many bins as were asked for."""
    samples = len(place.data) if isinstance(place, Many) else len(weights.data)
    at = _spread(place, samples)
    if not minlength or (at.size and int(at.max()) >= minlength):
        raise OneByOne("bincount without a number of bins")
    flat = (at + minlength * np.arange(samples)[:, None]).ravel()
    heavy = None if weights is None else _spread(weights, samples).ravel()
    return Many(np.bincount(flat, weights=heavy, minlength=samples * minlength).reshape(samples, minlength))


def _einsum(pattern: str, *parts: Any) -> Many:
    inputs, _, output = pattern.replace(" ", "").partition("->")
    own = [f"Z{part}" if isinstance(one, Many) else part for part, one in zip(inputs.split(","), parts, strict=True)]
    if "->" not in pattern:
        letters = inputs.replace(",", "").replace("...", "")
        output = "..." * ("..." in inputs) + "".join(sorted(x for x in set(letters) if letters.count(x) == 1))
    data = [one.data if isinstance(one, Many) else one for one in parts]
    return Many(np.einsum(f"{','.join(own)}->Z{output}", *data))


def _where(chosen: Any, yes: Any, no: Any) -> Many:
    return Many(np.where(*aligned(chosen, yes, no)))


def _dot(one: Any, other: Any, axes: int = 2) -> Many:
    if axes != 1 or np.ndim(one) != 1:
        raise OneByOne("tensordot of tables")
    return _product(one, other)


def _outer(one: Any, other: Any) -> Many:
    first = one[:, None] if isinstance(one, Many) else np.asarray(one)[:, None]
    return first * other


def _diagonal(table: Many, *_: Any) -> Many:
    if table.ndim == 1:
        size = table.shape[0]
        return Many(table.data[:, :, None] * np.eye(size))
    return Many(np.diagonal(table.data, axis1=1, axis2=2))


def _elementwise(name: str) -> Callable[..., Many]:
    function = getattr(np, name)
    return lambda one, *rest, **given: Many(function(one.data, *rest, **given))


REDUCED = ("sum", "mean", "any", "all", "min", "max", "prod", "argmax", "argmin", "ptp", "std", "var")
FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: _along(name) for name in (*REDUCED, "nansum", "nanmean", "nanmin", "nanmax", "count_nonzero", "median")},
    **{f"a{name}": _along(name) for name in ("min", "max")},
    **{name: _elementwise(name) for name in ("nan_to_num", "zeros_like", "ones_like", "isclose", "round", "real")},
    "cumsum": lambda one, axis=None: Many(np.cumsum(one.data, axis=1 if axis is None else _shifted(axis))),
    "diff": lambda one, axis=-1: Many(np.diff(one.data, axis=_shifted(axis))),
    "sort": lambda one, axis=-1, kind=None: Many(np.sort(one.data, axis=_shifted(axis), kind=kind)),
    "split": lambda one, ends: [Many(part) for part in np.split(one.data, ends, axis=1)],
    "flatnonzero": lambda one: np.flatnonzero(one.same()),
    "array_equal": lambda one, other: (one == other).all(),
    "partition": lambda one, kth, axis=-1: Many(np.sort(one.data, axis=_shifted(axis))),
    "take_along_axis": lambda one, at, axis: Many(
        np.take_along_axis(one.data, _spread(at, len(one.data)), axis=_shifted(axis))
    ),
    "flip": lambda one, axis=-1: Many(np.flip(one.data, axis=_shifted(axis))),
    "clip": lambda one, low, high: np.minimum(np.maximum(one, low), high),
    "where": _where,
    "concatenate": _joined,
    "stack": _stacked,
    "column_stack": lambda parts: _stacked(parts, axis=-1),
    "append": lambda one, more: _joined([one, np.atleast_1d(more)]),
    "broadcast_to": lambda one, shape: Many(np.broadcast_to(aligned(one, np.empty(shape))[0], (len(one.data), *shape))),
    "tile": lambda one, times: Many(np.tile(one.data[(slice(None), *(None,) * (len(times) - one.ndim))], (1, *times))),
    "bincount": _counted,
    "einsum": _einsum,
    "tensordot": _dot,
    "dot": _product,
    "outer": _outer,
    "diag": _diagonal,
    "diagonal": _diagonal,
    "trace": lambda table: Many(np.trace(table.data, axis1=1, axis2=2)),
    "ravel": lambda one: one.ravel(),
    "reshape": lambda one, shape: one.reshape(shape),
    "ndim": lambda one: one.ndim,
    "shape": lambda one: one.shape,
    "size": lambda one: one.size,
    "square": lambda one: one * one,
    "isscalar": lambda _: False,
}
"""Functions of numpy that are known to act on one sample at a time, by name."""

for _name in REDUCED:
    setattr(Many, _name, _along(_name))
Many.cumsum = FUNCTIONS["cumsum"]  # type: ignore[attr-defined]


class Numpy:
    """Numpy, except that what makes an array of its argument leaves a `Many` as it is."""

    used_random = False
    """Whether random numbers were asked for since this was last set."""

    def __getattr__(self, name: str) -> Any:
        if name == "random":
            Numpy.used_random = True
        return getattr(np, name)

    @staticmethod
    def asarray(given: Any, dtype: Any = None, **_: Any) -> Any:
        if isinstance(given, Many):
            return given if dtype is None else given.astype(dtype, copy=False)
        if isinstance(given, list | tuple) and any(isinstance(part, Many) for part in given):
            return _stacked(given)
        return np.asarray(given, dtype=dtype)

    array = asarray

    @staticmethod
    def full(shape: Any, value: Any, **given: Any) -> Any:
        if isinstance(value, Many):
            return FUNCTIONS["broadcast_to"](value, shape if isinstance(shape, tuple) else (shape,))
        return np.full(shape, value, **given)


def _either(plain: Callable[..., Any], many: Callable[..., Any]) -> Callable[..., Any]:
    """A function of numbers that takes numbers of many samples too."""

    def function(*given: Any) -> Any:
        return many(*given) if any(isinstance(one, Many) for one in given) else plain(*given)

    return function


MATH = SimpleNamespace(
    **{name: getattr(math, name) for name in dir(math) if not name.startswith("_")}
    | {
        name: _either(getattr(math, name), getattr(np, numpys))
        for name, numpys in {
            **{name: name for name in ("isnan", "isfinite", "isinf", "sqrt", "exp", "expm1", "log", "log1p", "log2")},
            **{name: name for name in ("floor", "ceil", "sin", "cos", "tanh", "log10", "fabs", "cbrt")},
            "asin": "arcsin",
            "acos": "arccos",
            "atan": "arctan",
            "atanh": "arctanh",
            "pow": "power",
        }.items()
    }
)
"""The module `math`, for numbers of one sample and of many."""


def number(given: Any = 0.0) -> Any:
    """`float`, for numbers of one sample and of many."""
    if not isinstance(given, Many):
        return float(given)
    if given.size != 1:
        raise OneByOne("one float of an array")
    return Many(given.data.reshape(len(given.data)).astype(float, copy=False))


def smallest(*given: Any, **more: Any) -> Any:
    """`min`, sample by sample."""
    return _extreme(min, np.less, given, more)


def largest(*given: Any, **more: Any) -> Any:
    """`max`, sample by sample."""
    return _extreme(max, np.greater, given, more)


def _extreme(plain: Callable[..., Any], beyond: Any, given: tuple[Any, ...], more: dict[str, Any]) -> Any:
    parts = list(given[0]) if len(given) == 1 else list(given)
    if more or not any(isinstance(one, Many) for one in parts):
        return plain(parts, **more)
    found = parts[0]
    for part in parts[1:]:  # as Python does, so that nan is kept or passed over alike
        found = _where(beyond(part, found), part, found)
    return found
