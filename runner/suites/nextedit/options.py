"""The options of `evals nextedit`: those that every suite shares, where commits come from, and how systems run."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from typer import Option

from diff_apply import DEFAULT_ALGORITHM
from parsers import DEFAULT_PARSER
from runner.run.agent_options import AgentOptions
from runner.run.options import DIFF_APPLY, PARSER, PROMPTS
from runner.shipped import shipped_or_none

DEFAULT_CASES = Path("cases/nextedit")

Servers = Annotated[
    list[str] | None,
    Option(
        "--lsp",
        metavar="CMD",
        help="A language server on standard streams that is asked for symbols too: CMD, LANGUAGE=CMD or `jedi`; may be"
        " repeated.",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitSource:
    """Which commits of repositories are read, and how large they may be."""

    repo: Annotated[Path | None, Option("--repo", metavar="PATH", help="A git repository, with --rev.")] = None
    rev: Annotated[
        list[str] | None,
        Option(
            "--rev",
            metavar="RANGE",
            help="A revision or a range A..B of --repo, or of the repository here without --repo; may be repeated.",
        ),
    ] = None
    testset: Annotated[
        Path | None, Option("--testset", metavar="FILE", envvar="EVAL_SET", help="Historian's list of commits.")
    ] = None
    repos_dir: Annotated[
        Path | None,
        Option("--repos-dir", metavar="DIR", envvar="REPOS_DIR", help="Repositories by project, for --testset."),
    ] = None
    clone: Annotated[bool, Option("--clone", help="Clone repositories that are missing in --repos-dir.")] = False
    min_edits: Annotated[int, Option("--min-edits", min=2, help="Commits with fewer edits are not replayed.")] = 2
    max_edits: Annotated[int, Option("--max-edits", min=2, help="Commits with more edits are not replayed.")] = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleOptions:
    """What third-party modules may see and do, and for how long."""

    module_network: Annotated[
        bool, Option("--module-network", help="Let modules use the network. [default: no network]")
    ] = False
    module_proxy: Annotated[
        bool,
        Option(
            "--module-proxy",
            help="Let modules of Historian ask models by a proxy, which holds the keys and counts tokens and cost.",
        ),
    ] = False
    module_env: Annotated[
        list[str] | None,
        Option("--module-env", metavar="NAME", help="A secret variable that modules may see; may be repeated."),
    ] = None
    module_timeout: Annotated[
        float,
        Option(
            "--module-timeout",
            min=0.1,
            metavar="SECONDS",
            help="Maximum seconds for an answer of a module, or of a system of your own.",
        ),
    ] = 180.0
    log_dir: Annotated[
        Path | None,
        Option("--log-dir", metavar="DIR", envvar="LOG_DIR", help="The LOG_DIR of modules, where they may write."),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceOptions:
    """Where the three checkpoints of TRACE are, and on what they run."""

    trace_models: Annotated[
        Path | None, Option("--trace-models", metavar="DIR", help="A folder with invoker, locator and generator.")
    ] = None
    invoker_model_path: Annotated[
        Path | None,
        Option(
            "--invoker-model-path", metavar="PATH", envvar="INVOKER_MODEL_PATH", help="The first checkpoint of TRACE."
        ),
    ] = None
    locator_model_path: Annotated[
        Path | None,
        Option(
            "--locator-model-path", metavar="PATH", envvar="LOCATOR_MODEL_PATH", help="The second checkpoint of TRACE."
        ),
    ] = None
    generator_model_path: Annotated[
        Path | None,
        Option(
            "--generator-model-path",
            metavar="PATH",
            envvar="GENERATOR_MODEL_PATH",
            help="The third checkpoint of TRACE.",
        ),
    ] = None
    trace_bases: Annotated[
        Path | None, Option("--trace-bases", metavar="DIR", help="Folders of the models that TRACE was trained from.")
    ] = None
    trace_python: Annotated[
        Path | None,
        Option("--trace-python", metavar="PATH", help="An interpreter that has torch and transformers."),
    ] = None
    device: Annotated[str, Option("--device", envvar="DEVICE", help="The torch device of TRACE.")] = "cpu"


@dataclass(frozen=True, slots=True, kw_only=True)
class NextEditOptions(AgentOptions):
    """The options of `evals nextedit`, as given."""

    calm_slots: ClassVar[int] = 4

    model_ids: Annotated[
        str,
        Option(
            "--model-ids",
            "--sut",
            envvar="SUT",
            help="Systems, comma-separated: rules, oracle, my_system.py, http://host:port, historian:main.py,"
            " sim/careful.",
        ),
    ] = "rules"
    max_concurrency: Annotated[
        int | None,
        Option("--max-concurrency", "--slots", "-j", help="The maximum number of replays at once. [default: 4]"),
    ] = None
    cases: Annotated[
        Path | None,
        Option(
            "--cases",
            metavar="DIR",
            help=f"A folder of commit bundles. [default: {DEFAULT_CASES}]",
            callback=shipped_or_none,
        ),
    ] = None
    source: CommitSource = field(default_factory=CommitSource)
    order: Annotated[
        str,
        Option(
            "--order",
            metavar="ORDER",
            help="Which edits are allowed next: graph, file, none, or llm:MODEL, which is the graph with the answers"
            " of a model about the pairs that the rules leave open.",
        ),
    ] = "graph"
    lsp: Servers = None
    leak: Annotated[
        Literal["none", "files", "message"],
        Option("--leak", help="What the systems may know beside the edits made."),
    ] = "message"
    visible: Annotated[
        Literal["touched", "decoys", "retrieved"],
        Option(
            "--context",
            help="Which files the systems see: those that the commit touches, these among others of the project, or"
            " what a search in the whole project finds.",
        ),
    ] = "touched"
    prompts: Annotated[
        str, Option(*PROMPTS, help="The system prompts of models, comma-separated names or .md files.")
    ] = "nextedit/basic"
    parser: Annotated[str, Option(*PARSER, help="The parser of models' answers.")] = DEFAULT_PARSER
    diff_apply: Annotated[
        str,
        Option(
            *DIFF_APPLY,
            help="The algorithms that apply models' diffs, comma-separated; the first decides which edits are made.",
        ),
    ] = DEFAULT_ALGORITHM
    valid_attempts_per_step: Annotated[
        int, Option("--valid-attempts-per-step", min=1, help="Answers of a model wanted at each step.")
    ] = 1
    max_context: Annotated[
        int | None,
        Option(
            "--max-context",
            min=1,
            metavar="TOKENS",
            help="The maximum size of a prompt: of files that do not fit it shows parts. [default: 160,000 characters"
            " besides the system prompt, 36,000 with --context retrieved]",
        ),
    ] = None
    modules: ModuleOptions = field(default_factory=ModuleOptions)
    trace: TraceOptions = field(default_factory=TraceOptions)

    @property
    def most_attempts(self) -> int:
        """The cap per lane: a commit is replayed once."""
        return self.cap or 1

    def integers(self) -> dict[str, tuple[int | None, int]]:
        """The whole numbers, those of this suite included."""
        return {
            # A bare `super()` does not work in a slotted dataclass: the decorator makes a new class.
            **AgentOptions.integers(self),
            "--valid-attempts-per-step": (self.valid_attempts_per_step, 1),
            "--max-context": (self.max_context, 1),
            "--min-edits": (self.source.min_edits, 2),
            "--max-edits": (self.source.max_edits, 2),
        }
