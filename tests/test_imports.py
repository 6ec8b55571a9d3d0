"""Who may import what: the rules that keep the parts of the house apart."""

from __future__ import annotations

import ast
import resource
import subprocess
import sys
import time
from functools import cache
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path
from statistics import median

import pytest

ROOT = Path(__file__).resolve().parent.parent
HEAVY = {
    "alembic",
    "apscheduler",
    "flask",
    "gensim",
    "lightgbm",
    "matplotlib",
    "mwparserfromhell",
    "mwtokenizer",
    "numba",
    "numpy",
    "pywikibot",
    "requests",
    "rich",
    "scipy",
    "sqlalchemy",
}


@cache
def sources() -> dict[str, ast.Module]:
    """Every module of the two packages, by its path from the root."""
    files = [*(ROOT / "wikibot").rglob("*.py"), *(ROOT / "crtm").rglob("*.py")]
    return {
        str(file.relative_to(ROOT)): ast.parse(file.read_text(encoding="utf-8")) for file in files
    }


def imported(tree: ast.AST) -> set[str]:
    """The full names of the modules that a tree imports, wherever it does."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
            if node.module == "wikibot":
                names |= {f"wikibot.{alias.name}" for alias in node.names}
    return names


def importers(package: str) -> set[str]:
    return {
        path
        for path, tree in sources().items()
        if any(name == package or name.startswith(f"{package}.") for name in imported(tree))
    }


def test_the_model_library_knows_nothing_of_the_assistant() -> None:
    assert not {path for path in importers("wikibot") if path.startswith("crtm/")}


@pytest.mark.parametrize(
    ("package", "folders"),
    [
        ("pywikibot", ("wikibot/site/",)),
        ("sqlalchemy", ("wikibot/store/",)),
        ("alembic", ("wikibot/store/",)),
        ("flask", ("wikibot/api/", "wikibot/web/")),
        ("mwparserfromhell", ("wikibot/wikitext/",)),
        ("lightgbm", ("wikibot/linker/",)),
        ("apscheduler", ("wikibot/jobs/",)),
    ],
)
def test_only_these_folders_import(package: str, folders: tuple[str, ...]) -> None:
    assert not {path for path in importers(package) if not path.startswith(folders)}


# part of wikibot -> the other parts that it may import; every part may import `errors`.
ALLOWED: dict[str, set[str]] = {
    "__init__": {"link"},
    "__main__": {"cli"},
    "anchors": {"crtm", "dataset", "insertion", "linker", "models", "queue_rows", "steps", "store"},
    "api": {
        "anchors", "config", "linker", "linkers", "policies", "processes", "queue_rows", "site", "source",
        "store", "wikitext",
    },
    "audit": {"store"},
    "config": {"settings"},
    "dataset": {"engine", "fetch", "linker", "source", "store", "wikitext"},
    "demo": {"diff", "fetch", "store", "suggest", "train"},
    "diff": {"config", "plan", "store", "terminal_text"},
    "doctor": {"config", "store"},
    "engine": set(),
    "errors": set(),
    "evaluation": {"crtm", "dataset", "linker", "message", "steps"},
    "excerpt": {"wikitext"},
    "fetch": {"engine", "message", "never_list", "site", "source", "steps", "store", "wikitext"},
    "i18n": set(),
    "ideas": {
        "config", "dataset", "i18n", "insertion", "linker", "message", "policies", "queue_rows", "steps",
        "store", "suggest",
    },
    "insertion": {"crtm", "dataset", "linker", "message", "models", "steps", "store"},
    "link": {"config", "linker", "models", "policies", "store", "wikitext"},
    "linker": {"crtm", "engine", "message", "never_list", "steps", "wikitext"},
    "linkers": {"config", "crtm", "in_force", "link", "linker", "models", "never_list", "policies", "store"},
    "live": {
        "config", "fetch", "in_force", "linker", "linkers", "policies", "queue_rows", "site", "source",
        "store", "wikitext",
    },
    "logs": set(),
    "manual_links": {"linker", "message", "models", "store", "wikitext"},
    "message": {"i18n"},
    "models": {"crtm", "dataset", "linker", "store"},
    "never_list": {"wikitext"},
    "plan": {"message", "wikitext"},
    "in_force": {"config", "store", "wiki_settings"},
    "policies": {"config", "in_force", "linker", "never_list", "store"},
    "processes": set(),
    "publish": {
        "config", "diff", "in_force", "message", "never_list", "plan", "site", "store", "wiki_settings",
        "wikitext",
    },
    "queue_rows": {"linker", "store", "wikitext"},
    "reading": {"crtm", "excerpt", "message"},
    "jobs": {"config", "live", "logs", "message", "processes", "publish", "site", "store"},
    "keys": set(),
    "review": {"config", "manual_links", "message", "store", "wikitext"},
    "roles": {"message"},
    "settings": set(),
    "site": {"message", "roles", "source"},
    "source": set(),
    "steps": set(),
    "store": {"message", "never_list", "plan", "roles", "wikitext"},
    "suggest": {
        "config", "dataset", "engine", "in_force", "linker", "message", "models", "policies", "queue_rows",
        "steps", "store", "train", "wikitext",
    },
    "terminal": {"diff", "excerpt", "review", "store", "terminal_text", "web"},
    "terminal_ideas": {"store", "terminal_text", "web"},
    "terminal_text": set(),
    "train": {"crtm", "dataset", "engine", "i18n", "linker", "message", "models", "steps", "store"},
    "web": {
        "api", "config", "diff", "excerpt", "i18n", "keys", "linker", "logs", "message", "plan",
        "publish", "reading", "review", "roles", "site", "store", "why", "wikitext",
    },
    "why": {
        "config", "in_force", "link", "linker", "manual_links", "message", "models", "never_list",
        "policies", "store", "wikitext",
    },
    "wiki_settings": {"config", "message", "settings"},
    "wikitext": {"message"},
}  # fmt: skip


def part_of(path: str) -> str:
    return Path(path).relative_to("wikibot").parts[0].removesuffix(".py")


def edges() -> dict[str, set[str]]:
    """The parts of the program, each with the parts that it imports; imports for types alone too."""
    found: dict[str, set[str]] = {}
    for path, tree in sources().items():
        if path.startswith("wikibot/"):
            names = [name.split(".") for name in imported(tree)]
            ours = {n[1] if n[0] == "wikibot" else n[0] for n in names if is_ours(n)}
            found.setdefault(part_of(path), set()).update(ours - {part_of(path)})
    return found


def is_ours(name: list[str]) -> bool:
    return name[0] == "crtm" or (
        name[0] == "wikibot" and len(name) > 1 and name[1] != "__version__"
    )


@pytest.mark.parametrize("part", sorted({*edges()} - {"cli"}))
def test_a_part_imports_only_what_the_table_allows(part: str) -> None:
    """The command line may import everything."""
    assert edges()[part] - {"errors"} <= ALLOWED[part]


def test_the_table_allows_nothing_that_is_not_used() -> None:
    used = edges()
    unused = {part: allowed - used[part] for part, allowed in ALLOWED.items()}
    assert not {part: parts for part, parts in unused.items() if parts}


def test_no_two_parts_import_each_other_by_any_way() -> None:
    TopologicalSorter(edges()).prepare()  # raises CycleError, which names the parts


def test_the_linker_knows_neither_the_database_nor_the_wiki() -> None:
    assert not edges()["linker"] & {"store", "fetch", "site", "dataset", "models"}


def test_the_linker_imports_neither_the_store_nor_the_wiki_nor_any_command() -> None:
    inner = {p: imported(t) for p, t in sources().items() if p.startswith("wikibot/linker/")}
    allowed = tuple(
        f"wikibot.{part}"
        for part in ("linker", "wikitext", "errors", "message", "never_list", "engine", "steps")
    )
    for path, names in inner.items():
        ours = {n for n in names if n.partition(".")[0] == "wikibot"}
        assert not {n for n in ours if not n.startswith(allowed)}, path


def test_nothing_below_imports_the_command_line() -> None:
    users = {p for p in importers("wikibot.cli") if not p.startswith("wikibot/cli/")}
    assert users <= {"wikibot/__main__.py"}


def test_no_module_uses_pickle() -> None:
    for package in ("pickle", "dill", "shelve", "joblib", "cloudpickle"):
        assert not importers(package), package


def test_no_file_is_longer_than_600_lines() -> None:
    files = [*(ROOT / "wikibot").rglob("*.py"), *(ROOT / "crtm").rglob("*.py")]
    lengths = {str(f.relative_to(ROOT)): len(f.read_text().splitlines()) for f in files}
    assert not {path: n for path, n in lengths.items() if n > 600}


def test_the_command_line_imports_heavy_packages_only_inside_functions() -> None:
    for path, tree in sources().items():
        if path.startswith("wikibot/cli/"):
            at_the_top = ast.Module([n for n in tree.body if not isinstance(n, DEFINITIONS)], [])
            names = {name.partition(".")[0] for name in imported(at_the_top)}
            assert not names & HEAVY, path


DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.If)


def exporting_modules() -> list[str]:
    names = []
    for path, tree in sources().items():
        assigned = {t.id for n in tree.body for t in getattr(n, "targets", ()) if hasattr(t, "id")}
        if "__all__" in assigned:
            names.append(path.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
    return sorted(names)


@pytest.mark.parametrize("name", exporting_modules())
def test_exported_names_are_sorted_and_there(name: str) -> None:
    module = import_module(name)
    assert list(module.__all__) == sorted(module.__all__)
    assert [exported for exported in module.__all__ if not hasattr(module, exported)] == []


def test_help_loads_nothing_heavy() -> None:
    script = (
        "import sys; from click.testing import CliRunner; from wikibot.cli import cli\n"
        "assert CliRunner().invoke(cli, ['--help']).exit_code == 0\n"
        "print(*{name.partition('.')[0] for name in sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert not set(done.stdout.split()) & HEAVY


def test_help_answers_within_half_a_second() -> None:
    """Half a second on an idle machine: a bare Python takes about 20 ms there, help about 200."""
    bare = median(seconds("-c", "pass") for _ in range(5))
    asked = median(seconds("-m", "wikibot", "--help") for _ in range(5))
    assert asked < max(0.5, 25 * bare)


def seconds(*arguments: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], capture_output=True, check=True, cwd=ROOT)
    return time.perf_counter() - start


# What nobody needs to look into the queue or to decide; each takes longer to load than to do that.
NEVER_FOR_A_LOOK = HEAVY - {"sqlalchemy"} | {"babel", "waitress", "crtm", "difflib"}
NEVER_FOR_A_LOOK |= {"wikibot.store.task_tables", "wikibot.wikitext"}
LOOKS = (
    ("status",),
    ("status", "--json"),
    ("queue",),
    ("queue", "--csv"),
    ("decide", "1", "approve", "--reviewer", "ann"),
    ("decide", "2", "skip", "--reviewer", "ann", "--json"),
)


@pytest.fixture(scope="module")
def looked_at(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.review.sample import make_store

    folder = tmp_path_factory.mktemp("looks")
    make_store(folder / "wikibot.db").close()
    return folder


@pytest.mark.parametrize("words", LOOKS, ids=" ".join)
def test_a_look_or_a_decision_loads_nothing_heavy(looked_at: Path, words: tuple[str, ...]) -> None:
    script = (
        "import sys; from click.testing import CliRunner; from wikibot.cli import cli\n"
        "shown = CliRunner().invoke(cli, sys.argv[1:])\n"
        "assert shown.exit_code == 0, shown.output\n"
        "print(*{name.partition('.')[0] for name in sys.modules})\n"
        "print(*{name for name in sys.modules if name.startswith('wikibot')})"
    )
    command = [sys.executable, "-c", script, *words, "--db", str(looked_at / "wikibot.db")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    assert not set(done.stdout.split()) & NEVER_FOR_A_LOOK


# CPU seconds that loading SQLAlchemy and click takes where nothing else runs. On a busy machine the
# same work takes more of them, so that the limit grows with what loading takes at that moment.
LOADING_S = 0.25
MOST_S = 0.3
RUNS = 7


def cpu_seconds(*arguments: str) -> float:
    """User and system time of a Python process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], capture_output=True, check=True, cwd=ROOT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.parametrize("words", [("status",), ("queue",), ("decide", "3", "skip")], ids=" ".join)
def test_a_look_or_a_decision_takes_three_tenths_of_a_second(
    looked_at: Path, words: tuple[str, ...]
) -> None:
    db = str(looked_at / "wikibot.db")
    loading, asked = [], []
    for _ in range(RUNS):
        loading.append(cpu_seconds("-c", "import sqlalchemy.orm, click"))
        asked.append(cpu_seconds("-m", "wikibot", *words, "--db", db))
    busy = max(1.0, median(loading) / LOADING_S)
    assert median(asked) <= MOST_S * busy
