"""What a CodRep run is to do: names resolved, tasks chosen, and what makes two sessions one run."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from parsers.blocks import Parser
from prompts import Prompt, PromptDetails
from runner.errors import InputError
from runner.run.engine import Lane
from runner.run.resolve import Named, choose_parser, choose_prompts, choose_suts, split_models, split_names
from runner.storage.ledger import LaneKey
from runner.storage.rows import to_json
from runner.storage.runs import CaseRow, RunPlan
from runner.suites.codrep.attempt import SUITE
from runner.suites.codrep.cases import CodrepCase, digest_of, read_cases
from runner.suites.codrep.dataset import open_datasets
from runner.suites.codrep.local import is_local, ranker_digest
from runner.suites.codrep.options import CodrepOptions, check
from runner.suites.codrep.predict import PREDICTORS
from runner.suites.codrep.question import question, wording_digest
from runner.suites.codrep.showing import Shown
from runner.tokens import TokenCounter
from runner.variant import Variant
from suts.sut import Sut

# What a prompt may say of a machine: there is none.
DETAILS = PromptDetails("/project", "Linux", "/bin/bash", "/home/user")


@dataclass(frozen=True, slots=True)
class CodrepPlan:
    """A CodRep run before anything is computed: `predictors` are names of ours, `models` are asked.

    `counter` counts the tokens of what models are shown; None where none is asked.
    """

    options: CodrepOptions
    predictors: tuple[str, ...]
    models: tuple[Sut, ...]
    prompts: tuple[Prompt, ...]
    parser: Named[Parser]
    cases: tuple[CodrepCase, ...]
    counter: TokenCounter | None

    @property
    def variants(self) -> tuple[Variant, ...]:
        """What is compared; a predictor has no prompt."""
        named = {"parser": self.parser.name, "parser_digest": self.parser.digest}
        plain = {"diff_algorithm": "", "algorithm_digest": ""}
        local = [
            Variant(sut=name, prompt="", prompt_digest="", endpoint=name, simulated=False, **named, **plain)
            for name in self.predictors
        ]
        asked = [
            Variant(
                sut=sut.name,
                prompt=prompt.name,
                prompt_digest=prompt.digest,
                endpoint=sut.endpoint.base_url,
                simulated=sut.endpoint.simulated,
                **named,
                **plain,
            )
            for sut in self.models
            for prompt in self.prompts
        ]
        return (*local, *asked)

    def lanes(self) -> list[Lane]:
        """The lanes to fill, the cases outermost: an early stop leaves the systems balanced."""
        variants = self.variants
        keys = [LaneKey(one.sut, one.prompt, case.case_id) for case in self.cases for one in variants]
        return [Lane(key, self.options.quota, self.options.most_attempts) for key in keys]


def make_plan(
    options: CodrepOptions,
    build: Callable[[str], Sut],
    count_tokens: Callable[[], TokenCounter],
    say: Callable[[str], None],
) -> CodrepPlan:
    """Check and resolve everything before anything is written or sent. Raises InputError.

    `count_tokens` makes the counter, where one is needed.
    """
    check(options)
    names = _suts(options)
    models = choose_suts([name for name in names if not is_local(name)], build, options.sampling, "--sut")
    return CodrepPlan(
        options=options,
        predictors=tuple(name for name in names if is_local(name)),
        models=models,
        prompts=choose_prompts(split_names(options.prompts, "--prompts"), say),
        parser=choose_parser(options.parser, say),
        cases=read_cases(open_datasets(options.folders), options.limit, options.sample_seed),
        counter=count_tokens() if models else None,
    )


def _suts(options: CodrepOptions) -> tuple[str, ...]:
    names = split_models(options.suts, "--sut")
    for name in names:
        if not (is_local(name) or options.provider or "/" in name or ":" in name):
            known = ", ".join(PREDICTORS)
            raise InputError(f"--sut: {name!r} is not known; there are {known}, and models as provider/model")
    return names


def run_plan(plan: CodrepPlan, shown: Mapping[str, Shown]) -> RunPlan:
    """The run as the database keeps it; `shown` says what models are shown of which case."""
    return RunPlan(
        suite=SUITE,
        identity=_identity(plan),
        settings=_settings(plan.options),
        variants=plan.variants,
        cases=[_case_row(case, shown.get(case.case_id)) for case in plan.cases],
        cases_digest=digest_of(plan.cases),
        name=plan.options.name or None,
        note=plan.options.note or None,
    )


def _identity(plan: CodrepPlan) -> dict[str, object]:
    """What makes two sessions the same run: all that an answer or its score depends on."""
    options = plan.options
    asked = {
        "prompts": [f"{prompt.name}@{prompt.digest}" for prompt in plan.prompts],
        "question": wording_digest(),
        "max_context": options.max_context,
        "token_counter": plan.counter.method if plan.counter else None,
        **options.asked_how,
    }
    return {
        "suts": [*plan.predictors, *(f"{sut.name} at {sut.endpoint.base_url}" for sut in plan.models)],
        **(asked if plan.models else {}),
        "parser": f"{plan.parser.name}@{plan.parser.digest}",
        "ranker": ranker_digest(),
        "cases": digest_of(plan.cases),
        "seed": options.seed,
    }


def _settings(options: CodrepOptions) -> dict[str, object]:
    """What may change from session to session."""
    return {
        **options.settings,
        "cases": [str(folder) for folder in options.folders],
        "limit": options.limit,
        "sample_seed": options.sample_seed,
    }


def _case_row(case: CodrepCase, shown: Shown | None) -> CaseRow:
    content: dict[str, object] = {"answer": case.answer, "lines": case.lines}
    if shown is not None:
        content["messages"] = [{"role": "user", "text": question(case.task(), shown.window)}]
    return CaseRow(
        case_id=case.case_id,
        digest=case.digest,
        path=str(case.path),
        source=case.dataset.name,
        tokens=shown.tokens if shown else None,
        content=to_json(content),
    )
