"""Lines of Markdown are short, except for what cannot be broken."""

import re
import subprocess

import pytest

from pages import ROOT

LONGEST = 100
PAGES = [
    name
    for name in subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    ).stdout.split()
    if (ROOT / name).exists()
]  # fmt: skip


def prose(text: str) -> list[str]:
    """Return the lines outside code blocks, tables, pictures and single links."""
    text = re.sub(r"^(\s*)```.*?^\1```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return [
        line
        for line in text.splitlines()
        if not re.match(r"\||    |!\[|<|\S*$|\W*\[[^]]*\]\([^)]*\)\W*$", line)
    ]


@pytest.mark.skipif(not PAGES, reason="needs the repository")
def test_the_pages_are_found():
    assert {"README.md", "docs/index.md", "paper/report.md"} <= set(PAGES)


@pytest.mark.parametrize("name", PAGES)
def test_lines_are_short(name: str):
    text = (ROOT / name).read_text()
    assert [line for line in prose(text) if len(line) > LONGEST] == []


def test_code_tables_and_pictures_are_no_prose():
    text = "a word\n```\ncode\n```\n| a |\n    code\n![a](b)\n- [a](b).\nword [a](b)"
    assert prose(text) == ["a word", "word [a](b)"]
