"""What licences say of passing a data set on, as facts for people: who may do what is not decided here."""

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

# SPDX identifiers of licences whose terms let code be passed on, with their text, among code of any other licence.
_PERMISSIVE = (
    *("0BSD", "Apache-2.0", "Artistic-2.0", "BlueOak-1.0.0", "BSD-?-Clause", "BSL-1.0", "CC-BY-4.0", "CC0-1.0"),
    *("HPND", "ISC", "MIT", "MIT-0", "NCSA", "PSF-2.0", "Python-2.0", "Unlicense", "WTFPL", "Zlib"),
)


def licence_notes(licences: Mapping[str, str]) -> Iterator[str]:
    """Yield what is to be known of the licences of several repositories, by their names."""
    by_licence: dict[str, list[str]] = {}
    for repo, licence in licences.items():
        by_licence.setdefault(licence, []).append(repo)
    if len(by_licence) > 1:
        yield "licences: " + "; ".join(f"{licence} ({', '.join(repos)})" for licence, repos in by_licence.items())
    others = [f"{repo} ({licence})" for repo, licence in licences.items() if not is_permissive(licence)]
    if others:
        yield f"not known to let their code be passed on among other code: {', '.join(others)}"


def is_permissive(expression: str) -> bool:
    """Return whether one of the alternatives of an SPDX expression has permissive licences only."""
    return any(
        all(_known(licence) for licence in alternative.split(" AND ")) for alternative in expression.split(" OR ")
    )


def _known(licence: str) -> bool:
    return any(fnmatchcase(licence.partition(" WITH ")[0].strip(), pattern) for pattern in _PERMISSIVE)
