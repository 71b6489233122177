"""What a thing is, as a hash that every process agrees on: arrays, frames, files by content, objects by parameters."""

from __future__ import annotations

import hashlib
import struct
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from heldout.batch import Array, Batch
from heldout.errors import UsageError


@dataclass(frozen=True)
class Key:
    """Hashes of what a piece of work depends on; equal keys are the same work."""

    data: str
    learner: str
    split: str
    seed: str

    @cached_property
    def digest(self) -> str:
        """One hash of the four: the piece's name in the store."""
        return hashlib.sha256(f"{self.data}\n{self.learner}\n{self.split}\n{self.seed}".encode()).hexdigest()


def work(*, data: Any, learner: Any, split: Any, seed: Any) -> Key:
    """The key of a piece of work: a hash of each thing that it depends on.

    What is large and shared by many pieces is best hashed once: give `fingerprint(X)` as the data of each.

    >>> a = work(data=[1.0, 2.0], learner="mean", split=0, seed=7)
    >>> a == work(data=[1.0, 2.0], learner="mean", split=0, seed=7), a == work(
    ...     data=[1.0, 2.0], learner="mean", split=1, seed=7)
    (True, False)
    """
    return Key(data=fingerprint(data), learner=fingerprint(learner), split=fingerprint(split), seed=fingerprint(seed))


CHUNK = 1 << 20
SINGLE = (type(None), bool, int, float, complex, str, bytes, bytearray, type(Ellipsis), type(NotImplemented))


def fingerprint(value: Any) -> str:
    """SHA-256 of what a value is, the same in every process on every day.

    Arrays count by type, shape and values; frames by column names, types and values, whatever library they come from;
    a `Path` by the bytes of its file; functions by name and code; other objects by the qualified name of their class
    and their parameters (`get_params` where there is one, else what pickling would save). Classes and functions also
    count by their package's version and the text of their module; outside installed packages, by the text of every
    module that theirs uses, and in a notebook or script by what their code refers to.

    >>> import numpy as np
    >>> fingerprint(np.arange(3)) == fingerprint(np.array([0, 1, 2])), fingerprint(1) == fingerprint(1.0)
    (True, False)
    """
    return _digest(value, ()).hex()


def rows_fingerprint(batch: Batch, ids: Array | None = None) -> str:
    """SHA-256 of which rows were judged: their truths, in the order of their ids where these are known.

    Two models' predictions for the same rows have the same hash; labels count by name, not by position.
    """
    truth: Any = batch.truth
    names: list[str] = []
    if batch.task in ("binary", "multiclass"):
        used, codes = np.unique(truth.astype(np.int64), return_inverse=True)
        names = [str(batch.labels[code]) for code in used]
        truth = np.argsort(np.argsort(names))[codes].astype(np.int64)
        names = sorted(names)
    if ids is not None:
        order = np.argsort(ids, kind="stable")
        return fingerprint(("rows", names, truth[order], ids[order]))
    return fingerprint(("rows", names, truth))


def rows_keys(batch: Batch) -> tuple[str, ...]:
    """Hashes by which a test set is recognised: that of its rows in any order, where they differ, and in this order."""
    from heldout.inputs.row_identity import row_hashes

    in_order = rows_fingerprint(batch)
    hashes = row_hashes(batch)
    return (in_order,) if hashes is None else (fingerprint(("set of rows", np.sort(hashes))), in_order)


def _digest(value: Any, above: tuple[int, ...]) -> bytes:
    """The hash of a value that lies inside the values `above`, by their identities."""
    if isinstance(value, np.generic) and not isinstance(value, np.void):
        value = value.item()
    if type(value) in SINGLE or isinstance(value, float):
        return _single(value)
    if id(value) in above or len(above) > 200:
        fix = "give parameters that do not hold the object itself"
        raise UsageError(f"a {type(value).__name__} refers to itself and has no hash", fix=fix)
    return _compound(value, (*above, id(value)))


def _single(value: Any) -> bytes:
    if isinstance(value, float):
        return _joined("float", struct.pack("<d", value))
    if isinstance(value, bytes | bytearray):
        return _joined("bytes", bytes(value))
    text = value if isinstance(value, str) else repr(value)
    return _joined(type(value).__name__, text.encode("utf-8", "surrogatepass"))


def _compound(value: Any, above: tuple[int, ...]) -> bytes:
    if isinstance(value, np.ndarray):
        return _array(value, above)
    if type(value) in (list, tuple):
        return _joined(type(value).__name__, *(_digest(one, above) for one in value))
    if isinstance(value, set | frozenset):
        return _joined("set", *sorted(_digest(one, above) for one in value))
    if isinstance(value, Mapping) and type(value).__module__ in ("builtins", "collections"):
        pairs = sorted((_digest(name, above), _digest(one, above)) for name, one in value.items())
        return _joined("mapping", *(part for pair in pairs for part in pair))
    if isinstance(value, Path):
        return _file(value)
    if isinstance(value, type | FunctionType | BuiltinFunctionType | MethodType | ModuleType | CodeType):
        return _named(value, above)
    if hasattr(value, "tocsr"):
        return _sparse(value, above)
    columns = _columns(value)
    return _object(value, above) if columns is None else _joined("frame", *columns)


def _joined(kind: str, *parts: bytes) -> bytes:
    """One hash of parts whose lengths are told, so that no two lists of parts run together alike."""
    whole = hashlib.sha256(kind.encode())
    for part in parts:
        whole.update(struct.pack("<q", len(part)))
        whole.update(part)
    return whole.digest()


def _array(values: Array, above: tuple[int, ...]) -> bytes:
    shape = np.asarray(values.shape, dtype="<i8").tobytes()
    if values.dtype.hasobject:
        column = _arrow_column(values.ravel())
        inside = column if column is not None else _digest(values.ravel().tolist(), above)
        return _joined("array", shape, inside)
    ordered = np.ascontiguousarray(values).astype(values.dtype.newbyteorder("<"), copy=False)
    return _joined("array", shape, str(ordered.dtype.descr).encode(), ordered.tobytes())


def _sparse(matrix: Any, above: tuple[int, ...]) -> bytes:
    rows = matrix.tocsr(copy=True)
    rows.sum_duplicates()
    places = (rows.indptr.astype(np.int64), rows.indices.astype(np.int64))
    return _joined("sparse", *(_digest(part, above) for part in (tuple(rows.shape), *places, rows.data)))


def _file(path: Path) -> bytes:
    whole = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while part := file.read(CHUNK):
                whole.update(part)
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise UsageError(f"{path} cannot be read: {reason}", code="H100", fix="check the path") from None
    return _joined("file", whole.digest())


def _columns(frame: Any) -> list[bytes] | None:
    """The hash of every column of a frame or series of any library; None where the value is none."""
    import narwhals as nw
    import pyarrow as pa

    found = nw.from_native(frame, pass_through=True, allow_series=True)
    if isinstance(found, nw.LazyFrame):
        found = found.collect()
    if isinstance(found, nw.Series):
        found = found.alias(str(found.name or "")).to_frame()
    if not isinstance(found, nw.DataFrame):
        return None
    table = found.to_arrow()
    hashes = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        whole = column.combine_chunks()
        array = pa.concat_arrays(whole.chunks) if isinstance(whole, pa.ChunkedArray) else whole
        hashes += [str(name).encode(), _arrow(array)]
    return hashes


def _arrow_column(values: Array) -> bytes | None:
    """The hash of an array of texts or other objects of one kind, without a loop over them; None where they differ."""
    import pyarrow as pa

    try:
        return _arrow(pa.array(values, from_pandas=False))
    except (pa.ArrowException, TypeError, OverflowError):
        return None


def _arrow(column: Any) -> bytes:
    """The hash of a column: which values are missing, and the others; how it is cut or padded does not count."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    gaps = np.packbits(column.is_null().to_numpy(zero_copy_only=False)).tobytes() if column.null_count else b""
    kind = str(column.type).replace("large_", "").replace("string_view", "string")
    size = struct.pack("<q", len(column))
    here = column.drop_null()
    if kind in ("string", "binary"):
        text = here.cast(pa.large_string() if kind == "string" else pa.large_binary())
        _, offsets, data = text.buffers()
        ends = np.frombuffer(offsets or b"", dtype=np.int64)[text.offset : text.offset + len(text) + 1]
        inside = memoryview(data or b"")[int(ends[0]) : int(ends[-1])] if len(ends) else b""
        return _joined("column", kind.encode(), size, gaps, (ends - ends[:1]).tobytes(), bytes(inside))
    if pa.types.is_nested(column.type):
        return _joined("column", kind.encode(), size, gaps, _digest(here.to_pylist(), ()))
    values = here.to_numpy(zero_copy_only=False)
    if values.dtype.hasobject:
        return _joined("column", kind.encode(), size, gaps, _digest([str(one) for one in values], ()))
    return _joined("column", kind.encode(), size, gaps, np.ascontiguousarray(values).tobytes())


def _named(value: Any, above: tuple[int, ...]) -> bytes:
    """Classes, functions and modules: by name, version and source; functions also by what they close over."""
    if isinstance(value, CodeType):
        inside = [value.co_code, value.co_names, value.co_varnames, value.co_freevars]
        return _joined("code", *(_digest(part, above) for part in (*inside, value.co_consts)))
    if isinstance(value, MethodType):
        return _joined("method", _digest(value.__func__, above), _digest(value.__self__, above))
    name = getattr(value, "__qualname__", value.__name__)
    place = getattr(value, "__module__", None) or ("" if isinstance(value, FunctionType) else value.__name__)
    parts = [f"{place}.{name}".encode(), _version(place), _sources(place)]
    if isinstance(value, FunctionType):
        parts += _function(value, above)
    if isinstance(value, type):
        parts += [part for one in value.__mro__[:-1] for part in _class(one, above)]
    return _joined("name", *parts)


def _function(made: FunctionType, above: tuple[int, ...]) -> list[bytes]:
    """A function's code, defaults, what it closes over and, in a script or notebook, the globals that it refers to."""
    cells = tuple(_hashable(cell.cell_contents, above) for cell in made.__closure__ or ())
    held = [made.__code__, made.__defaults__, made.__kwdefaults__, cells]
    if not _file_of(made.__module__):
        names = sorted(_names(made.__code__) & made.__globals__.keys())
        held += [(name, _hashable(made.__globals__[name], above)) for name in names]
    return [_digest(part, above) for part in held]


def _hashable(used: Any, above: tuple[int, ...]) -> Any:
    """What a function refers to: its hash, or its type's name where it has none, as a lock, or is being hashed."""
    try:
        return _digest(used, above)
    except UsageError:
        return type(used).__qualname__


def _names(code: CodeType) -> set[str]:
    """Every name that a function looks up outside itself, in the functions inside it too."""
    inside = (_names(const) for const in code.co_consts if isinstance(const, CodeType))
    return set(code.co_names).union(*inside)


def _class(kind: type, above: tuple[int, ...]) -> list[bytes]:
    """How a class is written: the version and text of its module, or in a script or notebook its functions."""
    if _file_of(kind.__module__):
        return [_version(kind.__module__), _sources(kind.__module__)]
    parts = []
    for name, held in sorted(vars(kind).items()):
        made = getattr(held, "__func__", getattr(held, "fget", held))  # behind classmethod, staticmethod, property
        if isinstance(made, FunctionType):
            parts += [name.encode(), *_function(made, above)]
        elif type(held) in SINGLE and not name.startswith("__"):
            parts += [name.encode(), _single(held)]
    return parts


def _version(module: str) -> bytes:
    """The version of the package that a module belongs to, and its files: another one may learn otherwise."""
    name = module.partition(".")[0]
    version = str(getattr(sys.modules.get(name), "__version__", "")).encode()
    return version + (_installed_files(name) if _file_of(module).startswith(INSTALLED) else b"")


INSTALLED = tuple({sysconfig.get_path(kind) for kind in ("stdlib", "platstdlib", "purelib", "platlib")})
CODE = (".py", ".so", ".pyd")


@cache
def _distributions() -> Mapping[str, list[str]]:
    """Package → what pip calls it; all that is installed is looked through once."""
    from importlib.metadata import packages_distributions

    return packages_distributions()


@cache
def _installed_files(package: str) -> bytes:
    """The files of an installed package with their hashes, as recorded by pip: two builds may share a version."""
    from importlib.metadata import distribution

    recorded = [file for name in _distributions().get(package, ()) for file in distribution(name).files or ()]
    lines = sorted({f"{file} {file.hash and file.hash.value}" for file in recorded if file.suffix in CODE})
    return hashlib.sha256("\n".join(lines).encode()).digest() if lines else b""


def _sources(module: str) -> bytes:
    """The text of a module and, outside installed packages, of every such module that it imports, at any depth.

    A learner's constant or helper may be edited between two runs without a change of any version.
    """
    waiting, texts = [module], {}
    while waiting:
        name = waiting.pop()
        path = _file_of(name)
        if name in texts or not path:
            continue
        texts[name] = _text(path)
        if not path.startswith(INSTALLED):
            waiting += _imported(vars(sys.modules[name]))
    return _joined("sources", *(part for name in sorted(texts) for part in (name.encode(), texts[name])))


def _imported(held: Mapping[str, Any]) -> set[str]:
    """The modules outside installed packages that a module's names come from."""
    found = {
        one.__name__ if isinstance(one, ModuleType) else str(getattr(one, "__module__", None) or "")
        for one in list(held.values())
        if isinstance(one, ModuleType | type | FunctionType)
    }
    return {name for name in found if not _file_of(name).startswith(INSTALLED)}


def _file_of(module: str | None) -> str:
    """The file of a module; "" for built-in modules, notebooks and scripts (mostly not about learners)."""
    return "" if module == "__main__" else getattr(sys.modules.get(module or ""), "__file__", None) or ""


def _text(path: str) -> bytes:
    """The hash of a module's file; a module that is compiled in or was deleted has none."""
    try:
        return hashlib.sha256(Path(path).read_bytes()).digest()
    except OSError:
        return b""


def _object(value: Any, above: tuple[int, ...]) -> bytes:
    """An object by its class and parameters: those it tells, or what pickling it would save."""
    if callable(getattr(value, "get_params", None)):
        return _joined("object", _named(type(value), above), _digest(dict(value.get_params(deep=False)), above))
    try:
        made = value.__reduce_ex__(4)
    except Exception as problem:  # noqa: BLE001 what cannot be pickled says so in many ways
        name = f"{type(value).__module__}.{type(value).__qualname__}"
        fix = "give it get_params(), or something that can be pickled"
        raise UsageError(f"a {name} has no parameters to hash: {problem}", fix=fix) from None
    if isinstance(made, str):
        return _joined("object", _named(type(value), above), made.encode())
    make, given, state, items, pairs = (*made, None, None, None)[:5]
    inside = (make, given, state, None if items is None else list(items), None if pairs is None else list(pairs))
    return _joined("object", _named(type(value), above), *(_digest(part, above) for part in inside))
