"""Scores the stored answers of a diff-edit run with another parser or other diff algorithms."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from diff_apply import DEFAULT_ALGORITHM
from parsers import DEFAULT_PARSER
from runner.calls import NATIVE, NATIVE_PARSER, XML, calls_of
from runner.records import REPAIR, Scoring
from runner.run.answer_scoring import AnswerScoring
from runner.run.resolve import choose_algorithms, choose_parser, never_imported, split_names
from runner.run.suite import ReplayOptions, Rescoring, Say, StoredAnswer
from runner.run.variants import swapped, variants_on_record
from runner.storage.store import Row, Store
from runner.suites.diff_edit.recorded_tools import as_they_are, tools_on_record
from runner.suites.diff_edit.recovery.recorded import RecordedTurns, attempted, follow_ups
from runner.suites.diff_edit.score import stored_cases, stored_validity
from runner.suites.diff_edit.text_scoring import TextKey, TextScoring
from runner.suites.diff_edit.tool_scoring import scorings_by_prompt, tools_by_prompt


@contextmanager
def model_replay(store: Store, source: Row, options: ReplayOptions, say: Say) -> Iterator[Rescoring]:
    """How the answers of `source` are scored: those of the XML tool as the options say, those of others by their tool.

    Raises InputError for unknown names.
    """
    on_record = variants_on_record(store, source["run_id"])
    with_tools = [variant for variant in on_record if variant.edit_tool]
    others = [variant for variant in on_record if not variant.edit_tool]
    recorded = [variant.parser for variant in others if calls_of(variant.prompt) == XML]
    parser = choose_parser(options.parser or _parser(recorded), say)
    native = choose_parser(NATIVE_PARSER, say)
    names = split_names(options.diff_apply, "--diff-apply") if options.diff_apply else ()
    algorithms = choose_algorithms(names or _algorithms(variant.diff_algorithm for variant in others), say)
    validity = stored_validity(source)
    case_of = stored_cases(store, source)
    recorded_turns = RecordedTurns.of(store, source)

    def kept(answers: Sequence[StoredAnswer]) -> Iterator[StoredAnswer]:
        return (answer for answer in answers if answer.mode != REPAIR and answer.prompt not in left_out)

    def score(case_id: str, answers: Sequence[StoredAnswer]) -> Iterator[Scoring]:
        case, further = case_of(case_id), follow_ups(answers)
        known: dict[TextKey, tuple[Scoring, ...]] = {}
        for answer in kept(answers):
            key = texts.key(answer)
            if key not in known:
                known[key] = loop.run(texts.scorings(case, key))
            turns = further.get(attempted(answer), {})
            scorings = loop.run(recorded_turns.follow(case, known[key], turns, (texts.ways[key[0]], tools.get(key[0]))))
            yield from (replace(scored, answer_id=answer.answer_id) for scored in scorings)

    identity = {"parser": parser.name, "diff_apply": ",".join(algorithm.name for algorithm in algorithms)}
    with (
        options.computing.opened() as pool,
        asyncio.Runner() as loop,
        tools_on_record(store, with_tools, options) as foreign,
    ):
        # Without its program no answer for a foreign tool can be scored.
        left_out = {variant.prompt for variant in with_tools} - tools_by_prompt(with_tools, foreign).keys()
        with_tools = as_they_are([variant for variant in with_tools if variant.prompt not in left_out], foreign)
        by_calls = {
            XML: AnswerScoring(parser, algorithms, validity, pool),
            NATIVE: AnswerScoring(native, algorithms, validity, pool),
        }
        by_prompt = scorings_by_prompt(with_tools, by_calls[XML], foreign)
        texts = TextScoring.by(pool, {**by_calls, **by_prompt})
        tools = tools_by_prompt(with_tools, foreign)
        variants = [*swapped(others, parser, algorithms, native), *with_tools]
        parsers = {name: tool.parser for name, tool in foreign.items()}
        ahead = None if options.computing.alone else lambda case_id, some: texts.begin(case_of(case_id), kept(some))
        yield Rescoring(variants, identity, score, parsers=parsers, ahead=ahead)


def _parser(names: Sequence[str]) -> str:
    return never_imported("--parser", names[0]) if names else DEFAULT_PARSER


def _algorithms(names: Iterable[str]) -> list[str]:
    return [never_imported("--diff-apply", name) for name in dict.fromkeys(names)] or [DEFAULT_ALGORITHM]
