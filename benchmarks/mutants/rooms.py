"""The parts of the package whose tests are themselves tested: what computes, compares and decides."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
COMPARISONS = (
    "paired_difference", "unpaired_difference", "model_pair", "permutation", "many_models", "repeated_looks",
    "subgroup_differences",
)  # fmt: skip
ROOMS = {
    "formulas": ("formulas/*.py",),
    "intervals": ("intervals/*.py",),
    "stats": ("stats/*.py",),
    "compare": tuple(f"verbs/compare/{name}.py" for name in COMPARISONS),
    "judgement": ("verbs/judgement.py", "verbs/gate.py"),
}
DECIDING = {
    "src/heldout/verbs/gate.py": (
        "gate", "check_budget", "_two_models", "_acceptable", "_sensible", "_deciding", "_noise", "_left_out",
        "_hurdle", "_toward_better", "_decision", "_rows_needed", "_worst",
    ),
}  # fmt: skip
"""Of a file that also draws, records or hands on: the functions that decide."""
TESTS = (
    "tests/formulas", "tests/intervals", "tests/stats", "tests/estimates", "tests/verbs/compare",
    "tests/verbs/test_judgement.py", "tests/verbs/test_gate.py", "tests/metrics", "tests/laws/test_slopes.py",
    "tests/laws/test_peers.py", "src/heldout/formulas", "src/heldout/intervals",
    "src/heldout/stats", "src/heldout/verbs/compare", "src/heldout/verbs/judgement.py", "src/heldout/verbs/gate.py",
)  # fmt: skip


def files_of(room: str) -> list[str]:
    """The source files of a room; packages' `__init__` files only say what is public."""
    paths = [path for pattern in ROOMS[room] for path in sorted((ROOT / "src" / "heldout").glob(pattern))]
    return [str(path.relative_to(ROOT)) for path in paths if path.name != "__init__.py"]


def own_tests(file: str) -> tuple[str, ...]:
    """How the names of a file's own tests begin: its doctests, and the test files that mirror it."""
    path = Path(file).relative_to("src/heldout")
    return file, str(Path("tests") / path.parent / f"test_{path.stem}")
