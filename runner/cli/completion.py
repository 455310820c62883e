"""`evals completion`: data sets of holes in a repository's code, judged by the repository's own tests."""

from runner.cli import (
    completion_build,
    completion_codev,
    completion_join,
    completion_prompts,
    completion_run,
    completion_score,
    completion_validate,
)
from runner.cli.command import group_of_commands, register

app = group_of_commands("Ask models to complete code; judge it by unit tests.")
register(app, "run", completion_run.Options, completion_run.run)
register(app, "codev", completion_codev.Options, completion_codev.codev)
register(app, "build", completion_build.CompletionBuildOptions, completion_build.build)
register(app, "join", completion_join.CompletionJoinOptions, completion_join.join)
register(app, "validate", completion_validate.CompletionValidateOptions, completion_validate.validate)
register(app, "prompts", completion_prompts.CompletionPromptsOptions, completion_prompts.prompts)
register(app, "score", completion_score.Options, completion_score.score)
