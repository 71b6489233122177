"""Rankings take memory: of more than 30 classes none is ranked against the rest, and that is said."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import heldout


@pytest.fixture
def folder(tmp_path):
    def made(classes):
        rng = np.random.default_rng(classes)
        chances = rng.dirichlet(np.ones(classes), 400)
        columns = {"y_true": np.append(np.arange(classes), rng.integers(0, classes, 400 - classes))}
        columns |= {f"p_{k}": chances[:, k] for k in range(classes)}
        table = pa.table(columns)
        for part in range(2):
            pq.write_table(table.slice(200 * part, 200), tmp_path / f"{part}.parquet")
        return tmp_path

    return made


@pytest.mark.parametrize(("classes", "ranked"), [(30, True), (31, False)])
def test_many_classes_are_not_ranked(folder, classes, ranked):
    found = heldout.evaluate(folder(classes), truth="y_true", prob_prefix="p_", engine="local")
    assert ("roc_auc" in next(iter(found.classes.values()))) == ranked
    assert "recall" in next(iter(found.classes.values()))
    said = "left out, because rows are read in chunks: {}roc_auc of each class, average_precision of each class;"
    several = [check.text for check in found.checks if "of each class" in check.text]
    assert len(several) == (0 if ranked else 1)
    names = "roc_auc_ovr, roc_auc_ovo, ece, rms_calibration_error_debiased, "
    assert ranked or several[0].startswith(said.format(names))
