"""Unpacks what is stored compressed, up to a size: 91 kB can declare to be 6 GB."""

import lzma

import zstandard

from runner.input_files import MEGABYTE, in_megabytes

# More than the largest text or stream that is ever stored: those of cases and answers have limits of their own.
LARGEST_STORED = 256 * MEGABYTE
# An xz file may demand gigabytes for its dictionary alone; that of `xz -9` takes 65 MB.
_LARGEST_DICTIONARY = 128 * MEGABYTE


class DamagedError(ValueError):
    """Bytes that cannot be unpacked, or would be larger than the limit; the message says which."""


def inflated(data: bytes, decompressor: zstandard.ZstdDecompressor, limit: int = LARGEST_STORED) -> bytes:
    """Return the content of one zstd frame that declares its size, as ours do. Raises DamagedError.

    The decompressor allocates what the frame declares, so that is compared with the limit first.
    """
    try:
        size = zstandard.get_frame_parameters(data).content_size
        if size == zstandard.CONTENTSIZE_UNKNOWN:
            raise DamagedError("its compressed bytes do not declare their size")
        if size > limit:
            raise DamagedError(f"it would unpack to more than {in_megabytes(limit)}")
        return decompressor.decompress(data)
    except zstandard.ZstdError as error:
        raise DamagedError(f"it cannot be unpacked: {error}") from None


def unpacked_xz(data: bytes, limit: int = LARGEST_STORED) -> bytes:
    """Return the content of an xz file, of all its streams. Raises DamagedError."""
    pieces, left = list[bytes](), limit + 1
    try:
        while data:
            decompressor = lzma.LZMADecompressor(memlimit=_LARGEST_DICTIONARY)
            pieces.append(decompressor.decompress(data, left))
            left -= len(pieces[-1])
            if left <= 0:
                raise DamagedError(f"it would unpack to more than {in_megabytes(limit)}")
            if not decompressor.eof:
                raise DamagedError("it ends within its compressed bytes")
            # Streams are padded with zero bytes.
            data = decompressor.unused_data.lstrip(b"\0")
    except lzma.LZMAError as error:
        raise DamagedError(f"it cannot be unpacked: {error}") from None
    return b"".join(pieces)
