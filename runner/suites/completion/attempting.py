"""How the attempts of a run are made, and what simulated systems know: those of models, or of coding agents."""

from collections.abc import Mapping

from runner.execution.repository_judge import Judge
from runner.records import Result
from runner.run.engine import Lane
from runner.run.protocols import Ask, Attempt, TruthOf
from runner.storage.ledger import Question
from runner.suites.completion.agent_answering import AgentAnswering
from runner.suites.completion.agent_project import project_of
from runner.suites.completion.answering import Answering
from runner.suites.completion.forms import AgentForm
from runner.suites.completion.judging import Judging
from runner.suites.completion.plan import CompletionDetail
from runner.suites.completion.sim_truth import truth_of
from suts.sut import Truth


def attempts_of(detail: CompletionDetail, judging: Judging, judges: Mapping[str, Judge]) -> Attempt:
    """How one attempt is made at each lane of a plan."""
    sampling = detail.options.sampling
    by_form: dict[str, Answering | AgentAnswering] = {}
    for form in detail.forms:
        if isinstance(form, AgentForm):
            projects = {name: project_of(judge) for name, judge in judges.items()}
            by_form[form.name] = AgentAnswering(form, detail.chains, sampling, judging, projects)
        else:
            by_form[form.name] = Answering(detail.dataset, form, detail.chains, sampling, judging)
    cases = {case.case_id: case for case in detail.cases}

    async def attempt_lane(lane: Lane, ask: Ask, number: int) -> Result:
        return await by_form[lane.key.prompt].attempt(cases[lane.key.case_id], ask, number)

    return attempt_lane


def truths_of(detail: CompletionDetail, judges: Mapping[str, Judge]) -> TruthOf:
    """The truth of each question."""
    if detail.options.agents:
        return _agent_truth_of(detail)
    fenced = {form.name: not form.raw for form in detail.forms}
    checks = {name: judge.syntax_error for name, judge in judges.items()}
    return truth_of(detail.dataset, fenced, checks, detail.options.seed)


def _agent_truth_of(detail: CompletionDetail) -> TruthOf:
    """The edit that puts what stood in the hole in the place of the mark."""
    cases = {case.case_id: case for case in detail.cases}

    def truth(question: Question, about: object = None) -> Truth:  # noqa: ARG001 - the Protocol names it
        case = cases[question.lane.case_id]
        seen = case.seen[question.lane.prompt]
        edit = (seen.mark, detail.dataset.truth(case.task))
        seed = detail.options.seed
        return Truth(case.case_id, question.number, seed=seed, path=seen.path, blocks=(edit,), before=seen.marked)

    return truth
