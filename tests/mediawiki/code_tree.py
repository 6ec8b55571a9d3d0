"""MediaWiki's code: found in the cache folder, else taken from Debian's packages.

apt does the fetching, with folders of its own and the mirror it is already set up with, so the
signature of the archive and the checksum of each package are verified by apt itself.  Neither root
nor any change to the machine is needed.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

VERSION = "1.43"
DEBIAN_SUITE = "trixie"
PACKAGES = ("mediawiki", "mediawiki-classes")
PHP_MODULES = ("intl", "mbstring", "pdo_sqlite", "sqlite3", "xml")


class MissingComponentError(Exception):
    """Something that a real wiki needs is not on this machine; the message says what to install."""


def code_tree() -> Path:
    """The folder with MediaWiki's api.php, fetched first if it was not there."""
    check_php()
    tree = Path(os.environ.get("WIKIBOT_MEDIAWIKI") or default_folder())
    if not (tree / "api.php").is_file():
        with only_one(tree.with_name(tree.name + ".lock")):
            if not (tree / "api.php").is_file():
                fetch_tree(tree)
    return tree


def default_folder() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "wikibot" / f"mediawiki-{VERSION}"


def check_php() -> None:
    """Refuses with the packages to install when PHP or a module that MediaWiki needs is missing."""
    if shutil.which("php") is None:
        raise MissingComponentError(
            "PHP is not installed; see CONTRIBUTING.md for the packages the tests need."
        )
    loaded = subprocess.run(["php", "-m"], capture_output=True, text=True, check=True).stdout
    absent = sorted(set(PHP_MODULES) - set(loaded.lower().split()))
    if absent:
        raise MissingComponentError(
            f"PHP lacks the modules {', '.join(absent)}; see CONTRIBUTING.md."
        )


@contextmanager
def only_one(lock: Path) -> Iterator[None]:
    """Holds LOCK, so that parallel test workers fetch the tree or build the template once."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def fetch_tree(tree: Path) -> None:
    """TREE holds MediaWiki's code; an interrupted fetch leaves no half tree under that name."""
    for tool in ("apt-get", "dpkg-deb"):
        if shutil.which(tool) is None:
            raise MissingComponentError(
                f"{tool} is not here to get MediaWiki; set WIKIBOT_MEDIAWIKI to a tree."
            )
    with tempfile.TemporaryDirectory(dir=tree.parent) as scratch:
        unpacked = unpack(download(Path(scratch)), Path(scratch) / "root")
        unpacked.rename(tree)


def download(scratch: Path) -> list[Path]:
    """The packages, from the first of apt's configured mirrors that carries them."""
    refusals = []
    for site, signed_by in mirrors():
        options = private_apt(scratch, site=site, signed_by=signed_by)
        try:
            apt(options, "update", "-qq", folder=scratch)
            apt(options, "download", "-qq", *PACKAGES, folder=scratch)
        except subprocess.CalledProcessError as error:
            refusals.append(error.stderr.strip())
        else:
            return sorted(scratch.glob("*.deb"))
    raise MissingComponentError(
        f"No mirror that apt knows has MediaWiki {VERSION}: {' / '.join(refusals) or 'none set up'}"
    )


def mirrors() -> list[tuple[str, str]]:
    """Each (site, signing keys) that apt on this machine is set up with, without repetition."""
    listed = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(SITE)\t$(SIGNED_BY)", "Created-By: Packages"],
        capture_output=True,
        text=True,
        check=True,
    )
    # A field that a source does not set comes back as its own name.
    known = listed.stdout.replace("$(SIGNED_BY)", "")
    rows = (line.partition("\t") for line in known.splitlines())
    return list(dict.fromkeys((site, keys) for site, _, keys in rows))


def private_apt(scratch: Path, *, site: str, signed_by: str) -> list[str]:
    """Options under which apt sees one suite of one site and writes below SCRATCH only."""
    for folder in ("lists/partial", "cache/archives/partial"):
        (scratch / folder).mkdir(parents=True, exist_ok=True)
    keys = f"[signed-by={signed_by}] " if signed_by else ""
    (scratch / "sources.list").write_text(f"deb {keys}{site} {DEBIAN_SUITE} main\n")
    settings = {
        "Dir::State::Lists": scratch / "lists",
        "Dir::Cache": scratch / "cache",
        "Dir::Etc::SourceList": scratch / "sources.list",
        "Dir::Etc::SourceParts": "-",
        "APT::Sandbox::User": "",
        "APT::Update::Error-Mode": "any",
        "Acquire::Languages": "none",
        "Acquire::Retries": "3",
    }
    return [word for key, value in settings.items() for word in ("-o", f"{key}={value}")]


def apt(options: list[str], *arguments: str, folder: Path) -> None:
    subprocess.run(
        ["apt-get", *options, *arguments], cwd=folder, capture_output=True, text=True, check=True
    )


def unpack(packages: list[Path], root: Path) -> Path:
    """The packages' MediaWiki folder, free of Debian's links to absolute paths."""
    for package in packages:
        subprocess.run(["dpkg-deb", "-x", package, root], check=True)
    tree = root / "usr/share/mediawiki"
    for link in ("LocalSettings.php", "config", "extensions", "images"):
        (tree / link).unlink(missing_ok=True)
    (tree / "extensions-core").rename(tree / "extensions")
    (tree / "images").mkdir()
    return tree
