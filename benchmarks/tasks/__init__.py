"""Everything that is timed, by name."""

from __future__ import annotations

from benchmarks.task import Task
from benchmarks.tasks.comparisons import PAIRED_AREAS
from benchmarks.tasks.detections import FIGURES_ALONE, FIGURES_DRAWN
from benchmarks.tasks.labels import LABELS, STRINGS
from benchmarks.tasks.learners import OVERHEAD
from benchmarks.tasks.probabilities import LOSSES
from benchmarks.tasks.ranking import AREA, OVER_CLASSES, PRECISION, SINGLE_AREA
from benchmarks.tasks.resampling import AREA_DRAWN, F1_DRAWN, F1_MACRO_DRAWN
from benchmarks.tasks.texts import BLEU_DRAWN, BLEU_PAIRED
from benchmarks.tasks.whole import WHOLE

TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        LABELS,
        STRINGS,
        AREA,
        SINGLE_AREA,
        PAIRED_AREAS,
        AREA_DRAWN,
        F1_DRAWN,
        F1_MACRO_DRAWN,
        PRECISION,
        LOSSES,
        OVER_CLASSES,
        FIGURES_ALONE,
        FIGURES_DRAWN,
        BLEU_DRAWN,
        BLEU_PAIRED,
        WHOLE,
        OVERHEAD,
    )
}
