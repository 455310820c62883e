"""Files of pinned packages: what is read of them, and what is refused in one line."""

from pathlib import Path

import pytest

from runner.errors import InputError
from runner.execution.pins import read_pins

DIGEST = "--hash=sha256:" + "0a" * 32
OTHER = "--hash=sha256:" + "1b" * 32


def written(folder: Path, text: str) -> Path:
    file = folder / "pins.txt"
    file.write_text(text)
    return file


def test_layout_comments_and_order_make_no_other_environment(tmp_path: Path) -> None:
    lines = (f"my-numbers==2.1 {DIGEST} {OTHER}", f"other==1; python_version > '3' {OTHER}")
    plain = read_pins(written(tmp_path, "\n".join(lines)))

    again = read_pins(
        written(
            tmp_path,
            f"# a lock\nOther == 1 ;  python_version > '3' {OTHER}\n\n"
            f"My_Numbers==2.1 \\\n    {OTHER} \\\n    {DIGEST}  # both\n",
        )
    )

    assert again.lines == plain.lines == tuple(sorted(lines))
    assert again.digest == plain.digest


@pytest.mark.parametrize(
    "text, told",
    [
        pytest.param("numbers>=2\n", ":1: 'numbers>=2' is no pin", id="a range"),
        pytest.param("# numbers\n\nnumbers\n", ":3: 'numbers' is no pin", id="a name alone"),
        pytest.param("numbers==2.*\n", ":1: 'numbers==2.*' is no pin", id="any version of a kind"),
        pytest.param("numbers===2\n", ":1: 'numbers===2' is no pin", id="another comparison"),
        pytest.param("--index-url https://example.com\n", ":1: '--index-url", id="an option"),
        pytest.param("numbers==2 --index-url x\n", ":1: 'numbers==2 --index-url", id="an option behind a pin"),
        pytest.param("numbers @ https://example.com/numbers.whl\n", ":1: 'numbers @", id="an address"),
        pytest.param("-e .\n", ":1: '-e .' is no pin", id="a folder"),
        pytest.param("numbers==2 --hash=md5:00\n", ":1: 'numbers==2 --hash=md5", id="another digest"),
        pytest.param(f"a==1 {DIGEST}\nb==2\n", ": 'b==2' has no --hash, and others have", id="digests for some"),
        pytest.param("# nothing\n", ": has no package", id="nothing"),
    ],
)
def test_what_is_no_pin_is_refused_by_its_line(text: str, told: str, tmp_path: Path) -> None:
    file = written(tmp_path, text)

    with pytest.raises(InputError) as refused:
        read_pins(file)

    assert str(refused.value).startswith(f"{file}{told}")
