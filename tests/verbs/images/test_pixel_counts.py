"""Pixels by pairs of classes, and what classes in few images say of a mean over classes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as of_numpy
from sklearn.metrics import confusion_matrix

from heldout.estimates.text_corpora import jackknife_logit
from heldout.inputs.formats.label_maps import counted_pairs, read_label_maps
from heldout.tallies.cells import Cells
from heldout.verbs.images.masks import judged_cells
from heldout.verbs.images.pixel_counts import class_influences, class_spread, image_counts, label_cells, without_each
from heldout.verbs.settings import Settings
from tests.simulations.bounds import at_least, at_most

CODES = st.sampled_from([0, 1, 7, 255, 60_000])


@settings(max_examples=50)
@given(of_numpy.arrays(np.int64, (5, 6), elements=CODES), of_numpy.arrays(np.int64, (5, 6), elements=CODES))
def test_pairs_of_classes_are_those_of_the_confusion_matrix(truth, said):
    found, codes = counted_pairs(truth, said), [0, 1, 7, 255, 60_000]
    matrix = np.zeros((5, 5), dtype=int)
    matrix[np.searchsorted(codes, found.truth), np.searchsorted(codes, found.prediction)] = found.pixels
    assert matrix.tolist() == confusion_matrix(truth.ravel(), said.ravel(), labels=codes).tolist()


def test_maps_are_read_one_at_a_time(tmp_path, monkeypatch):
    """At no time is more than one image of the truth and of each model in memory."""
    from heldout.inputs.formats import label_map_files

    for side in ("truth", "net"):
        (tmp_path / side).mkdir()
        for image in range(5):
            np.save(tmp_path / side / f"{image}.npy", np.full((4, 4), image % 2))
    order, real = [], label_map_files.read_map
    monkeypatch.setattr(
        label_map_files, "read_map", lambda path: (order.append(f"{path.parent.name}/{path.stem}"), real(path))[1]
    )
    read = read_label_maps(tmp_path / "truth", {"net": tmp_path / "net"})
    assert order == [f"{side}/{image}" for image in range(5) for side in ("truth", "net")]
    (cells,) = label_cells(read).values()
    assert cells.rows.sum() == 80
    assert [source.path for source in read.sources] == [str(tmp_path / "truth"), str(tmp_path / "net")]


def rare(images, rng, chance=0.05):
    """Four classes, the last in a twentieth of the images: pixels by truth, prediction and image."""
    present, quality = np.array([1, 0.5, 0.3, chance]), np.array([0.9, 0.85, 0.85, 0.7])
    there = rng.random((images, 4)) < present
    share = np.where(there, rng.gamma(2.0, size=there.shape), 0.0) + np.eye(4)[0]
    pixels = rng.multinomial(4096, share / share.sum(axis=1, keepdims=True))
    right = rng.binomial(pixels, rng.beta(6 * quality, 6 * (1 - quality), (images, 4)))
    counts = np.zeros((images, 4, 4))
    for k in range(4):
        where = np.array([0.6, 0.2, 0.15, 0.05])
        where[k] = 0
        counts[:, k] = rng.multinomial((pixels - right)[:, k], where / where.sum())
        counts[:, k, k] = right[:, k]
    return counts


def as_cells(counts):
    unit, truth, said = np.nonzero(counts)
    return Cells(
        classes=4, truth=truth, prediction=said, rows=counts[unit, truth, said], unit=unit, units=len(counts)
    )  # fmt: skip


def iou_of(counts):
    whole = counts.sum(axis=0)
    right = np.diag(whole)
    return right / (whole.sum(axis=0) + whole.sum(axis=1) - right)


def test_influences_are_the_change_without_an_image():
    counts = rare(400, np.random.default_rng(1), chance=0.4)
    added = image_counts(as_cells(counts))
    for times in (1, 2):
        values, moved = class_influences(added, times, 4)
        without = without_each(added)
        again = times * without["tp"] / (times * without["tp"] + without["fp"] + without["fn"])
        assert moved == pytest.approx(values - again, abs=2e-4)
    assert class_influences(added, 1, 4)[0] == pytest.approx(iou_of(counts))


@pytest.mark.simulation
def test_coverage_of_mean_iou_with_a_rare_class():
    rng, names, held, alone = np.random.default_rng(2), tuple("0123"), [], []
    truth = iou_of(rare(40_000, rng))
    for _ in range(120):
        counts = rare(30, rng)
        cells = as_cells(counts)
        found = judged_cells({"net": cells}, names, Settings(level=0.95, draws=50, seed=0)).estimates["net"]["mean_iou"]
        there = counts.sum(axis=(0, 1)) + counts.sum(axis=(0, 2)) > 0
        held.append(found.low <= truth[there].mean() <= found.high)
        without = without_each(image_counts(cells))
        with np.errstate(invalid="ignore"):
            each = np.nanmean(without["tp"] / (without["tp"] + without["fp"] + without["fn"]), axis=1)
        low, high = jackknife_logit(found.value, each, 0.95)
        alone.append(low <= truth[there].mean() <= high)
    print(f"covered {np.mean(held):.3f}, jackknife alone {np.mean(alone):.3f}")
    assert at_least(0.93, 120) <= np.mean(held) <= at_most(0.99, 120)
    assert np.mean(alone) < 0.87


def test_classes_in_many_images_change_nothing():
    counts = rare(3000, np.random.default_rng(3), chance=0.5)
    added = image_counts(as_cells(counts))
    _, moved = class_influences(added, 1, 4)
    spread = class_spread(1, added, 4)
    assert spread.error == pytest.approx(np.sqrt(np.sum(moved.mean(axis=1) ** 2)), rel=0.01)
    assert spread.freedom > 500
