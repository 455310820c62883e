"""Foreign text on a page: nothing of it runs, leads anywhere, or hides."""

import base64
import hashlib
import re
from pathlib import Path

import pytest

from runner.console import harmless
from runner.pages.rendering import rendered
from runner.records import Outcome
from runner.storage.runs import CaseRow
from runner.storage.store import Store
from tests.runner.made_runs import Made, make_run, plan, variant
from tests.runner.pages.html_reading import Node, read
from tests.runner.pages.made_pages import document, page, three_models
from tests.runner.real_runs import real_run
from tests.runner.suites.made_cases import block, call

# Each is planted with the name of its place, so that it can be found again.
PAYLOADS = {
    "element": "<script>alert('{0}')</script>",
    "attribute": "{0}\" onmouseover=alert(1) x='",
    "link": "javascript:alert('{0}')",
    "comment": "{0}--><img src=x onerror=alert(1)>",
    "style": "{0}</style><style>*{{display:none}}</style>",
    "template": "{{{{ {0} }}}}{{% raw %}}",
    "entity": "&lt;{0}&#x3c;script&gt;",
    "bidi": "{0}\u202egnp.exe\u2066\u200f",
    "control": "{0}\x1b[2J\x00\r\x08\x9b",
    "hidden": "{0}\u200b\u00ad\ufeff\u3164\U000e0041\u00a0",
}
PLACES = ("model", "prompt", "case", "path", "error", "answer", "endpoint", "name", "note", "reason", "upstream")
TAGS = {
    *("html", "head", "meta", "title", "style", "body", "a", "header", "h1", "h2", "h3", "nav", "main", "article", "p"),
    *(
        "section",
        "div",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "svg",
        "path",
        "circle",
        "rect",
        "text",
        "g",
        "bdi",
    ),
    *("figure", "figcaption", "ul", "ol", "li", "span", "strong", "code", "details", "summary", "pre", "footer", "dl"),
    *("dt", "dd", "mark"),
}


def hostile(store: Store, payload: str) -> None:
    """A run in which every text that others write is the payload."""
    text = {place: PAYLOADS[payload].format(place) for place in PLACES}
    case = CaseRow(text["case"], "digest", path=text["path"], language=text["path"], source=text["path"])
    skipped = CaseRow(f"skipped {text['case']}", "digest", skipped=text["reason"])
    models = [variant(f"{text['model']}{n}", text["prompt"], algorithm) for n in (1, 2) for algorithm in ("v4", "v1")]
    planned = plan([case, CaseRow("b", "digest of b"), skipped], models)
    make_run(store, "r1", planned)
    store.update("runs", {"run_id": "r1"}, {"name": text["name"], "note": text["note"]})
    store.update("variants", {"run_id": "r1"}, {"endpoint": text["endpoint"]})
    made = Made(store)
    for model in {one.sut for one in models}:
        for case_id in (text["case"], "b"):
            lane = made.lane(case_id, model, text["prompt"])
            upstream = text["upstream"]
            answer = made.answer(lane, 1, text["answer"], upstream=upstream, served_model=upstream, first_edit_ms=5.0)
            made.scoring(answer, Outcome.NO_MATCH, error_text=text["error"])
            made.scoring(answer, Outcome.APPLIED, diff_algorithm="v1", equals_expected=False)
            made.answer(lane, 2, None, outcome="sut_error", error_text=text["error"])


def is_inert(root: Node) -> None:
    for node in root.all():
        assert node.tag in TAGS
        assert not [name for name in node.attributes if name.startswith("on") or name in {"style", "src", "srcset"}]
        for name in ("href", "xlink:href", "action", "formaction"):
            assert node.attributes.get(name, "#").startswith("#")


def is_visible(html: str) -> None:
    hidden = {character for character in html if not character.isprintable()} - {"\n"}
    assert not hidden | ({"\u3164", "\u115f", "\u2800"} & set(html))


@pytest.mark.parametrize("payload", PAYLOADS)
def test_nothing_that_others_write_runs_or_hides(store: Store, payload: str) -> None:
    hostile(store, payload)

    html = rendered(page(store))
    root = read(html)

    is_inert(root)
    is_visible(html)
    assert len(list(root.all("style"))) == 1


def test_what_others_write_is_all_there_to_be_read(store: Store) -> None:
    hostile(store, "element")

    text = document(store).text

    planted = set(PLACES) - {"path"}
    assert {place for place in planted if f"<script>alert('{place}')</script>" in text} == planted


@pytest.mark.parametrize("payload", PAYLOADS)
def test_an_edit_is_shown_as_text(store: Store, tmp_path: Path, payload: str) -> None:
    text = PAYLOADS[payload].format("search")
    answers = {"one": [call(block(f"one\n{text}\nthree", text)), call(block("two", text)), f"{text}\n<x>"]}
    real_run(store, tmp_path / "cases", answers, quota=2)

    html = rendered(page(store))
    root = read(html)

    is_inert(root)
    is_visible(html)
    shown = harmless(text)
    failures = root.by_id("failures")
    assert [cell.text for cell in failures.all("td")][::2] == ["one", shown, "three"]
    assert f"SEARCH\none\n{shown}\nthree\n=======\n{shown}\n+++++++ REPLACE" in failures.text


def test_characters_that_reorder_or_control_are_shown_by_their_numbers(store: Store) -> None:
    hostile(store, "bidi")
    store.update("runs", {"run_id": "r1"}, {"name": "a\u202eb\x1bc\rd\u00a0e"})

    text = document(store).text

    assert "a\\x202eb\\x1bc\\x0dd\\xa0e" in text
    assert "model\\x202egnp.exe\\x2066\\x200f1" in text


def test_half_a_surrogate_pair_does_not_stop_the_page(store: Store) -> None:
    three_models(store)
    Made(store).scoring(Made(store).answer(Made(store).lane("c00", "test/a"), 2, "half \ud800 pair"), Outcome.NO_CALL)

    html = rendered(page(store))

    assert "half \\xd800 pair" in html
    assert html.encode()


def test_the_policy_forbids_scripts_and_names_the_one_style(store: Store) -> None:
    three_models(store)

    html = rendered(page(store))

    (style,) = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    (policy,) = [node.attributes["content"] for node in read(html).all("meta") if "http-equiv" in node.attributes]
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"
    )
    assert html.index("Content-Security-Policy") < html.index("<style>")
    assert "url(" not in style
    assert "@import" not in style
