"""Wire formats, which decode the bytes of a stream into events, by the name stored with the stream."""

from suts.sut import Wire
from suts.wires.agent import AgentWire
from suts.wires.anthropic_messages import AnthropicMessagesWire
from suts.wires.google_generate import GoogleGenerateWire
from suts.wires.local import LocalText
from suts.wires.openai_chat import OpenAiChatWire
from suts.wires.openai_responses import OpenAiResponsesWire
from suts.wires.plain import PlainText
from suts.wires.reported import ReportedText
from suts.wires.whole import WholeAnswerWire, chat_events, message_events, response_events

_WIRES: tuple[Wire, ...] = (
    OpenAiChatWire(),
    OpenAiResponsesWire(),
    AnthropicMessagesWire(),
    GoogleGenerateWire(),
    PlainText(),
    LocalText(),
    ReportedText(),
    AgentWire(),
    WholeAnswerWire(OpenAiChatWire(), chat_events),
    WholeAnswerWire(OpenAiResponsesWire(), response_events),
    WholeAnswerWire(AnthropicMessagesWire(), message_events),
)

WIRES: dict[str, Wire] = {wire.name: wire for wire in _WIRES}
