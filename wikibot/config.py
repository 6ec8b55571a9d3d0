"""Settings: defaults, then `wikibot.cfg`, then the environment, then the command line.

Every setting is one row of `wikibot/settings.py`; nothing else in the program has a default of its own.
"""

from __future__ import annotations

import configparser
import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wikibot.errors import ConfigError
from wikibot.settings import SETTINGS, Setting, Value

FILE_NAME = "wikibot.cfg"

LARGEST = 2**31 - 1  # for numbers without a limit of their own


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
    from difflib import get_close_matches

    known = [setting.key for setting in SETTINGS]
    for key in written:
        if key not in known:
            near = get_close_matches(key, known, n=1, cutoff=0.5)
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
            states = configparser.ConfigParser.BOOLEAN_STATES
            return value if isinstance(value, bool) else states[value.lower()]
        return kind(value)
    except (KeyError, TypeError, ValueError):
        wanted = {bool: "yes or no", int: "a whole number", float: "a number"}.get(kind, "text")
        raise ConfigError(
            f"{setting.key} from {source} is {value!r}; it must be {wanted}."
        ) from None
