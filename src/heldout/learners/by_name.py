"""Learners: what has fit and predict, by object, by import path such as `sklearn.svm:SVC(C=10)`, and by name."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from inspect import isroutine
from pathlib import Path
from types import ModuleType
from typing import Any

from heldout.errors import FAULTS_OF_USER_CODE, UsageError, did_you_mean
from heldout.inputs.formats.files import is_file
from heldout.optional_packages import OPTIONAL, require

EXAMPLE = "sklearn.linear_model:LogisticRegression, sklearn.svm:SVC(C=10) or models.py:pipeline"


def learners_named(given: Any) -> dict[str, Any]:
    """Learners by name: a dict as it is; one or several others under the names of their classes, told apart by number.

    >>> class Majority:
    ...     def fit(self, X, y): ...
    ...     def predict(self, X): ...
    >>> list(learners_named([Majority(), Majority()]))
    ['Majority', 'Majority 2']
    """
    if isinstance(given, Mapping):
        found = {str(name): learner for name, learner in given.items()}
    else:
        found = {}
        for learner in given if isinstance(given, Sequence) and not isinstance(given, str) else [given]:
            name = _spoken(learner)
            alike = sum(other == name or other.startswith(f"{name} ") for other in found)
            found[name if not alike else f"{name} {alike + 1}"] = learner
    if not found:
        raise UsageError("there is no learner", fix="give one learner or several")
    return {name: _learner(learner, name) for name, learner in found.items()}


def _spoken(learner: Any) -> str:
    """What a learner is called: the name of its class; of a pipeline, that of its last step."""
    if isinstance(learner, str):
        return learner.partition(":")[2] or learner
    steps = getattr(learner, "steps", None)
    if isinstance(steps, list) and steps and type(learner).__name__ == "Pipeline":
        return type(steps[-1][1]).__name__
    return learner.__name__ if isinstance(learner, type) else type(learner).__name__


def _learner(given: Any, name: str) -> Any:
    found = learner_at(given) if isinstance(given, str) else given
    if isinstance(found, type):
        try:
            found = found()
        except FAULTS_OF_USER_CODE as error:
            fix = "give an object, or its parameters in brackets"
            raise UsageError(f"{name} cannot be made without parameters: {_said(error)}", fix=fix) from error
    _can_learn(found, name)
    return found


def _can_learn(found: Any, name: str) -> None:
    """Refuse what has no fit or no predict."""
    lacking = [verb for verb in ("fit", "predict") if not callable(getattr(found, verb, None))]
    if lacking:
        raise UsageError(
            f"{_of_type(name, found)} has no {' and no '.join(lacking)}",
            fix="give something with fit(X, y) and predict(X)",
        )


def _of_type(name: str, found: Any) -> str:
    if isinstance(found, type):
        return f"the class {name}"
    kind = type(found).__name__
    return f"{name} is of type {kind} and" if name != kind else f"an object of type {kind}"


def learner_at(path: str) -> Any:
    """What an import path names: `module:name`, `file.py:name`, with parameters in brackets `module:Name(C=0.1)`.

    It imports the module, and calls what has brackets: a class with fit and predict, or a function that makes one.

    >>> learner_at("subprocess:run(args=['ls'])")
    Traceback (most recent call last):
    heldout.errors.UsageError: subprocess belongs to Python's standard library, which has no learners
      Fix: write module:name, as in sklearn.linear_model:LogisticRegression, sklearn.svm:SVC(C=10) or models.py:pipeline
    """
    place, colon, rest = path.partition(":")
    if not colon or not place or not rest:
        before, dot, last = place.rpartition(".")
        meant = f"{before}:{last}, " if dot and not colon and not place.endswith(".py") else ""
        raise UsageError(f"{path!r} is not an import path", fix=f"write module:name, as in {meant}{EXAMPLE}")
    name, bracket, _ = rest.partition("(")
    _not_of_the_standard_library(place, place)
    module = _module(place, path)
    found: Any = module
    for part in name.strip().split("."):
        if not hasattr(found, part):
            names = [one for one in vars(found) if not one.startswith("_")] if hasattr(found, "__dict__") else []
            raise UsageError(f"{place} has no {part!r}{did_you_mean(part, names)}", fix=f"check {path!r}")
        found = getattr(found, part)
        _not_of_the_standard_library(f"{place}:{name.strip()}", _home(found))
    if isinstance(found, type):
        _can_learn(found, name)  # before it is called: making something else may do harm
    if not bracket:
        return found
    parameters = _parameters(rest, path)
    try:
        return found(**parameters)
    except FAULTS_OF_USER_CODE as error:
        fix = "check the names and values of its parameters"
        raise UsageError(f"{path!r} cannot be made: {_said(error)}", fix=fix) from error


def _home(found: Any) -> str:
    """The module that a module, class or function is of; packages also have those that they import, such as os."""
    if isinstance(found, ModuleType):
        return found.__name__
    return str(getattr(found, "__module__", "") or "") if isinstance(found, type) or isroutine(found) else ""


def _not_of_the_standard_library(what: str, module: str) -> None:
    """Refuse what cannot be a learner and may do harm when it is called, such as subprocess.Popen."""
    if module.partition(".")[0] in sys.stdlib_module_names:
        message = f"{what} belongs to Python's standard library, which has no learners"
        raise UsageError(message, fix=f"write module:name, as in {EXAMPLE}")


def _module(place: str, path: str) -> ModuleType:
    if place.endswith(".py"):
        return _from_file(Path(place))
    try:
        return importlib.import_module(place)
    except ModuleNotFoundError as error:
        _lacking(place, error, own=place)
        raise UsageError(
            f"there is no module {place!r} (in {path!r})", fix=f"write an import path, as in {EXAMPLE}"
        ) from error
    except FAULTS_OF_USER_CODE as error:
        raise UsageError(f"{place} cannot be imported: it raised {_said(error)}", fix="correct the module") from error


def _lacking(place: str, error: ModuleNotFoundError, own: str = "") -> None:
    """Refuse where a module imports a package that is not installed, with the command that installs it."""
    package = str(error.name or "").partition(".")[0]
    if package in OPTIONAL:
        require(package, f"{place} needs")
    if error.name and not own.startswith(error.name):
        raise UsageError(f"{place} needs {error.name}, which is not installed", fix="install it") from error


def _from_file(file: Path) -> ModuleType:
    """The module in a file, known by its own name, so that other processes can load what it defines."""
    if not is_file(file):
        raise UsageError(f"there is no file {file}", code="H100", fix="check the path and the folder it starts from")
    name, folder = file.stem, str(file.resolve().parent)
    loaded = sys.modules.get(name)
    if loaded is not None and getattr(loaded, "__file__", None) == str(file.resolve()):
        return loaded
    if folder not in sys.path:
        sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location(name, file.resolve())
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except FAULTS_OF_USER_CODE as error:
        del sys.modules[name]
        sys.modules |= {} if loaded is None else {name: loaded}
        if isinstance(error, ModuleNotFoundError):
            _lacking(str(file), error)
        raise UsageError(f"{file} raised {_said(error)}", fix="correct the file") from error
    _sent_whole(module)
    return module


def _sent_whole(module: ModuleType) -> None:
    """Let other processes get what the module defines, also those that began before its folder was known."""
    for pickler in ("cloudpickle", "joblib.externals.cloudpickle"):  # older versions of joblib bring their own
        with suppress(ImportError):
            importlib.import_module(pickler).register_pickle_by_value(module)


def _said(error: BaseException) -> str:
    """An exception in one line; that of a TypeError, which names the parameter, speaks for itself."""
    reason = " ".join(str(error).split())[:300]
    return reason if type(error) is TypeError else f"{type(error).__name__}: {reason}"


def _parameters(rest: str, path: str) -> dict[str, Any]:
    """The parameters in brackets: plain values by name."""
    wrong = UsageError(
        f"the parameters of {path!r} are not understood", fix="write plain values by name, as in SVC(C=10)"
    )
    try:
        call = ast.parse(rest, mode="eval").body
        found = {word.arg: ast.literal_eval(word.value) for word in getattr(call, "keywords", [])}
    except (SyntaxError, ValueError) as error:
        raise wrong from error
    if not isinstance(call, ast.Call) or call.args or None in found:
        raise wrong
    return {str(name): value for name, value in found.items()}
