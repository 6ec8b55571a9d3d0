"""Check the installation and the database: is everything in order, and if not, what to do?"""

from __future__ import annotations

import ctypes
import hashlib
import shutil
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from wikibot.config import FILE_NAME, Settings, load_settings
from wikibot.errors import ConfigError, WikibotError
from wikibot.store import open_store
from wikibot.store.engine import sqlite_path, store_url
from wikibot.store.health import Health, examine
from wikibot.store.status import Status, read_status

COMPONENTS = (
    "pywikibot",
    "mwparserfromhell",
    "sqlalchemy",
    "alembic",
    "numpy",
    "scipy",
    "numba",
    "gensim",
    "lightgbm",
    "flask",
)
MIN_FREE_BYTES = 500 << 20
LIBGOMP = "libgomp.so.1"
LIBGOMP_IS_MISSING = (
    f"The system library {LIBGOMP} is missing, without which LightGBM cannot learn or propose."
)
INSTALL_LIBGOMP = (
    "Install it: `sudo apt-get install libgomp1` on Debian and Ubuntu, the package libgomp on "
    "Fedora, Arch and Alpine."
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at; `advice` says what to do where it is not well."""

    name: str
    is_well: bool
    said: str
    advice: str = ""


def examine_all(db: str | None = None) -> list[Finding]:
    """Everything that was looked at, in the order in which trouble should be mended."""
    try:
        settings = load_settings(db=db)
    except ConfigError as error:
        return [Finding("configuration", False, str(error), "Correct the setting it names.")]
    where = settings.text("db")
    found = [_configuration(settings), *_secrets(), *_components(), _libgomp(), _archives()]
    path = sqlite_path(store_url(where))
    if path is not None:
        found.append(_space(path))
        if not path.exists():
            said, advice = f"There is none at {path} yet.", "Run `wikibot fetch`, or name it."
            return [*found, Finding("database", True, said, advice)]
    return [*found, *_database(where)]


def _configuration(settings: Settings) -> Finding:
    changed = [one for one in settings.effective() if one.source != "default"]
    said = ", ".join(f"{one.setting.key}={one.value} ({one.source})" for one in changed)
    file = "" if Path(FILE_NAME).exists() else f"No {FILE_NAME} here; "
    return Finding("configuration", True, f"{file}{said or 'defaults are used.'}")


def _secrets() -> Iterator[Finding]:
    """Files of pywikibot in the current folder that others could read."""
    for name in ("user-password.cfg", "user-password.py", "user-config.py"):
        path = Path(name)
        if path.exists():
            is_private = not path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO)
            is_well = is_private or name == "user-config.py"
            said = "only you can read it." if is_private else "others can read it."
            yield Finding(name, is_well, said, "" if is_well else f"Run: chmod 600 {name}")


def _components() -> Iterator[Finding]:
    is_new = sys.version_info >= (3, 10)
    python = ".".join(map(str, sys.version_info[:3]))
    yield Finding("python", is_new, python, "" if is_new else "Install Python 3.10 or newer.")
    for name in COMPONENTS:
        try:
            yield Finding(name, True, version(name))
        except PackageNotFoundError:
            yield Finding(name, False, "not installed", "Run: pip install wikibot-links")


def _libgomp() -> Finding:
    """Python packages bring all they need but this one library, which belongs to the system."""
    if sys.platform != "linux":
        return Finding("libgomp", True, "not needed on this system")
    try:
        ctypes.CDLL(LIBGOMP)
    except OSError:
        return Finding("libgomp", False, LIBGOMP_IS_MISSING, INSTALL_LIBGOMP)
    return Finding("libgomp", True, f"{LIBGOMP} is there.")


def _archives() -> Finding:
    tool = shutil.which("7z") or shutil.which("7za") or shutil.which("7zr")
    said = f"7z: {tool}" if tool else "There is no 7z tool, so .7z exports cannot be read."
    return Finding("archives", True, said, "" if tool else "Install p7zip if you need them.")


def _space(path: Path) -> Finding:
    folder = path.resolve().parent
    if not folder.exists():
        return Finding("disk space", False, f"{folder} does not exist.", "Make the folder.")
    free = shutil.disk_usage(folder).free
    needed = max(MIN_FREE_BYTES, 2 * path.stat().st_size if path.exists() else 0)
    said = f"{free / 1e9:.1f} GB free in {folder}"
    advice = f"Free some: {needed / 1e9:.1f} GB are wanted for backups and new pages."
    return Finding("disk space", free >= needed, said, "" if free >= needed else advice)


def _database(where: str) -> Iterator[Finding]:
    health = examine(where)
    yield from _soundness(health)
    if not health.damage and health.schema_version == health.newest_version:
        try:
            with open_store(where) as store, store.reading() as session:
                found = read_status(session)
                folder = store.folder
        except WikibotError as error:
            yield Finding("content", False, str(error), "Restore a backup, or fetch again.")
            return
        yield from _content(found)
        yield from _models(found, folder)


def _soundness(health: Health) -> Iterator[Finding]:
    damage = "; ".join(health.damage[:3])
    advice = "Stop using the file, restore a backup (*.backup beside it), or fetch again."
    yield Finding("integrity", not damage, damage or "sound", advice if damage else "")
    if damage:
        return
    broken = "; ".join(health.broken_references[:3])
    yield Finding("references", not broken, broken or "sound", advice if broken else "")
    yield _schema(health)
    yield Finding("engine", True, health.server)


def _schema(health: Health) -> Finding:
    current, newest = health.schema_version, health.newest_version
    if current == newest:
        return Finding("schema", True, f"version {current}")
    if current is None:
        return Finding("schema", False, "There are no tables of this program.", "Check --db.")
    is_older = current < newest
    older = "The next command that opens it makes a backup and updates it."
    newer = "Update this program; an older one refuses to touch the file."
    said = f"version {current}, this program writes {newest}"
    return Finding("schema", is_older, said, older if is_older else newer)


def _content(found: Status) -> Iterator[Finding]:
    for wiki in found.wikis:
        said = f"{wiki.counts.pages} pages, {wiki.counts.links} links"
        advice = "" if wiki.counts.pages else "Run `wikibot fetch` again: it goes on."
        yield Finding(wiki.wiki.name, bool(wiki.counts.pages), said, advice)
        open_ends = wiki.outbox.get("sent", 0) + wiki.outbox.get("unknown", 0)
        if open_ends:
            said = f"{open_ends} edits of which it is not known whether they arrived"
            yield Finding("outbox", False, said, "Run `wikibot publish`: it looks them up first.")
    stopped = [run for run in found.runs if run.state in ("running", "interrupted", "failed")]
    if found.runs and stopped and stopped[0] is found.runs[0]:
        last = stopped[0]
        said = f"the last one, {last.command}, is {last.state}"
        yield Finding("runs", last.state == "running", said, "Run the same command again.")


def _models(found: Status, folder: Path) -> Iterator[Finding]:
    newest = {(wiki.wiki.id, m.kind): m for wiki in found.wikis for m in reversed(wiki.models)}
    for model in newest.values():
        path = folder / model.path
        is_well = path.exists() and _sha256(path) == model.sha256
        said = f"{model.path} is as it was written" if is_well else f"{path} is missing or changed"
        advice = "" if is_well else "Run `wikibot train` again."
        yield Finding(f"model {model.kind}", is_well, said, advice)


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()
