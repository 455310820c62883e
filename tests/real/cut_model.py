"""Cuts a language model in a GGUF file to its first layer: it writes nonsense, quickly, with its real tokenizer.

Usage: cut_model.py SOURCE TARGET [MARKS], where MARKS are three tokens of the vocabulary, comma-separated, that the
new file declares as the marks of fill-in-the-middle: prefix, suffix, middle. Run by the interpreter of the servers.
"""

import re
import sys

from gguf import GGUFReader, GGUFValueType, GGUFWriter  # type: ignore[import-not-found]  # installed for servers alone

_LATER_LAYER = re.compile(r"blk\.[1-9]\d*\.")
_MARKS = ("pre", "suf", "mid")


def cut(source: str, target: str, marks: list[str]) -> None:
    """Write the model with one layer."""
    reader = GGUFReader(source)
    architecture = reader.fields["general.architecture"].contents()
    writer = GGUFWriter(target, architecture)
    for name, field in reader.fields.items():
        if name.startswith("GGUF.") or name == "general.architecture":
            continue
        value = 1 if name == f"{architecture}.block_count" else field.contents()
        kind = field.types[0]
        writer.add_key_value(name, value, kind, sub_type=field.types[-1] if kind == GGUFValueType.ARRAY else None)
    vocabulary = reader.fields["tokenizer.ggml.tokens"].contents() if marks else []
    for name, mark in zip(_MARKS, marks, strict=False):
        writer.add_uint32(f"tokenizer.ggml.fim_{name}_token_id", vocabulary.index(mark))
    for tensor in reader.tensors:
        if not _LATER_LAYER.match(tensor.name):
            writer.add_tensor(tensor.name, tensor.data, raw_shape=tensor.data.shape, raw_dtype=tensor.tensor_type)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    cut(sys.argv[1], sys.argv[2], [mark for marks in sys.argv[3:] for mark in marks.split(",")])
