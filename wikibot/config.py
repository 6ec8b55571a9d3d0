"""Settings: defaults, then `wikibot.cfg`, then the environment, then the command line.

Every setting is one row of `SETTINGS`; nothing else in the program has a default of its own.
"""

from __future__ import annotations

import configparser
import difflib
import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wikibot.errors import ConfigError

FILE_NAME = "wikibot.cfg"
PREFIX = "WIKIBOT_"

LARGEST = 2**31 - 1  # for numbers without a limit of their own

Value = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: `section.name` in the file, `WIKIBOT_NAME` in the environment."""

    section: str
    name: str
    default: Value
    help: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        return f"{self.section}.{self.name}"

    @property
    def variable(self) -> str:
        return PREFIX + self.name.upper()


SETTINGS: tuple[Setting, ...] = (
    Setting("store", "db", "wikibot.db", "The database: a file, or a postgresql+psycopg:// URL."),
    Setting("fetch", "depth", 0, "How many levels of subcategories to fetch.", low=0),
    Setting("fetch", "processes", 0, "Processes that read pages; 0 means one per core.", low=0),
    Setting("fetch", "group_size", 240, "Pages asked for in one request.", low=1, high=500),
    Setting(
        "fetch",
        "targets",
        "none",
        "Fetch pages outside the category that its pages link to?",
        choices=("none", "linked"),
    ),
    Setting(
        "suggest",
        "min_probability",
        0.5,
        "The least expected acceptance of a link to propose.",
        low=0,
        high=1,
    ),
    Setting(
        "suggest", "per_page", 0, "Proposals for one page at most; 0 means as the wiki does.", low=0
    ),
    Setting(
        "suggest", "per_paragraph", 0, "Proposals in one paragraph at most; 0 means any.", low=0
    ),
    Setting(
        "suggest",
        "words_per_link",
        0,
        "Words of a page for each proposal on it; 0 means as the wiki does.",
        low=0,
    ),
    Setting(
        "suggest",
        "retrain_share",
        0.1,
        "`wikibot run` learns anew when changed pages and decisions since then are this share of the pages.",
        low=0,
        high=1,
    ),
    Setting(
        "suggest",
        "link_scope",
        "page",
        "Link the first mention on a page, or in each section?",
        choices=("page", "section"),
    ),
    Setting(
        "suggest", "quiet_hours", 0.0, "Skip pages edited within so many hours.", low=0, high=87_600
    ),
    Setting("suggest", "rules_off", "", "Rules to switch off, by name, with commas between."),
    Setting(
        "suggest", "never_link_file", "", "A file of what is never to be linked, one per line."
    ),
    Setting(
        "suggest",
        "never_link_page",
        "Project:Wikibot/Never link",
        "The wiki's own list of what is never to be linked, for its admins to edit.",
    ),
    Setting("suggest", "excluded_sections", "", "Sections of these names get no proposals."),
    Setting("suggest", "excluded_templates", "", "Pages with one of these are left alone."),
    Setting("suggest", "excluded_categories", "", "Pages in one of these are left alone."),
    Setting(
        "engine",
        "engine",
        "processes",
        "Where pages are worked on: in processes of this machine, or on a Spark cluster.",
        choices=("processes", "spark"),
    ),
    Setting("engine", "master", "", "The Spark cluster, such as spark://host:7077 or yarn."),
    Setting(
        "publish",
        "shutoff_page",
        "User:{user}/Shutoff",
        "The page that stops the bot: it runs while the page is missing or says 'run'.",
    ),
    Setting(
        "publish",
        "worklist_page",
        "User:{user}/Link suggestions",
        "Where `--to user-page` puts its list.",
    ),
    Setting(
        "publish",
        "summary",
        "",
        "What the summary of an article's edit says, with {targets}; empty means the wiki's language. "
        "Approver, shut-off page and our id always follow.",
    ),
    Setting(
        "publish",
        "task_page",
        "",
        "The page that explains the task, linked from sections and summaries; empty means the bot's "
        "user page, in sections only.",
    ),
    Setting(
        "publish",
        "messages_file",
        "",
        "A file with the operator's own wording of what the bot says.",
    ),
    Setting(
        "publish",
        "change_tag",
        "wikibot",
        "A change tag for our edits, used where the wiki has it and lets us; empty means none.",
    ),
    Setting("publish", "daily_cap", 100, "Edits within 24 hours, on all pages together.", low=1),
    Setting("publish", "page_cap", 1, "Edits of one article within 24 hours.", low=1),
    Setting("publish", "links_per_edit", 10, "Links added to an article in one edit.", low=1),
    Setting("publish", "talk_lines", 5, "Open proposals in a talk page's section.", low=1, high=50),
    Setting("publish", "worklist_lines", 100, "Open proposals on the work list.", low=1),
    Setting(
        "publish",
        "revert_limit",
        3,
        "Reverted edits among the last 50 that stop publishing.",
        low=1,
    ),
    Setting(
        "publish",
        "settle_s",
        60,
        "Seconds before an edit that is not in the history counts as not made.",
        low=0,
        high=86_400,
    ),
    Setting(
        "publish", "later_tries", 3, "Attempts when the wiki says 'later' before giving up.", low=1
    ),
    Setting(
        "publish",
        "longest_wait_s",
        60,
        "Seconds to wait at most between such attempts.",
        low=0,
        high=86_400,
    ),
    Setting(
        "publish",
        "watch_days",
        30,
        "For how many days `wikibot watch` follows an edit.",
        low=1,
        high=3_650,
    ),
    Setting(
        "publish",
        "turn_s",
        0,
        "Seconds to wait while another process publishes from the same database.",
        low=0,
        high=86_400,
    ),
    Setting(
        "review", "port", 0, "The port of the review page; 0 means any free one.", low=0, high=65535
    ),
    Setting(
        "review",
        "reviewer",
        "",
        "Your user name on the wiki, which your decisions carry; `wikibot init` asks for it.",
    ),
    Setting(
        "review",
        "guideline",
        "",
        "The guideline on links that the review page shows: a web address or a page of the wiki; "
        "empty means Wikipedia's.",
    ),
    Setting(
        "live",
        "poll_s",
        20.0,
        "Seconds between two looks at a wiki's changes in `wikibot follow`.",
        low=1,
        high=3_600,
    ),
    Setting(
        "live",
        "changes_from",
        "auto",
        "Where changes are read: `auto` takes the event stream on Wikimedia's wikis.",
        choices=("auto", "recentchanges", "eventstreams"),
    ),
    Setting(
        "live",
        "stream_url",
        "https://stream.wikimedia.org/v2/stream/recentchange",
        "The address of the event stream.",
    ),
    Setting(
        "api",
        "tokens_file",
        "",
        "A file of tokens that requests must carry, one per line, each with its user's name; "
        "empty means that no token is needed.",
    ),
    Setting(
        "api",
        "requests_per_minute",
        6000,
        "Requests that one user or address may send in a minute; 0 means any number.",
        low=0,
    ),
    Setting(
        "api",
        "largest_text_kb",
        2048,
        "The longest request that is read, in kilobytes.",
        low=1,
        high=65_536,
    ),
    Setting(
        "api",
        "time_limit_s",
        10.0,
        "Seconds after which a request is given up.",
        low=0.1,
        high=3_600,
    ),
    Setting(
        "api",
        "origins",
        "",
        "Addresses of wikis whose pages may ask from a browser, with commas between; those of the "
        "wikis in the database may anyway.",
    ),
    Setting(
        "api",
        "hosts",
        "",
        "Names by which a proxy passes requests on, with commas between; 127.0.0.1 and localhost "
        "are answered anyway.",
    ),
    Setting("serve", "address", "", "The service's address as browsers see it, without a path."),
    Setting("serve", "listen", "127.0.0.1:8127", "Where `wikibot serve` listens: HOST:PORT."),
    Setting("serve", "workers", 2, "Processes that answer requests.", low=1, high=64),
    Setting("serve", "threads", 8, "Requests that one of them answers at once.", low=1, high=64),
    Setting(
        "serve",
        "oauth_url",
        "",
        "The rest.php of the wiki that people log in at; empty means the one beside its api.php.",
    ),
    Setting("serve", "oauth_client", "", "The client application key that the wiki gave us."),
    Setting(
        "serve",
        "oauth_secret_file",
        "",
        "A file with the client application secret, unless WIKIBOT_OAUTH_SECRET holds it; neither "
        "for a client that keeps no secret.",
    ),
    Setting(
        "serve",
        "key_file",
        "wikibot.key",
        "A file with the key that seals the tokens, unless WIKIBOT_KEY holds it.",
    ),
    Setting("serve", "review_groups", "", "Groups of the wiki that may review; empty means all."),
    Setting("serve", "review_edits", 10, "Edits on the wiki that reviewing needs.", low=0),
    Setting("serve", "publish_groups", "autoconfirmed", "Groups that may save links."),
    Setting("serve", "publish_edits", 10, "Edits on the wiki that saving links needs.", low=0),
    Setting("serve", "admin_groups", "sysop", "Groups that administer the service."),
    Setting(
        "serve",
        "save_interval_s",
        5.0,
        "The least time between two edits that somebody saves as themselves.",
        low=0,
        high=3_600,
    ),
    Setting("serve", "session_days", 14, "Days until one must log in again.", low=1, high=365),
    Setting(
        "serve",
        "recheck_minutes",
        10,
        "Minutes until the wiki is asked again what somebody may do.",
        low=1,
        high=1440,
    ),
    Setting(
        "serve",
        "reserve_minutes",
        5,
        "Minutes for which a proposal on one screen is not shown to others.",
        low=1,
        high=240,
    ),
)


@dataclass(frozen=True, slots=True)
class Effective:
    """A setting's value, and where it came from."""

    setting: Setting
    value: Value
    source: str


class Settings(Mapping[str, Value]):
    """The effective settings by name; `origin(name)` tells where a value came from."""

    def __init__(self, effective: Iterable[Effective]) -> None:
        self._by_name = {one.setting.name: one for one in effective}

    def __getitem__(self, name: str) -> Value:
        return self._by_name[name].value

    def __iter__(self) -> Any:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def text(self, name: str) -> str:
        return str(self[name])

    def whole(self, name: str) -> int:
        return int(self[name])

    def number(self, name: str) -> float:
        return float(self[name])

    def is_on(self, name: str) -> bool:
        return bool(self[name])

    def origin(self, name: str) -> str:
        return self._by_name[name].source

    def effective(self) -> list[Effective]:
        return list(self._by_name.values())


def load_settings(
    file: Path | None = None, *, environ: Mapping[str, str] | None = None, **overrides: Any
) -> Settings:
    """The settings in force; `overrides` come from the command line, None meaning not given.

    `file` defaults to WIKIBOT_CONFIG, else `wikibot.cfg` in the current folder if it is there.
    Refuses unknown names and values that do not fit, naming the key and where it stands.
    """
    environ = os.environ if environ is None else environ
    found = _find_file(file, environ)
    written = _read_file(found) if found else {}
    return Settings(
        _resolve(setting, written, str(found), environ, overrides) for setting in SETTINGS
    )


def remember(key: str, value: str) -> Path:
    """The settings file says so from now on; everything else in it stays as it is.

    It is the file that `load_settings` reads, or `wikibot.cfg` in the current folder.
    """
    path = _find_file(None, os.environ) or Path(FILE_NAME)
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    section, name = key.split(".")
    path.write_text(_with_line(text, section, name, value), encoding="utf-8")
    return path.absolute()


def _with_line(text: str, section: str, name: str, value: str) -> str:
    """A settings file's text with one value set.

    >>> _with_line("[review]\\nport = 1\\n", "review", "reviewer", "Ann")
    '[review]\\nreviewer = Ann\\nport = 1\\n'
    """
    lines = text.splitlines()
    if f"[{section}]" not in lines:
        lines += [*([""] if lines else []), f"[{section}]"]
    start = lines.index(f"[{section}]") + 1
    end = next((n for n, line in enumerate(lines[start:], start) if line[:1] == "["), len(lines))
    kept = [line for line in lines[start:end] if line.partition("=")[0].strip() != name]
    return "\n".join((*lines[:start], f"{name} = {value}", *kept, *lines[end:])) + "\n"


def _resolve(
    setting: Setting,
    written: Mapping[str, str],
    file: str,
    environ: Mapping[str, str],
    overrides: Mapping[str, Any],
) -> Effective:
    if overrides.get(setting.name) is not None:
        return Effective(
            setting, _fit(setting, overrides[setting.name], "command line"), "command line"
        )
    if environ.get(setting.variable):
        source = f"environment ({setting.variable})"
        return Effective(setting, _fit(setting, environ[setting.variable], source), source)
    if setting.key in written:
        return Effective(setting, _fit(setting, written[setting.key], file), file)
    return Effective(setting, setting.default, "default")


def _find_file(file: Path | None, environ: Mapping[str, str]) -> Path | None:
    named = file or (Path(environ["WIKIBOT_CONFIG"]) if environ.get("WIKIBOT_CONFIG") else None)
    if named:
        if not named.is_file():
            raise ConfigError(f"There is no settings file at {named}. Nothing was done.")
        return named
    here = Path(FILE_NAME)
    return here if here.is_file() else None


def _read_file(path: Path) -> dict[str, str]:
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(path.read_text(encoding="utf-8"), source=str(path))
    except (configparser.Error, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0]
        raise ConfigError(f"{path} cannot be read as settings: {reason}") from error
    written = {
        f"{section}.{name}": value
        for section in parser.sections()
        for name, value in parser[section].items()
    }
    _refuse_unknown(written, path)
    return written


def _refuse_unknown(written: Iterable[str], path: Path) -> None:
    known = [setting.key for setting in SETTINGS]
    for key in written:
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1, cutoff=0.5)
            hint = (
                f" Did you mean {near[0]}?" if near else " `wikibot config` lists the known ones."
            )
            raise ConfigError(f"Unknown setting {key} in {path}.{hint}")


def _fit(setting: Setting, value: Any, source: str) -> Value:
    fitted = _convert(setting, value, source)
    if isinstance(fitted, float) and not math.isfinite(fitted):
        raise ConfigError(f"{setting.key} from {source} is {value!r}; it must be a finite number.")
    if setting.choices and fitted not in setting.choices:
        raise ConfigError(
            f"{setting.key} from {source} is {value!r}; it can be {', '.join(setting.choices)}."
        )
    if isinstance(fitted, int | float) and not isinstance(fitted, bool):
        _refuse_out_of_range(setting, fitted, source)
    return fitted


def _refuse_out_of_range(setting: Setting, value: float, source: str) -> None:
    is_small = setting.low is not None and value < setting.low
    highest = LARGEST if setting.high is None else setting.high
    if is_small or value > highest:
        low = "" if setting.low is None else f"at least {setting.low:g}"
        high = "" if setting.high is None and is_small else f"at most {highest}"
        wanted = " and ".join(part for part in (low, high) if part)
        raise ConfigError(f"{setting.key} from {source} is {value}; it must be {wanted}.")


def _convert(setting: Setting, value: Any, source: str) -> Value:
    kind = type(setting.default)
    try:
        if kind is bool:
            return value if isinstance(value, bool) else _yes_or_no(value)
        return kind(value)
    except (TypeError, ValueError):
        wanted = {bool: "yes or no", int: "a whole number", float: "a number"}.get(kind, "text")
        raise ConfigError(
            f"{setting.key} from {source} is {value!r}; it must be {wanted}."
        ) from None


def _yes_or_no(value: str) -> bool:
    try:
        return configparser.ConfigParser.BOOLEAN_STATES[value.lower()]
    except KeyError:
        raise ValueError(value) from None
