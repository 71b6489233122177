"""Every limit on inputs is met by a small file that would hurt without it, and says so in one form of words."""

from __future__ import annotations

import gzip
import io
import json
import struct
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path
from time import perf_counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import heldout
from heldout.errors import CODES, DataError
from heldout.inputs import limits
from heldout.inputs.formats.files import file_bytes, read_file
from heldout.inputs.formats.label_maps import read_label_maps
from heldout.inputs.formats.parallel_texts import read_segments
from heldout.search.candidates import candidates_in

SQUARE = [0, 0, 10, 0, 10, 10, 0, 10]


def too_much(place, count, limit, most=None):
    """The message of a limit that is exceeded."""
    allowed = limit.most if most is None else most
    return f"[H115] {place} has {count:,} {limit.what}, and the limit is {allowed:,}\n  Fix: {limit.fix}"


def bomb(path, head, line, size):
    """A gzip file that unpacks to a head and lines of `size` bytes: one packed part, many times."""
    lines = line * ((1 << 24) // len(line))
    path.write_bytes(gzip.compress(head) + gzip.compress(lines) * (size // len(lines)))
    return path


def test_every_limit_has_a_reason_and_a_remedy():
    assert "H115" in CODES
    assert all(limit.what and limit.why and limit.fix and limit.most >= 0 for limit in limits.LIMITS)
    assert {limit for limit in vars(limits).values() if isinstance(limit, limits.Limit)} == set(limits.LIMITS)


def test_a_gzip_bomb_is_not_unpacked(tmp_path, said):
    """3 MB would be 1.5 GB as text, and several times that as a table."""
    path = bomb(tmp_path / "bomb.csv.gz", b"y_true,y_pred\n", b"1,1\n", 1536 << 20)
    assert path.stat().st_size < 5 << 20
    for read in (read_file, lambda one: read_segments(one, {"a": one})):
        assert said(read, path) == too_much("bomb.csv.gz", (1 << 30) + (1 << 24), limits.UNPACKED)


def test_what_packs_well_is_read():
    """A dummy model's predictions pack 700 times; below a gigabyte that does not matter."""
    from heldout.inputs.formats.compression import unpacked

    rows = b"y_true,y_pred\n" + b"1,1\n" * 2_000_000
    packed = gzip.compress(rows)
    assert len(rows) > limits.UNPACKED_RATIO * len(packed)
    assert unpacked(packed, "dummy.csv.gz") == rows


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="the system has no such device")
def test_a_device_without_line_ends_is_left_after_one_piece():
    with pytest.raises(DataError, match=r"/dev/zero has 16,777,216 bytes in one line, and the limit is 8,388,608"):
        heldout.evaluate("/dev/zero")


def endless(text):
    """A process that reads standard input, which another one writes without an end; what it says, and its memory."""
    code = (
        "import heldout\n"
        "try: heldout.evaluate('-')\n"
        "except heldout.DataError as error: print(error.message)\n"
        "print(*(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    )
    with subprocess.Popen(["yes", text], stdout=subprocess.PIPE) as writer:
        read = subprocess.run([sys.executable, "-c", code], stdin=writer.stdout, capture_output=True, check=True)
        writer.kill()
    said, kilobytes = read.stdout.decode().splitlines()
    return said, int(kilobytes) // 1024


@pytest.mark.skipif(sys.platform != "linux", reason="the most memory of a process is read from /proc")
def test_a_stream_without_an_end_is_left_at_the_limit():
    said, megabytes = endless("1,0")
    most = (1 << 30) + (1 << 24)
    assert said == f"standard input has {most:,} bytes in a stream, and the limit is {1 << 30:,}"
    assert megabytes < 1500


def test_json_in_one_long_line_is_read_from_a_stream(monkeypatch):
    text = b'{"images": [' + b" " * (20 << 20) + b"]}"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert file_bytes("-") == ("-", text)


def test_an_archive_of_a_log_is_not_unpacked_beyond_the_limit(tmp_path, said):
    path = tmp_path / "bomb.eval"
    blanks = b" " * (1 << 26)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for sample in range(17):
            archive.writestr(f"samples/{sample}.json", b'{"id": 1, "scores": {"m": {"value": "C"}}}' + blanks)
    count = 17 * (len(blanks) + 42)
    assert said(heldout.evaluate, path, log="inspect") == too_much("bomb.eval", count, limits.UNPACKED)


def rows_of_one_group_repeated(path, rows, doublings):
    """A Parquet file whose footer lists the same rows many times."""
    ones = np.ones(rows, dtype=np.int64)
    pq.write_table(pa.table({"y_true": ones, "y_pred": ones}), path, row_group_size=rows)
    written, footer = path.read_bytes(), pq.read_metadata(path)
    for _ in range(doublings):
        footer.append_row_groups(footer)
    footer.write_metadata_file(path)
    data = written[: -8 - int.from_bytes(written[-8:-4], "little")]
    path.write_bytes(data + path.read_bytes()[4:])
    return path


def test_rows_that_a_footer_repeats_do_not_fill_the_memory(tmp_path, said):
    """A few megabytes hold a terabyte of rows: the footer lists the same ones 16,384 times."""
    path = rows_of_one_group_repeated(tmp_path / "rows.parquet", 1 << 22, 14)
    assert path.stat().st_size < 16 << 20
    message = too_much("rows.parquet", 16 << 36, limits.MEMORY, limits.machine_memory())
    assert said(read_file, path) == message


def test_rows_that_a_footer_repeats_are_read_in_chunks(tmp_path):
    """A small file may hold more rows than fit into memory: its size on disk does not decide."""
    path = rows_of_one_group_repeated(tmp_path / "rows.parquet", 1 << 20, 5)
    assert heldout.evaluate(path, memory="256M", metrics="accuracy").chunks > 1
    small = rows_of_one_group_repeated(tmp_path / "small.parquet", 1000, 1)
    assert heldout.evaluate(small, memory="256M", metrics="accuracy").chunks == 1


DEEP = "[" * 20_000 + "]" * 20_000


@pytest.mark.parametrize(
    ("name", "text", "read"),
    [
        ("rows.jsonl", f'{{"y_true": {DEEP}}}\n', heldout.evaluate),
        ("a.jsonl", f'{{"text": {DEEP}}}\n', lambda path: heldout.text(path, path)),
        ("truth.json", f'{{"images": {DEEP}}}', lambda path: heldout.detect(path, [])),
        ("masks.json", f'{{"annotations": {DEEP}}}', lambda path: heldout.masks(path, path)),
        ("log.json", f'{{"samples": {DEEP}}}', lambda path: heldout.evaluate(path, log="inspect")),
        ("samples.jsonl", f'{{"doc_id": {DEEP}}}\n', lambda path: heldout.evaluate(path, log="lm-eval")),
        ("scores.json", f'{{"a": {DEEP}}}', heldout.compare_fold_scores),
        (
            "frozen.json",
            f'{{"threshold": {DEEP}}}',
            lambda path: heldout.evaluate([0, 1], [0.1, 0.9], threshold_from=path),
        ),
    ],
    ids=lambda one: one if isinstance(one, str) and len(one) < 20 else "",
)
def test_json_that_is_nested_deeply_does_not_end_the_process(file, said, name, text, read):
    """JSON lines of this depth are a segmentation fault in Arrow's reader; others exhaust the stack of Python."""
    place = f"line 1 of {name}" if name == "samples.jsonl" else name
    assert said(read, file(name, text)) == too_much(place, 20_001, limits.NESTING)


@pytest.mark.parametrize(
    ("text", "depth"),
    [
        (f"a = {DEEP}", 20_000),
        ("a = " + "{b = " * 5000 + "1" + "}" * 5000, 5000),
        (".".join("a" * 300) + " = 1", 300),
        ("a = [\n" + '"]",# ]\n[' * 300 + "]" * 301, 302),
    ],
)
def test_toml_that_is_nested_deeply(file, said, text, depth):
    path = file("c.toml", text)
    assert said(candidates_in, path) == too_much(path, depth, limits.NESTING)


def test_lines_that_have_one_name_each_do_not_make_a_square_of_cells(file, said):
    """Half a megabyte: 40,000 names in 40,000 lines took 40 gigabytes."""
    path = file("sparse.jsonl", "".join(f'{{"k{at}": 1}}\n' for at in range(40_000)))
    assert said(heldout.evaluate, path) == too_much("sparse.jsonl", 40_000**2, limits.CELLS)
    escaped = file("sparse.jsonl", "".join(f'{{"\\u006b{at}" :1}}\n' for at in range(40_000)))
    assert said(heldout.evaluate, escaped) == too_much("sparse.jsonl", 40_000**2, limits.CELLS)


def test_lines_that_lack_some_names_are_read(file):
    lines = [{"y_true": at % 2, "y_pred": at % 2, f"k{at % 50}": "a:b"} for at in range(2000)]
    path = file("rows.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    assert heldout.evaluate(path)["accuracy"].value == 1


def test_a_header_of_many_columns(file, said):
    """Two megabytes of commas took minutes and gigabytes."""
    path = file("wide.csv", "y_true" + "," * 300_000 + "\n1" + "," * 300_000 + "\n")
    message = too_much("wide.csv", 300_001, limits.COLUMNS)
    assert said(heldout.evaluate, path) == message
    assert said(heldout.evaluate, path, memory="1K") == message
    assert said(heldout.evaluate, path, engine="local") == message


def test_long_names_of_columns_and_classes(file, said):
    long = "x" * 200_000
    path = file("a.csv", f"y_true,y_pred,{long}\n1,1,1\n")
    message = too_much("the header of a.csv", 200_000, limits.LABEL)
    assert said(heldout.evaluate, path) == said(heldout.evaluate, path, engine="local") == message
    path = file("a.csv", f"y_true,y_pred\n{long},a\na,a\nb,b\n")
    assert said(heldout.evaluate, path) == too_much("a class of y_true", 200_000, limits.LABEL)


def test_a_line_that_is_longer_than_a_block(file, said):
    head, cells = ",".join(f"c{at}" for at in range(1000)), ",".join(["x" * 20_000] * 1000)
    path = file("a.csv", f"y_true,y_pred,{head}\n1,1,{cells}\n0,0{',' * 1000}\n")
    assert said(heldout.evaluate, path, engine="local") == too_much("a.csv", 20_001_004, limits.LINE)
    path = file("a.csv", "y_true," + "0" * (1 << 23))
    assert said(heldout.evaluate, path, engine="local") == too_much("a.csv", (1 << 23) + 1, limits.LINE)


def test_what_is_wrong_with_a_long_line_is_found_in_time(file, said):
    """Reading it piece by piece took a time that grew with the square of its length: minutes for 20 MB."""
    path = file("a.csv", f"y_true,y_pred,note\n1,1,a\n0,0,{'x' * 20_000_000}\n1,0,b\n")
    began = perf_counter()
    assert said(heldout.evaluate, path, engine="local") == (
        "[H100] line 3 of a.csv holds a field of more than 131,072 characters\n"
        "  Fix: look for a quote that is not closed before that line"
    )
    assert perf_counter() - began < 20  # 1 second; 60 when it was quadratic


def test_too_many_classes(file, said):
    path = file("a.csv", "," * 10_001 + "\n")
    assert said(heldout.evaluate_confusion, path) == too_much("a.csv", 10_001, limits.CLASSES)
    codes = np.arange(40_000).reshape(200, 200) * 1000
    assert said(read_label_maps, codes, {"net": codes}) == too_much("image 1 of the truth", 40_000, limits.CLASSES)


def png(width, height):
    """A picture that says how large it is, with the pixels of its first rows."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(10_000))) + chunk(b"IEND", b"")
    )


def test_a_picture_of_many_pixels_is_not_decoded(file, said):
    path = file("map.png", png(100_000, 100_000))
    assert path.stat().st_size < 200
    assert said(heldout.masks, path, path) == too_much("map.png", 10**10, limits.PIXELS)


def test_an_array_that_claims_many_pixels_is_not_made(file, said):
    head = b"{'descr': '|u1', 'fortran_order': False, 'shape': (1000000, 1000000), }".ljust(117) + b"\n"
    path = file("map.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + bytes(64))
    assert said(heldout.masks, path, path) == "[H100] map.npy is not a valid NPY file\n  Fix: save it again"
    head = head.replace(b"1000000, 1000000", b"16384, 17408    ")
    bomb(path, b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head, b"\0", 17 << 24)
    assert path.stat().st_size < 300_000  # what is packed is unpacked, whatever its name
    assert said(heldout.masks, path, path) == too_much("map.npy", 17 << 24, limits.PIXELS)


def scene(outline, width, height):
    image = {"id": 1, "width": width, "height": height}
    line = {"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 9, 9], "area": 81, "segmentation": outline}
    truth = {"images": [image], "categories": [{"id": 1, "name": "cat"}], "annotations": [line]}
    return truth, [{**line, "score": 0.9}]


def test_masks_of_an_image_that_claims_to_be_large(said):
    truth, net = scene([SQUARE], 100_000, 100_000)
    assert said(heldout.masks, truth, net) == too_much("image 1", 10**10, limits.PIXELS)
    assert heldout.detect(truth, net, iou_type="masks", n_resamples=100)["AP"].value == pytest.approx(1)
    truth, net = scene([SQUARE], 10**7, 10)
    assert said(heldout.detect, truth, net, iou_type="masks") == too_much("an image of the truth", 10**7, limits.SIDE)


def test_an_outline_that_crosses_a_large_image_again_and_again(said):
    """Fourteen numbers took as many points as the image is wide, times 5, for each of them."""
    truth, net = scene([[0, 0, 999_999, 1] * 5], 1_000_000, 100)
    count = 5 * 10 * 999_999 + 10
    assert said(heldout.detect, truth, net, iou_type="masks") == too_much(
        "annotation 1 (id 1, image 1)", count, limits.OUTLINE
    )


def test_masks_of_many_runs_together(said, monkeypatch):
    monkeypatch.setattr("heldout.boxes.mask_overlap.RUNS", limits.Limit(what="x", most=1000, why="", fix="y"))
    truth, net = scene([[0, 0, 9999, 0, 9999, 50, 0, 50]], 10_000, 100)
    assert said(heldout.detect, truth, net, iou_type="masks") == (
        "[H115] the truth has 19,998 x, and the limit is 1,000\n  Fix: y"
    )


def test_ter_of_a_line_of_thousands_of_words_is_refused():
    from heldout.language.sacre import ter_columns

    short, long = " ".join("ab" * 25), " ".join("ab" * 1500)
    assert ter_columns([short], [[short]])["edits"].tolist() == [0]
    for hypotheses, references in (([short, long], [[short], [short]]), ([short, short], [[short], [short, long]])):
        with pytest.raises(DataError) as caught:
            ter_columns(hypotheses, references)
        assert str(caught.value) == (
            "[H115] segment 2 has 3,000 words, with the metric ter, and the limit is 1,000\n"
            "  Fix: leave ter out of metrics=, or write one sentence or paragraph per line"
        )
