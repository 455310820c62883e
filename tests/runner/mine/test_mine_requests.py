"""Commit messages as requests: what is kept of them, and which ask for nothing."""

import pytest

from runner.mine.case import CaseRefusedError, MiningRefusal
from runner.mine.requests import is_version_bump, request_of


@pytest.mark.parametrize(
    "message, request_",
    [
        pytest.param("Fix the sum\n", "Fix the sum", id="subject"),
        pytest.param("Fix\n\nIt was off by one.\n- really\n", "Fix\n\nIt was off by one.\n- really", id="body"),
        pytest.param("Fix \r\n\r\nmore\r\n", "Fix\n\nmore", id="carriage-returns"),
        pytest.param("Fix it\n\nSigned-off-by: Ada <ada@example.org>\n", "Fix it", id="signed"),
        pytest.param("Fix it\n\nco-authored-by: Ada\nChange-Id: I12\nCc: Bob\n", "Fix it", id="several-trailers"),
        pytest.param("Fix it\n\ngit-svn-id: https://x/trunk@12 abc\n", "Fix it", id="subversion"),
        pytest.param("fix: count by: name\n", "fix: count by: name", id="no-trailer"),
        pytest.param("Merge adjacent spans\n", "Merge adjacent spans", id="merging-other-things"),
        pytest.param("Release the lock\n", "Release the lock", id="releasing-other-things"),
        pytest.param("Überprüfe Länge\n", "Überprüfe Länge", id="beyond-ascii"),
    ],
)
def test_a_message_is_a_request_without_its_trailers(message: str, request_: str) -> None:
    assert request_of(message) == request_


@pytest.mark.parametrize(
    "message, reason",
    [
        pytest.param("", MiningRefusal.NO_MESSAGE, id="empty"),
        pytest.param(" \n\n", MiningRefusal.NO_MESSAGE, id="blank"),
        pytest.param("...\n", MiningRefusal.NO_MESSAGE, id="dots"),
        pytest.param("Signed-off-by: Ada <ada@example.org>\n", MiningRefusal.NO_MESSAGE, id="only-a-trailer"),
        pytest.param("Merge branch 'x' into main\n", MiningRefusal.MERGE, id="merge-of-a-branch"),
        pytest.param("Merge pull request #1 from a/b\n\nFix\n", MiningRefusal.MERGE, id="merge-of-a-request"),
        pytest.param('Revert "Fix it"\n\nThis reverts commit 12.\n', MiningRefusal.REVERT, id="revert"),
        pytest.param("fixup! Fix it\n", MiningRefusal.FIXUP, id="fixup"),
        pytest.param("Bump version to 1.2.3\n", MiningRefusal.VERSION_BUMP, id="bump"),
    ],
)
def test_a_message_that_asks_for_nothing_is_refused(message: str, reason: MiningRefusal) -> None:
    with pytest.raises(CaseRefusedError) as refused:
        request_of(message)

    assert refused.value.reason is reason


@pytest.mark.parametrize(
    "subject",
    [
        "1.2.3",
        "v1.2",
        "v2",
        "Bump version",
        "bump version: 1.2.3 → 1.2.4",
        "Bump up version to 2.0.0-rc.1",
        "chore(release): 1.2.3",
        "chore: release v1.2.3",
        "Release 1.0.0b1",
        "Update version to 1.2",
        "version 3.4.5",
        "Bump requests from 2.1 to 2.2",
        "chore(deps): bump lodash from 4.1.1 to 4.2",
    ],
)
def test_a_subject_that_speaks_of_a_version_only_is_a_bump(subject: str) -> None:
    assert is_version_bump(subject)


@pytest.mark.parametrize(
    "subject",
    ["version 1", "Fix version", "Read v2 files", "Support Python 3.12", "Update", "Add --version", "Fix issue 1.2"],
)
def test_a_subject_that_speaks_of_more_is_none(subject: str) -> None:
    assert not is_version_bump(subject)
