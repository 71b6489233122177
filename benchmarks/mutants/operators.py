"""All mutants of a source file: one operator, constant, argument or statement changed at a time."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

SWAPPED_OPERATORS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_PAIRS = (
    ("min", "max"), ("minimum", "maximum"), ("any", "all"), ("floor", "ceil"), ("argmin", "argmax"), ("sf", "cdf"),
    ("ppf", "isf"), ("nanmin", "nanmax"), ("less", "greater"), ("left", "right"), ("low", "high"), ("lower", "upper"),
    ("lower", "higher"), ("first", "second"),
)  # fmt: skip
SWAPPED_WORDS = {word: other for pair in _PAIRS for word, other in (pair, pair[::-1])}
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass(frozen=True)
class Mutant:
    """One change to one file."""

    file: str
    function: str
    """Qualified name of the function that is changed, or of the class or <module>."""
    scopes: tuple[ast.AST, ...]
    """Functions around the change, from the outermost in; empty at module level."""
    lines: tuple[int, int]
    """First and last line of the statement, without the body of a compound one."""
    line: int
    operator: str
    before: str
    after: str
    number: int
    """Which of several equal changes in the same function."""
    apply: Callable[[], Callable[[], None]]
    """Changes the tree of the file in place, and returns what changes it back."""

    @property
    def name(self) -> str:
        """Same as long as the function's other lines may change and this one does not."""
        again = f" #{self.number}" if self.number else ""
        return f"{self.file} {self.function}: {self.before} -> {self.after}{again}"


@dataclass
class _Place:
    """Where the walk through a tree is."""

    scopes: tuple[ast.AST, ...] = ()
    names: tuple[str, ...] = ()
    statement: ast.stmt | None = None
    parent: ast.AST | None = None


def mutants_of(path: Path, root: Path) -> tuple[ast.Module, list[Mutant]]:
    """The tree of a file, and the mutants that change it in place."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    file = str(path.relative_to(root))
    seen: Counter[tuple[str, ...]] = Counter()
    mutants = []
    for place, node, operator, shown, change in _changes(tree):
        before = ast.unparse(shown)
        undo = change()
        # Only the statement's own text: an operator may show itself by removing the node that is shown.
        after = "(removed)" if operator == "remove statement" else ast.unparse(shown)
        undo()
        function = ".".join(place.names) or "<module>"
        number = seen[function, before, after]
        seen[function, before, after] += 1
        assert place.statement is not None
        mutant = Mutant(
            file, function, place.scopes, _own_lines(place.statement), getattr(node, "lineno", shown.lineno),
            operator, *_shortened(before, after), number, change,
        )  # fmt: skip
        mutants.append(mutant)
    return tree, mutants


Undo = Callable[[], None]
Change = tuple[_Place, ast.AST, str, ast.AST, Callable[[], Undo]]


def _changes(tree: ast.Module) -> Iterator[Change]:
    stack: list[tuple[ast.AST, _Place]] = [(tree, _Place())]
    while stack:
        node, place = stack.pop()
        if _left_out(node, place):
            continue
        for operator, shown, change in _of_node(node, place.parent):
            yield place, node, operator, shown, change
        stack += [(child, below) for child, below in _children(node, place)][::-1]


def _left_out(node: ast.AST, place: _Place) -> bool:
    """What decides nothing: types, imports, docstrings, assertions that only tell mypy, lists of public names."""
    if isinstance(node, ast.Import | ast.ImportFrom | ast.Assert | ast.JoinedStr):
        return True
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True
    if isinstance(node, ast.Assign):
        return any(isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets)
    if isinstance(node, ast.Call):  # what they are given decides nothing: how much is cached, names, types
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        return called in {"dataclass", "TypeVar", "NewType", "cast", "wraps", "lru_cache"}
    if isinstance(node, ast.keyword) and node.arg == "strict":  # of zip: it only raises where the code is wrong
        return True
    if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Literal":
        return True
    return isinstance(place.parent, ast.If) and ast.unparse(place.parent.test) == "TYPE_CHECKING"


def _children(node: ast.AST, place: _Place) -> Iterator[tuple[ast.AST, _Place]]:
    named = isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    for field, value in ast.iter_fields(node):
        if field in {"annotation", "returns", "type_params"}:
            continue
        inside = isinstance(node, SCOPES) and field == "body"
        names = place.names
        if named and field == "body":
            names = (*names, node.name)
        elif inside:
            names = (*names, "<lambda>")
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                scopes = (*place.scopes, node) if inside else place.scopes
                statement = child if isinstance(child, ast.stmt) else place.statement
                yield child, _Place(scopes, names, statement, node)


def _of_node(node: ast.AST, parent: ast.AST | None) -> Iterator[tuple[str, ast.AST, Callable[[], Undo]]]:
    if isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign) and type(node.op) in SWAPPED_OPERATORS:
        yield "swap operator", node, _setting(node, "op", SWAPPED_OPERATORS[type(node.op)]())
    elif isinstance(node, ast.Compare):
        yield from _of_comparison(node)
    elif isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.UAdd):
        yield "remove sign", node, _becoming(node, node.operand)
    elif isinstance(node, ast.Constant):
        yield from _of_constant(node, parent)
    elif isinstance(node, ast.Call):
        yield from _of_call(node)
    elif isinstance(node, ast.Attribute | ast.Name):
        yield from _of_name(node, parent)
    elif isinstance(node, ast.If | ast.While | ast.IfExp):
        yield from _negated(node.test)
    elif isinstance(node, ast.comprehension):
        for test in node.ifs:
            yield from _negated(test)
    elif isinstance(node, ast.Expr):
        yield "remove statement", node, _becoming(node, ast.copy_location(ast.Pass(), node))
    elif isinstance(node, ast.Break | ast.Continue):
        other = ast.Pass() if isinstance(node, ast.Break) else ast.Break()
        yield "swap loop control", node, _becoming(node, ast.copy_location(other, node))


def _of_comparison(node: ast.Compare) -> Iterator[tuple[str, ast.AST, Callable[[], Undo]]]:
    for at, operator in enumerate(node.ops):
        yield "swap comparison", node, _setting_item(node.ops, at, SWAPPED_OPERATORS[type(operator)]())


def _of_name(
    node: ast.Attribute | ast.Name, parent: ast.AST | None
) -> Iterator[tuple[str, ast.AST, Callable[[], Undo]]]:
    """Another function is called."""
    field = "attr" if isinstance(node, ast.Attribute) else "id"
    if isinstance(parent, ast.Call) and parent.func is node and getattr(node, field) in SWAPPED_WORDS:
        yield "swap function", parent, _setting(node, field, SWAPPED_WORDS[getattr(node, field)])


def _negated(test: ast.expr) -> Iterator[tuple[str, ast.AST, Callable[[], Undo]]]:
    """The other branch, unless another operator gives the same."""
    swapped = isinstance(test, ast.Compare) and isinstance(
        test.ops[0], ast.Eq | ast.NotEq | ast.Is | ast.IsNot | ast.In | ast.NotIn
    )
    if not swapped and not isinstance(test, ast.UnaryOp) and ast.unparse(test) != "TYPE_CHECKING":
        yield "negate condition", test, _becoming(test, ast.copy_location(ast.UnaryOp(ast.Not(), test), test))


def _of_constant(node: ast.Constant, parent: ast.AST | None) -> Iterator[tuple[str, ast.AST, Callable[[], Undo]]]:
    shown = parent if isinstance(parent, ast.expr | ast.keyword | ast.slice) else node
    if isinstance(node.value, bool):
        yield "swap constant", shown, _setting(node, "value", not node.value)
    elif isinstance(node.value, int | float):
        yield "add 1", shown, _setting(node, "value", node.value + 1)
    # A string with a space is text for a reader: tests of messages compare it whole. Others are names and keys.
    elif isinstance(node.value, str) and node.value and " " not in node.value:
        yield "change string", shown, _setting(node, "value", SWAPPED_WORDS.get(node.value, f"XX{node.value}"))


def _of_call(node: ast.Call) -> Iterator[tuple[str, ast.AST, Callable[[], Undo]]]:
    for at, keyword in enumerate(node.keywords):
        if keyword.arg != "strict":
            yield "remove argument", node, _removing(node.keywords, at)
    if len(node.args) > 1 and not isinstance(node.args[-1], ast.Starred):
        yield "remove argument", node, _removing(node.args, len(node.args) - 1)


def _setting(node: ast.AST, field: str, value: object) -> Callable[[], Undo]:
    def change() -> Undo:
        before = getattr(node, field)
        setattr(node, field, value)
        return lambda: setattr(node, field, before)

    return change


def _setting_item(items: list, at: int, value: object) -> Callable[[], Undo]:
    def change() -> Undo:
        before = items[at]
        items[at] = value
        return lambda: items.__setitem__(at, before)

    return change


def _removing(items: list, at: int) -> Callable[[], Undo]:
    def change() -> Undo:
        before = items.pop(at)
        return lambda: items.insert(at, before)

    return change


def _becoming(node: ast.AST, other: ast.AST) -> Callable[[], Undo]:
    """The node takes the class and the fields of another one, so that whatever holds it need not be known."""

    def change() -> Undo:
        kind, fields = type(node), dict(vars(node))
        taken = dict(vars(other))
        if any(value is node for value in taken.values()):  # the new node contains the old one
            inner = kind.__new__(kind)
            vars(inner).update(fields)
            taken = {name: inner if value is node else value for name, value in taken.items()}
        node.__class__ = type(other)
        vars(node).clear()
        vars(node).update(taken)

        def undo() -> None:
            node.__class__ = kind
            vars(node).clear()
            vars(node).update(fields)

        return undo

    return change


def _own_lines(statement: ast.stmt) -> tuple[int, int]:
    """The lines of a statement, without those of the statements in it."""
    body = getattr(statement, "body", None)
    decorators = getattr(statement, "decorator_list", None) or [statement]
    first = min(decorators[0].lineno, statement.lineno)
    last = body[0].lineno - 1 if body else statement.end_lineno or statement.lineno
    return first, max(last, statement.lineno)


def _shortened(before: str, after: str, most: int = 90) -> tuple[str, str]:
    """Both texts in one line each; of long ones what is around the first difference."""
    before, after = " ".join(before.split()), " ".join(after.split())
    if max(len(before), len(after)) <= most:
        return before, after
    same = next((at for at, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]), 0)
    start = max(0, same - most // 2)
    return tuple(
        f"{'…' if start else ''}{text[start : start + most]}{'…' if len(text) > start + most else ''}"
        for text in (before, after)
    )
