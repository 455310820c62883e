"""What is stored packed is unpacked up to a size; what is damaged or a bomb is refused in one line."""

import gzip
import lzma
import zipfile
from pathlib import Path

import pytest
import zstandard

from runner.errors import InputError
from runner.inflating import LARGEST_STORED, DamagedError, inflated, unpacked_xz
from runner.input_files import LineLimits
from runner.jsonl import each_row, read_rows
from runner.storage.store import Store
from runner.storage.streams import Packed, pack, unpack
from runner.suites.codrep.ranker.model import LARGEST_ARRAYS, load
from suts.sut import Received
from tests.runner.hostile_files import bomb

UNPACKER = zstandard.ZstdDecompressor()


def test_a_frame_is_unpacked_up_to_its_limit() -> None:
    data = zstandard.ZstdCompressor().compress(b"a" * 1000)

    assert inflated(data, UNPACKER, 1000) == b"a" * 1000
    with pytest.raises(DamagedError, match="more than"):
        inflated(data, UNPACKER, 999)


def test_a_frame_without_a_size_is_none_of_ours() -> None:
    packer = zstandard.ZstdCompressor().compressobj()

    with pytest.raises(DamagedError, match="do not declare their size"):
        inflated(packer.compress(b"a") + packer.flush(), UNPACKER)


@pytest.mark.parametrize("data", [b"", b"nonsense", zstandard.ZstdCompressor().compress(b"a" * 1000)[:-4]])
def test_bytes_that_are_no_whole_frame_are_damaged(data: bytes) -> None:
    with pytest.raises(DamagedError):
        inflated(data, UNPACKER)


def test_a_text_that_is_a_bomb_is_refused(store: Store) -> None:
    text_id = store.put_text("x" * 1000)
    store.update("texts", {"text_id": text_id}, {"content": bomb(LARGEST_STORED + (1 << 20))})

    with pytest.raises(InputError, match=r"evals\.db: a text is damaged \(it would unpack to more than 256 MB\)"):
        store.text(text_id)


def test_a_text_that_is_no_utf8_is_refused(store: Store) -> None:
    text_id = store.put_text("short")
    store.update("texts", {"text_id": text_id}, {"content": b"\xff"})

    with pytest.raises(InputError, match="a text is damaged"):
        store.text(text_id)


def test_a_stream_that_is_a_bomb_is_refused() -> None:
    with pytest.raises(DamagedError, match="it would unpack to more than 256 MB"):
        unpack(Packed(1, 1, bomb(LARGEST_STORED + (1 << 20))), UNPACKER)


@pytest.mark.parametrize(
    "pieces, data, why",
    [
        pytest.param(10**12, b"\x00\x00", "ends within its times", id="more pieces than there are"),
        pytest.param(1, b"\xff" * 100_000, "more than 64 bits", id="an endless number"),
        pytest.param(1, b"\x00\x05ab", "lengths that it declares", id="too few bytes"),
        pytest.param(1, b"\x00\x01ab", "lengths that it declares", id="too many bytes"),
    ],
)
def test_a_stream_with_wrong_times_or_lengths_is_refused(pieces: int, data: bytes, why: str) -> None:
    packed = zstandard.ZstdCompressor().compress(data)

    with pytest.raises(DamagedError, match=why):
        unpack(Packed(pieces, len(data), packed), UNPACKER)


def test_a_stream_comes_back_as_it_was() -> None:
    stream = [Received(1000, b"a"), Received(5000, b"bc"), Received(10**18, b"")]

    assert list(unpack(pack(stream, 0, zstandard.ZstdCompressor()), UNPACKER)) == stream


def test_an_xz_file_is_unpacked_up_to_its_limit() -> None:
    data = lzma.compress(b"a" * 1000) + lzma.compress(b"b" * 10)

    assert unpacked_xz(data, 1010) == b"a" * 1000 + b"b" * 10
    for wrong, limit in ((data, 1009), (data[:-3], 1010), (b"nonsense", 10)):
        with pytest.raises(DamagedError):
            unpacked_xz(wrong, limit)


def test_an_xz_file_with_a_huge_dictionary_is_refused() -> None:
    filters = [
        {"id": lzma.FILTER_LZMA2, "dict_size": 1 << 28, "mode": lzma.MODE_FAST, "nice_len": 4, "mf": lzma.MF_HC3}
    ]

    with pytest.raises(DamagedError, match=r"[Mm]emory"):
        unpacked_xz(lzma.compress(b"a" * 100, filters=filters), 1000)


def test_a_gzip_bomb_ends_at_the_limits(tmp_path: Path) -> None:
    line, many = tmp_path / "line.jsonl.gz", tmp_path / "many.jsonl.gz"
    line.write_bytes(gzip.compress(b"1" * 100_000))
    many.write_bytes(gzip.compress(b"{}\n" * 100_000))
    limits = LineLimits(line=1000, total=10_000)

    with pytest.raises(InputError, match="line 1 is longer than"):
        list(each_row(line, limits))
    with pytest.raises(InputError, match="limit for a file of lines"):
        list(each_row(many, limits))
    assert len(list(read_rows(many))) == 100_000


def test_a_model_that_is_a_bomb_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("layout.npy", "w") as member:
        for _ in range((LARGEST_ARRAYS >> 20) + 1):
            member.write(bytes(1 << 20))

    with pytest.raises(InputError, match="arrays are larger than 256 MB"):
        load(path)
