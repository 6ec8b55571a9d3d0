"""No regular expression takes more than linear time, whatever text a stranger writes.

Every pattern of both packages is found by reading the sources, so that a new one is tested from
its first day. Each is fed what matches a part of it, followed by many characters of one kind.
"""

from __future__ import annotations

import ast
import gc
import re
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

try:
    from re import _parser as parser  # type: ignore[attr-defined]
except ImportError:  # Python 3.10
    import sre_parse as parser

from wikibot.fetch.selection import category_finder
from wikibot.never_list import read_file_list, read_page_list
from wikibot.wikitext.page import redirect_target
from wikibot.wikitext.rules import SiteRules
from wikibot.wikitext.scanner import scan
from wikibot.wikitext.sentences import sentence_ranges
from wikibot.wikitext.titles import normalise_title

ROOT = Path(__file__).resolve().parent.parent
ENGLISH = SiteRules.for_language("en")
LONG, SHORT = 100_000, 4_000  # characters
LINEAR = 3 * LONG / SHORT  # times as long for the long text as for the short one
QUICK_S = 0.1  # of computing: less is never too slow
LIMIT_S = 1.0  # of computing: more is always too slow for SHORT characters

# One of each kind that patterns tell apart, and all that wikitext is written with.
KINDS = " \t\n\r\xa0\0\1" + "aZ0é中\u0301\u200e" + "[]{}|<>='\"“”«»„:;*#-_~&%/\\.!?,()+@^`$"

# Patterns that only ever see so many characters at a time.
SHORT_INPUT = {
    "wikibot.linker.names._BRACKETS": 255,  # titles; a fetch skips pages with longer ones
    "wikibot.wikitext.sentences._OPENERS": 300,
    "wikibot.wikitext.scanner._SCHEME": 20,
}
# Patterns that a function builds, by the function.
BUILT: dict[str, Callable[[Any], list[re.Pattern[str]]]] = {
    "wikibot.wikitext.rules.trail_pattern": lambda build: [
        build("/^([a-z]+)(.*)$/sD"),
        build("/^((?:[a-z]|à|è|’(?=[a-z]))+)(.*)$/sDu"),
        build("/^(\\p{L}+)$/"),
    ],
    "wikibot.wikitext.sentences._word_pattern": lambda build: [build()],
    "wikibot.wikitext.sentences._token_pattern": lambda build: [build()],
    "wikibot.wikitext.sentences._letter_pattern": lambda build: [build()],
    "wikibot.publish.talk.marked": lambda build: [re.compile(r"(?<!\w)river(?!\w)")],
    "wikibot.fetch.selection.category_pattern": lambda build: [build(ENGLISH)],
}


def built(full: str) -> list[re.Pattern[str]]:
    """What the function of that name builds; nothing where there is no such function any more."""
    module, _, function = full.rpartition(".")
    build = getattr(import_module(module), function, None)
    return BUILT[full](build) if build else []


@dataclass(frozen=True)
class Found:
    """A pattern, the way it is asked, and how many characters it may be given."""

    name: str
    pattern: re.Pattern[str]
    is_matched: bool
    longest: int = LONG

    def ask(self, text: str) -> None:
        if self.is_matched:
            self.pattern.match(text)
        else:
            for _ in self.pattern.finditer(text):
                pass


@cache
def modules() -> dict[str, ast.Module]:
    files = [*(ROOT / "wikibot").rglob("*.py"), *(ROOT / "crtm").rglob("*.py")]
    named = {".".join(file.relative_to(ROOT).with_suffix("").parts): file for file in files}
    return {
        name.removesuffix(".__init__"): ast.parse(file.read_text(encoding="utf-8"))
        for name, file in named.items()
        if not name.endswith("__main__")
    }


def calls_of_re(tree: ast.AST) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "re"
            and node.func.attr not in ("escape", "Match", "purge")
        ):
            yield node


def inside_functions(tree: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield from ((node.name, call) for call in calls_of_re(node))


def patterns_in(value: Any) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from patterns_in(one)
    elif isinstance(value, tuple | list):
        for one in value:
            yield from patterns_in(one)


def assigned_names(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and list(calls_of_re(node)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (target.id for target in targets if isinstance(target, ast.Name))


def asked_with(tree: ast.Module, name: str) -> set[str]:
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and name in {one.id for one in ast.walk(node.value) if isinstance(one, ast.Name)}
    }


def flags_of(call: ast.Call) -> int:
    given = [word.value for word in call.keywords if word.arg == "flags"]
    named = {one.attr for node in given for one in ast.walk(node) if isinstance(one, ast.Attribute)}
    return sum(int(getattr(re, name)) for name in named)


@cache
def every_pattern() -> list[Found]:
    found: list[Found] = []
    for name, tree in modules().items():
        for attribute in assigned_names(tree):
            full = f"{name}.{attribute}"
            is_matched = asked_with(tree, attribute) <= {"match", "fullmatch"}
            for pattern in patterns_in(getattr(import_module(name), attribute)):
                found.append(Found(full, pattern, is_matched, SHORT_INPUT.get(full, LONG)))
        for function, call in inside_functions(tree):
            full = f"{name}.{function}"
            if not isinstance(call.args[0], ast.Constant):
                continue  # see BUILT
            is_matched = isinstance(call.func, ast.Attribute) and "match" in call.func.attr
            pattern = re.compile(call.args[0].value, flags_of(call))
            found.append(Found(full, pattern, is_matched))
    for full in BUILT:
        found += [Found(full, pattern, "trail" in full) for pattern in built(full)]
    return found


def sample(items: Any) -> list[str]:
    """The pieces of a text that matches, one for each item of a parsed pattern."""
    return [piece for code, value in items for piece in _pieces(str(code), value)]


def _pieces(code: str, value: Any) -> list[str]:
    if code == "LITERAL":
        return [chr(value)]
    if code in ("NOT_LITERAL", "ANY"):
        return ["x"]
    if code == "IN":
        return [_one_of(value)]
    if code in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        return sample(value[2]) * max(1, value[0])
    if code == "SUBPATTERN":
        return sample(value[3])
    if code == "BRANCH":
        return max((sample(branch) for branch in value[1]), key=len)
    return []


def _one_of(items: Any) -> str:
    """A character of the class; a letter for a class that leaves some out."""
    for code, value in items:
        if str(code) == "LITERAL":
            return chr(value)
        if str(code) == "RANGE":
            return chr(value[0])
        if str(code) == "CATEGORY":
            return {"SPACE": " ", "DIGIT": "0"}.get(str(value).rpartition("_")[2], "x")
        if str(code) == "NEGATE":
            return "x"
    return "x"


def branches(items: Any) -> Iterator[list[str]]:
    """Samples of a pattern, one for each of its outer alternatives."""
    listed = list(items)
    if len(listed) == 1 and str(listed[0][0]) == "BRANCH":
        for branch in listed[0][1][1]:
            yield sample(branch)
    else:
        yield sample(listed)


def beginnings(pattern: re.Pattern[str]) -> list[str]:
    """What matches a part of the pattern: nothing, its first piece, its first two, and so on."""
    found = {""}
    for pieces in branches(parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE)):
        found |= {"".join(pieces[:end]) for end in range(1, min(len(pieces), 16) + 1)}
        found.add("".join(pieces))
    return sorted(found)


def attacks(pattern: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """(beginning, what is repeated after it)."""
    starts = beginnings(pattern)
    yield from ((start, kind) for start in starts for kind in KINDS)
    yield from (("", start) for start in starts if start)
    yield from (("", start + kind) for start in starts[-2:] for kind in KINDS)


def text_of(attack: tuple[str, str], length: int) -> str:
    start, repeated = attack
    return start + repeated * (max(0, length - len(start)) // len(repeated)) + "\u2603"


class TooSlow(Exception):
    """It would take longer than it may."""


def seconds(ask: Callable[[str], object], text: str, limit_s: float) -> float:
    """How long this thread computes; LIMIT_S where it would be more.

    Neither other work on the machine counts nor that of other threads, nor the collection of
    garbage that earlier tests have left.
    """
    start = time.thread_time()

    def give_up(_signal: int, _frame: FrameType | None) -> None:
        if time.thread_time() - start >= limit_s:
            raise TooSlow

    before = signal.signal(signal.SIGPROF, give_up)
    gc.disable()
    signal.setitimer(signal.ITIMER_PROF, limit_s, limit_s / 4)
    try:
        ask(text)
        return time.thread_time() - start
    except TooSlow:
        return limit_s
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        gc.enable()
        signal.signal(signal.SIGPROF, before)


def least_seconds(ask: Callable[[str], object], text: str, limit_s: float) -> float:
    """The best of a few measurements: what a cold cache adds once does not count."""
    return min(seconds(ask, text, limit_s) for _ in range(3))


def slow_attack(
    ask: Callable[[str], object], tried: list[tuple[str, str]], longest: int = LONG
) -> str:
    """The attack that takes more than linear time, in words; "" where none does."""
    short = min(SHORT, longest)
    times: dict[tuple[str, str], float] = {}
    for attack in tried:
        times[attack] = seconds(ask, text_of(attack, short), LIMIT_S)
        if times[attack] >= LIMIT_S:
            return f"{attack}: more than {LIMIT_S} s for {short} characters"
    slowest = sorted(times, key=times.__getitem__)[-3:]
    return next((why for attack in slowest if (why := too_slow(ask, attack, short, longest))), "")


def too_slow(
    ask: Callable[[str], object], attack: tuple[str, str], short: int, longest: int
) -> str:
    """In words how much longer a long text takes, if it is more than LINEAR allows."""
    short_s = least_seconds(ask, text_of(attack, short), LIMIT_S)
    allowed_s = max(QUICK_S, LINEAR * short_s)
    long_s = seconds(ask, text_of(attack, longest), allowed_s)
    if long_s >= allowed_s:
        long_s = least_seconds(ask, text_of(attack, longest), allowed_s)
    if long_s < allowed_s:
        return ""
    return f"{attack}: {short_s:.5f} s for {short}, more than {long_s:.2f} s for {longest}"


@pytest.mark.parametrize("module", sorted({one.name.rpartition(".")[0] for one in every_pattern()}))
def test_every_pattern_is_linear(module: str) -> None:
    of_module = [one for one in every_pattern() if one.name.rpartition(".")[0] == module]
    slow = {
        one.name: slow_attack(one.ask, [*attacks(one.pattern)], one.longest) for one in of_module
    }
    assert not {name: why for name, why in slow.items() if why}


def test_every_module_with_patterns_is_looked_at() -> None:
    names = {one.name for one in every_pattern()}
    assert {"wikibot.never_list._LINK", "wikibot.wikitext.scanner._MARKS"} <= names
    assert {"wikibot.wikitext.spans.find_disagreements"} <= names
    assert len([one for one in every_pattern() if one.name.endswith("scanner._CLOSING")]) == 20


def test_every_function_that_builds_patterns_is_listed() -> None:
    building = {
        f"{name}.{function}"
        for name, tree in modules().items()
        for function, call in inside_functions(tree)
        if not isinstance(call.args[0], ast.Constant)
    }
    assert building - set(BUILT) == set()


def test_a_quadratic_pattern_is_noticed() -> None:
    for pattern in (r"\s*\n", r"<!--.*?-->", r"\[\[\s*:?\s*([^\[\]|]+?)\s*\]\]"):
        bad = Found("bad", re.compile(pattern, re.DOTALL), is_matched=False)
        assert slow_attack(bad.ask, [*attacks(bad.pattern)])


READERS: dict[str, Callable[[str], object]] = {
    "never-link page": lambda text: read_page_list(f"* {text}", ENGLISH),
    "never-link file": lambda text: read_file_list(text, ENGLISH),
    "redirect": lambda text: redirect_target(f"#REDIRECT{text}", ENGLISH),
    "categories": lambda text: category_finder(ENGLISH)(text),
    "title": lambda text: normalise_title(text, ENGLISH),
    "scanner": lambda text: scan(text, ENGLISH),
    "sentences": lambda text: list(sentence_ranges(text, "en")),
}
STARTS = ("", "[[", "{{", "<!--", "<ref", "* [[", "== ", "'''", ":", "[http://", '"', "Category:")


@pytest.mark.parametrize("reader", READERS)
def test_what_reads_foreign_text_is_linear(reader: str) -> None:
    tried = [(start, kind) for start in STARTS for kind in KINDS]
    tried += [("", start + kind) for start in STARTS for kind in KINDS]
    assert not slow_attack(READERS[reader], tried)
