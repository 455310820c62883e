"""Commits to replay: each one within the limits of `evals nextedit` becomes a bundle."""

import hashlib
from collections.abc import Iterator

from runner.mine.case import Case, CaseKind, MiningRefusal, MiningSource, Touching
from runner.suites.nextedit.bundles import bundle_text
from runner.suites.nextedit.commits import Commit, Limits, read_commit
from runner.syntax import LANGUAGES, language_of


def look(source: MiningSource, commit: Touching) -> Iterator[Case | MiningRefusal]:
    """One bundle or one refusal."""
    limits = Limits(max_bytes=source.files.max_bytes)
    if len(commit.changes) > limits.max_files:
        yield MiningRefusal.TOO_MANY_FILES
    elif not any(source.files.language(change.new_path) for change in commit.changes):
        yield MiningRefusal.LANGUAGE if commit.changes else MiningRefusal.NO_CHANGE
    else:
        read = read_commit(source.repository, commit.sha, limits, project=source.project, changes=commit.changes)
        yield _bundle(read) if isinstance(read, Commit) else MiningRefusal(str(read.reason))


NEXT_EDIT = CaseKind("commits", (), look, LANGUAGES)


def _bundle(commit: Commit) -> Case:
    text = bundle_text(commit)
    file = f"{commit.case_id}.json"
    texts = repr([(touched.path, touched.before, touched.after) for touched in commit.files])
    key = hashlib.sha256(texts.encode("utf-8", "surrogatepass")).digest()
    languages = {language_of(touched.path) for touched in commit.files}
    about = {"file": file, "edits": len(commit.edits)}
    return Case(key, tuple(sorted(filter(None, languages))), lambda _number: {file: text.encode("utf-8")}, about)
