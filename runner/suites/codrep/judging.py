"""Scores answers without holding up the event loop: plug-ins' and long ones in a worker process."""

from parsers.blocks import Parser
from runner.pool.executor import Executor, WorkerError, computed
from runner.records import Completion, Scoring
from runner.run.answer_scoring import SCORED_AT_ONCE, are_registered, bare_answer, chosen_by_name, crashed_scorings
from runner.run.resolve import Named
from runner.suites.codrep.cases import ReplacedLine
from runner.suites.codrep.score import judge
from runner.suites.codrep.windowing import Window


async def judged(
    pool: Executor | None, target: ReplacedLine, completion: Completion, parser: Named[Parser], window: Window
) -> Scoring:
    """Score an answer as `judge` does; `crashed` where the worker process gave nothing. Raises RemoteError."""
    at_once = are_registered(parser.name, ()) and len(completion.text) <= SCORED_AT_ONCE
    if pool is None or at_once:
        return judge(target, completion, parser, window)
    try:
        return await computed(pool, judge_by_name, target, bare_answer(completion), parser.name, window)
    except WorkerError as error:
        (crashed,) = crashed_scorings(completion, parser.name, ("",), error)
        return crashed


def judge_by_name(target: ReplacedLine, completion: Completion, parser: str, window: Window) -> Scoring:
    """Score an answer with the parser of this name, which the user has given."""
    chosen, _ = chosen_by_name(parser, ())
    return judge(target, completion, Named(parser, chosen, ""), window)
