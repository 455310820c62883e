"""How a variant's model calls tools: `xml` in its text, or `native`, beside it.

A prompt is worded otherwise for native calls, since it describes no tags. So it is on record as `native/NAME`, and that
name alone states how its answers call tools.
"""

XML, NATIVE = "xml", "native"
CALLS = (XML, NATIVE)
# What reads the answers of native variants.
NATIVE_PARSER = "native-calls"
_PREFIX = f"{NATIVE}/"
# What the name of an edit tool begins with that is a program of the user's; its command follows.
EXEC = "exec:"


def calls_of(prompt: str) -> str:
    """Return how the answers to a prompt call tools."""
    return NATIVE if prompt.startswith(_PREFIX) else XML


def native_name(prompt: str) -> str:
    """Return the name on record of a prompt as it is worded for native calls."""
    return f"{_PREFIX}{prompt}"


def plain_name(prompt: str) -> str:
    """Return the name of a prompt, however its answers call tools."""
    return prompt.removeprefix(_PREFIX)


def is_foreign(tool: str) -> bool:
    """Return whether the name of an edit tool, or that of its prompt or parser, is a command."""
    return tool.startswith(EXEC)
