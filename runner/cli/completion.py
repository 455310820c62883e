"""`evals completion`: data sets of holes in a repository's code, judged by the repository's own tests."""

import typer

from runner.cli import (
    completion_build,
    completion_codev,
    completion_prompts,
    completion_run,
    completion_score,
    completion_validate,
)
from runner.cli.command import register

app = typer.Typer(help="Ask models to complete code; judge it by unit tests.", no_args_is_help=True)
register(app, "run", completion_run.Options, completion_run.run)
register(app, "codev", completion_codev.Options, completion_codev.codev)
register(app, "build", completion_build.CompletionBuildOptions, completion_build.build)
register(app, "validate", completion_validate.CompletionValidateOptions, completion_validate.validate)
register(app, "prompts", completion_prompts.CompletionPromptsOptions, completion_prompts.prompts)
register(app, "score", completion_score.CompletionScoreOptions, completion_score.score)
