"""A sum over many tasks as a tree, for engines that hand out futures: few tasks under way, few totals in one place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from heldout.engines import Progress

Future = Any
FAN = 8
"""How many totals are added up by one worker at a time."""
TASKS = 4096
"""A large table is processed in at most this many runs of file chunks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hands:
    """What an engine must be able to do with futures, which stay where they were made."""

    start: Callable[[Any], Future]
    """Begin a task."""
    join: Callable[[list[Future]], Future]
    """Begin to add up what some futures will be."""
    wait: Callable[[list[Future]], list[Future]]
    """Those of the futures that are finished, at least one; raises the error of one that failed."""
    at_once: int
    """How many tasks are under way at most."""


def tree_sum(
    tasks: Sequence[Any], hands: Hands, *, weights: Sequence[int] = (), progress: Progress | None = None
) -> Future:
    """The future of the sum over all tasks.

    Neighbours are added up as soon as they are there, so that no place ever holds more than a few totals, and always
    the same neighbours, so that a sum does not depend on who was faster. `weights` is what each task counts as for
    the progress.

    >>> done = Hands(start=lambda task: [task], join=lambda some: [sum(one[0] for one in some)],
    ...              wait=lambda some: some[:1], at_once=3)
    >>> tree_sum(range(100), done)
    [4950]
    """
    sizes = _sizes(len(tasks))
    made: dict[tuple[int, int], Future] = {}
    running: list[tuple[tuple[int, int], Future]] = []
    begun = seen = 0
    while True:
        while begun < len(tasks) and sum(level == 0 for (level, _), _ in running) < hands.at_once:
            running.append(((0, begun), hands.start(tasks[begun])))
            begun += 1
        finished = {id(future) for future in hands.wait([future for _, future in running])}
        for place, future in [one for one in running if id(one[1]) in finished]:
            made[place] = future
            if place[0] == 0 and progress is not None:
                seen += weights[place[1]] if weights else 1
                progress(seen, sum(weights) if weights else len(tasks))
            if place[0] == len(sizes) - 1:
                return future
        running = [one for one in running if id(one[1]) not in finished]
        for parent, children in _full(made, sizes):
            running.append((parent, hands.join([made.pop(child) for child in children])))


def all_done(futures: Sequence[Future], hands: Hands, progress: Progress | None = None) -> None:
    """Wait until all futures are finished; raises the error of one that failed."""
    left = list(futures)
    while left:
        done = {id(one) for one in hands.wait(left)}
        left = [one for one in left if id(one) not in done]
        if progress is not None:
            progress(len(futures) - len(left), len(futures))


def _sizes(tasks: int) -> list[int]:
    """How many totals each level of the tree has: FAN of one are one of the next."""
    sizes = [tasks]
    while sizes[-1] > 1:
        sizes.append(-(-sizes[-1] // FAN))
    return sizes


def _full(
    made: dict[tuple[int, int], Future], sizes: Sequence[int]
) -> list[tuple[tuple[int, int], list[tuple[int, int]]]]:
    """The places whose totals are all there below, with the places of these."""
    found = []
    for level, group in {(level, at // FAN) for level, at in made}:
        children = [(level, at) for at in range(group * FAN, min((group + 1) * FAN, sizes[level]))]
        if all(child in made for child in children):
            found.append(((level + 1, group), children))
    return found
