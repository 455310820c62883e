"""What gates say, for CI: a JUnit file, and a summary and annotations for GitHub; foreign text cannot steer either."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, tostring

from runner.console import harmless
from runner.errors import InputError
from runner.report.gates import GateResult, GateVerdict

# What has no meaning in Markdown or HTML.
_PLAIN = re.compile(r"[^a-zA-Z0-9 .,%/+=-]")
_NOT_PASSED = {GateVerdict.FAILED, GateVerdict.INCONCLUSIVE}


def gate_line(result: GateResult) -> str:
    """Return a line for people."""
    return f"{result.verdict}: {result.gate}: run {result.run_id}, {result.variant}: {result.reason}"


def is_missed(results: Sequence[GateResult], *, strict: bool) -> bool:
    """Return whether a gate failed; with `strict` also whether one is inconclusive."""
    return any(_is_failure(result, strict=strict) for result in results)


def write_junit(results: Sequence[GateResult], path: Path, *, strict: bool) -> None:
    """Write a test case for each gate and variant. Raises InputError where the file cannot be written."""
    cases = [(result, _is_failure(result, strict=strict)) for result in results]
    skipped = sum(result.verdict is GateVerdict.INCONCLUSIVE and not fails for result, fails in cases)
    counts = {"tests": str(len(cases)), "failures": str(sum(fails for _, fails in cases)), "skipped": str(skipped)}
    root = Element("testsuites", {"name": "evals", **counts})
    suite = SubElement(root, "testsuite", {"name": "evals gates", "errors": "0", **counts})
    for result, fails in cases:
        names = {"classname": f"{result.run_id}.{result.gate}", "name": result.variant}
        case = SubElement(suite, "testcase", {name: harmless(value) for name, value in names.items()})
        if fails or result.verdict is GateVerdict.INCONCLUSIVE:
            SubElement(case, "failure" if fails else "skipped", {"message": harmless(result.reason)})
        else:
            SubElement(case, "system-out").text = harmless(result.reason)
    try:
        path.write_bytes(tostring(root, encoding="utf-8", xml_declaration=True))
    except OSError as error:
        raise InputError(f"--junit {path}: cannot be written ({error.strerror}); name another file") from error


def append_summary(results: Sequence[GateResult], title: str, path: Path) -> None:
    """Add a table of Markdown to the file of a step's summary. Raises InputError where it cannot be written."""
    lines = [f"## {_markdown(title)}", "", "| verdict | gate | run | variant | figure |", "|---|---|---|---|---|"]
    for result in results:
        cells = (result.verdict, result.gate, result.run_id, result.variant, result.reason)
        lines.append("| " + " | ".join(map(_markdown, cells)) + " |")
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write("\n".join([*lines, "", ""]))
    except OSError as error:
        raise InputError(f"--github: {path} cannot be written ({error.strerror}); see $GITHUB_STEP_SUMMARY") from error


def annotations(results: Sequence[GateResult], *, strict: bool) -> Iterator[str]:
    """Yield a workflow command for each gate that did not pass; with `strict` inconclusive ones are errors, too."""
    for result in results:
        if result.verdict in _NOT_PASSED:
            command = "error" if _is_failure(result, strict=strict) else "warning"
            title = _command_text(f"evals {result.gate} {result.verdict}", properties=True)
            message = _command_text(f"run {result.run_id}, {result.variant}: {result.reason}")
            yield f"::{command} title={title}::{message}"


def _is_failure(result: GateResult, *, strict: bool) -> bool:
    return result.verdict in (_NOT_PASSED if strict else {GateVerdict.FAILED})


def _markdown(text: str) -> str:
    """Return a text that is shown as it is: what may have a meaning becomes a character reference."""
    return _PLAIN.sub(lambda match: f"&#{ord(match[0])};", harmless(text))


def _command_text(text: str, *, properties: bool = False) -> str:
    """Return a text as workflow commands escape it."""
    escaped = harmless(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return escaped.replace(":", "%3A").replace(",", "%2C") if properties else escaped
