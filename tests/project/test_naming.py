"""Names, sizes of files and functions, and the arrangement of tests."""

import ast
import re
from pathlib import Path

import pytest

import source_rules
from pages import ROOT
from source_rules import LONGEST_FILE, SOURCE

FOLDERS = ("src", "tests", "benchmarks", "examples", "paper")
FILES = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("test_*.py"))
OWN_FOLDERS = {"project", "support", "files"}  # of tests without a package of the same name


def test_files_are_short():
    lengths = {str(path): len(path.read_text().splitlines()) for path in FILES}
    assert len(lengths) > 400
    assert {path: n for path, n in lengths.items() if n > LONGEST_FILE} == {}


def test_functions_have_few_parameters():
    assert source_rules.functions_of_many_parameters() == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_names_have_none_of_the_listed_words(folder):
    paths = [path for path in FILES if path.is_relative_to(ROOT / folder)]
    assert [place for path in paths for _, place in source_rules.words_of(path)] == []


def test_functions_are_short():
    assert source_rules.long_functions() == []


def test_every_module_says_what_is_public():
    silent = [
        str(path.relative_to(SOURCE))
        for path in source_rules.files()
        if not re.search(r"^__all__\b.* = ", path.read_text(), re.MULTILINE)
    ]
    assert silent == ["__main__.py"]


def test_folders_of_tests_are_packages_of_the_source():
    folders = {path.relative_to(ROOT / "tests").parts[0] for path in TESTS}
    packages = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert folders - packages - OWN_FOLDERS == set()
    assert len(folders) > 15


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.stem)
def test_a_test_module_imports_no_other(path: Path):
    others = {one.stem for one in TESTS}
    imported = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[-1] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported |= {(node.module or "").split(".")[-1], *(a.name for a in node.names)}
    assert imported & others == set()


def test_names_of_test_modules_are_unique():
    assert len({path.stem for path in TESTS}) == len(TESTS)
