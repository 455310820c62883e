"""A repository as coding agents get it: in a folder of their own, with a mark in the hole, and nowhere else."""

import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from runner.execution.copies import installed_in
from runner.execution.repository_judge import Judge
from runner.suites.completion.forms import Seen
from suts.agent_parts import WorkingFolder

# Of the system, which agents see, and of the interpreter that runs this program.
_PREFIXES = (Path("/usr"), Path("/usr/local"), Path(sys.base_prefix), Path(sys.prefix))
_SITES = ("lib/python3*/site-packages", "lib/python3*/dist-packages", "lib64/python3*/site-packages")


@dataclass(frozen=True, slots=True)
class AgentProject:
    """The texts of a repository's files by path, and where else they could be read."""

    texts: Mapping[str, str]
    hidden: tuple[Path, ...]

    def folder(self, seen: Seen, case_id: str, number: int) -> WorkingFolder:
        """Return the folder of an attempt: with the mark in the hole, and without copies of the file."""
        whole = self.texts[seen.path]
        others = {path: text for path, text in self.texts.items() if text != whole}
        return WorkingFolder({**others, seen.path: seen.marked}, case_id, number, hidden=self.hidden)


def project_of(judge: Judge) -> AgentProject:
    """Return the repository of a judge."""
    texts = {path: file.read().decode("utf-8", "surrogateescape") for path, file in judge.files.items()}
    return AgentProject(texts, (*judge.hidden, *_installed(judge.files)))


def _installed(paths: Collection[str]) -> tuple[Path, ...]:
    """Return the installed packages and modules that a repository with files at these paths has, too."""
    return tuple(sorted({place for site in _sites() for place in installed_in(paths, site)}))


def _sites() -> Iterator[Path]:
    for prefix in dict.fromkeys(_PREFIXES):
        for pattern in _SITES:
            yield from prefix.glob(pattern)
