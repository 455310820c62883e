"""TRACE's blocks: which lines of an edit were modified, and which came and went."""

import pytest

from runner.suites.nextedit.systems.trace.blocks import blocks_of


class TestBlocks:
    def test_lines_that_share_tokens_are_modified_and_the_others_come_and_go(self) -> None:
        before = ("import os\n", "def load(path):\n", "    gone()\n")
        after = ("def load(path, mode):\n", "    quite = different\n")

        kinds = [(block.before, block.after) for block in blocks_of(before, after)]

        assert kinds == [
            (("import os\n",), ()),
            (("def load(path):\n",), ("def load(path, mode):\n",)),
            (("    gone()\n",), ()),
            ((), ("    quite = different\n",)),
        ]

    @pytest.mark.parametrize(
        "before, after, modified",
        [
            pytest.param("x.y = f(*a, **k)\n", "x.z = b\nx.y = f(b, **k)\n", [0, 1], id="the-last-that-serves"),
            pytest.param("use('a', '')\n", "use('a',\n    'b')\n", [2], id="quotes-are-tokens"),
            pytest.param("# old words\nf(a)\n", "# other things\nf(b)\n", [0, 0, 1], id="a-comment-is-one-token"),
            pytest.param("# the words of it\nf(a)\n", "# the word of it\nf(b)\n", [1, 1], id="nearly-a-comment"),
            pytest.param("g(a)\n)\n", "b = h[0]\n)\n", [0, 0, 1], id="punctuation-that-is-a-line"),
        ],
    )
    def test_lines_belong_together_by_the_leaves_of_a_syntax_tree(
        self, before: str, after: str, modified: list[int]
    ) -> None:
        """`modified` has for each block how many new lines it shares with old ones."""
        blocks = blocks_of(before.splitlines(keepends=True), after.splitlines(keepends=True), "python")

        assert [len(block.after) if block.modified else 0 for block in blocks] == modified

    @pytest.mark.parametrize("language", ["python", None, "no language"])
    def test_many_lines_take_no_time_to_speak_of(self, language: str | None) -> None:
        before = [f"value_{n} = load({n}, {n % 7})\n" for n in range(1500)]

        blocks = blocks_of(before, [line.replace("load", "read") for line in before], language)

        assert all(block.modified for block in blocks)
        assert len(blocks) == len(before)

    def test_nothing_in_common_is_a_deletion_and_an_insertion(self) -> None:
        assert [block.modified for block in blocks_of(("one\n",), ("two\n",))] == [False, False]

    def test_blank_lines_alone_are_no_insertion(self) -> None:
        assert [block.after for block in blocks_of(("one\n",), ("\n",))] == [()]

    @pytest.mark.parametrize(
        "before, after", [("a b\nc d\n", "c d\na b\n"), ("x\n", "x\nx\n"), ("f(a)\n" * 9, "f(b)\n")]
    )
    def test_no_line_is_lost_or_doubled(self, before: str, after: str) -> None:
        blocks = blocks_of(before.splitlines(keepends=True), after.splitlines(keepends=True))

        assert "".join(line for block in blocks for line in block.before) == before
        assert "".join(line for block in blocks for line in block.after) == after
