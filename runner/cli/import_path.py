"""The import path: modules are not imported from the current folder, which may be someone else's."""

import os
import sys
from pathlib import Path

_HOME = str(Path(__file__).resolve().parents[2])


def leave_current_folder_out() -> None:
    """Take the current folder off the import path, where `python -c`, `python -m` or PYTHONPATH put it.

    Python makes empty and relative entries of PYTHONPATH absolute. Kept are absolute entries of PYTHONPATH, those of
    installed packages, and the folder of this program.
    """
    here = str(Path.cwd())
    named = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if here in {*named, _HOME}:
        sys.path[:] = [entry or here for entry in sys.path]
        return
    library = str(Path(os.__file__).parent)
    # Installed packages add their entries behind the standard library.
    added = sys.path.index(library) if library in sys.path else len(sys.path)
    sys.path[:] = [entry for at, entry in enumerate(sys.path) if entry and (entry != here or at > added)]
