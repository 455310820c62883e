"""Wire formats: what turns the bytes of a stream into events, by the name stored beside the stream."""

from suts.sut import Wire
from suts.wires.openai_chat import OpenAiChatWire
from suts.wires.plain import PlainText

WIRES: dict[str, Wire] = {wire.name: wire for wire in (OpenAiChatWire(), PlainText())}
