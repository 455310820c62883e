"""The cases that come with evals: in a checkout its folder `cases`, in a wheel the same folder inside this package."""

from pathlib import Path

_PACKAGE = Path(__file__).parent
_FOLDER = "cases"


def shipped(path: Path) -> Path:
    """Return where a path leads: here, or, for a `cases/...` that is not here, to what comes with evals."""
    if path.is_absolute() or path.parts[:1] != (_FOLDER,) or path.exists():
        return path
    ours = shipped_folder().joinpath(*path.parts[1:])
    return ours if ours.exists() else path


def shipped_or_none(path: Path | None) -> Path | None:
    """Return the same for an option or argument that may be missing; a callback of typer."""
    return None if path is None else shipped(path)


def each_shipped(paths: list[Path] | None) -> list[Path] | None:
    """Return the same for each of several paths; a callback of typer."""
    return None if paths is None else [shipped(path) for path in paths]


def shipped_folder() -> Path:
    """Return the folder of all cases that come with evals."""
    installed = _PACKAGE / "_cases"
    return installed if installed.is_dir() else _PACKAGE.parent / _FOLDER
