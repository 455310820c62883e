"""A variant: one choice of system, edit tool, prompt, parser and diff algorithm, and the signature that names it."""

from dataclasses import dataclass

# The parser of coding agents' answers: the reading of an answer as a tree. A new reading gets a new name.
AGENT_READING = "agent-tree-v1"
# The prompt of coding agents that fill a hole: parse chains read what they put there, as they do what models answer.
AGENT_HOLE = "completion/agent"


def of_agent(prompt: str, parser: str) -> bool:
    """Return whether the answers to a prompt, read by a parser, are those of coding agents."""
    return parser == AGENT_READING or prompt == AGENT_HOLE


@dataclass(frozen=True, slots=True)
class Variant:
    """What a row of `variants` holds; "" where a suite has no such part.

    `unsent` are the parameters, comma-separated, that the run has for the system but does not send. `edit_tool` is ""
    for the XML tool that edits by SEARCH/REPLACE blocks, and where a suite has no edits.
    """

    sut: str
    prompt: str
    parser: str
    diff_algorithm: str
    prompt_digest: str
    parser_digest: str
    algorithm_digest: str
    endpoint: str
    simulated: bool
    unsent: str = ""
    edit_tool: str = ""

    def signature(self, suite: str, cases_digest: str, version: str) -> str:
        """Return the text that names all parts; two results can be compared if it differs only in the part studied."""
        parts = (
            suite,
            self.sut,
            _at(self.prompt, self.prompt_digest),
            _at(self.parser, self.parser_digest),
            _at(self.diff_algorithm, self.algorithm_digest),
            f"cases@{cases_digest}",
            version,
            *([f"without {self.unsent}"] if self.unsent else []),
            *([f"edit tool {self.edit_tool}"] if self.edit_tool else []),
        )
        return "|".join(parts)


def _at(name: str, digest: str) -> str:
    return f"{name}@{digest}" if digest else name
