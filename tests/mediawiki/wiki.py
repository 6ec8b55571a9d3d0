"""A private wiki on SQLite under PHP's own web server, all its state in one folder.

A finished folder holds no absolute path to itself, so one template is built and copied per test.
`extra.php` in it is read at every request (settings, hooks); a non-empty `readonly` locks the wiki.
"""

from __future__ import annotations

import bz2
import gzip
import json
import os
import shutil
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO
from xml.etree import ElementTree

from tests.mediawiki.people import Person
from tests.waiting import wait_until

REPOSITORY = Path(__file__).parents[2]
EXTENSIONS = "ParserFunctions,AbuseFilter,SpamBlacklist,TitleBlacklist,Cite"
BOT_GRANTS = "basic,highvolume,editpage,createeditmovepage,editprotected"
SETTINGS = Path(__file__).with_name("settings.php")


@dataclass(frozen=True, slots=True)
class Account:
    """A name and password that api.php's login takes."""

    name: str
    password: str


ADMIN = Account("Admin", "Admin-local-password-1")
BOT = Account("LinkBot", "LinkBot-local-password-1")
HUMAN = Account("Human", "Human-local-password-1")
BOT_PASSWORD = Account("LinkBot@test", "0123456789abcdef0123456789abcdef")

USER_CONFIG = """\
family_files['testwiki'] = '{api}'
family = mylang = 'testwiki'
usernames['testwiki']['testwiki'] = '{user}'
password_file = 'user-password.cfg'
user_agent_description = 'the tests of wikibot'
minthrottle = 0
put_throttle = 0
max_retries = 2
retry_wait = retry_max = 0
"""


@dataclass(slots=True)
class Wiki:
    """One wiki: `folder` is its state, `tree` the code it shares with the others."""

    folder: Path
    tree: Path
    port: int = 0
    server: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def api(self) -> str:
        return f"{self.url}/api.php"

    def install(self) -> None:
        """The folder is a wiki with the accounts above and no pages but the main page."""
        for name in ("data", "cache", "images", "tmp"):
            (self.folder / name).mkdir(parents=True)
        install = self.tree / "maintenance" / "install.php"
        database = ["--dbtype", "sqlite", "--dbname", "wiki", "--dbpath", self.folder / "data"]
        site = ["--server", "http://127.0.0.1", "--scriptpath", "", "--lang", "en"]
        parts = ["--skins", "Vector", "--extensions", EXTENSIONS, "--confpath", self.folder]
        account = ["--pass", ADMIN.password, "Test wiki", ADMIN.name]
        self.log("php", install, *database, *site, *parts, *account)
        self.make_movable()
        shutil.copy(SETTINGS, self.folder / "settings.php")
        self.maintenance("createAndPromote", "--bot", BOT.name, BOT.password)
        self.maintenance("createAndPromote", HUMAN.name, HUMAN.password)
        name, _, application = BOT_PASSWORD.name.partition("@")
        options = ["--appid", application, "--grants", BOT_GRANTS]
        self.maintenance("createBotPassword", *options, name, BOT_PASSWORD.password)

    def make_movable(self) -> None:
        """Nothing in the settings names the folder: a copy uses its own databases, all of them."""
        settings = self.folder / "LocalSettings.php"
        text = settings.read_text().replace(f'"{self.folder}/data"', "__DIR__ . '/data'")
        assert str(self.folder) not in text
        settings.write_text(f"{text}\nrequire __DIR__ . '/settings.php';\n")

    def copy_to(self, folder: Path) -> Wiki:
        """A second wiki with the same content; this one must not be running."""
        shutil.copytree(self.folder, folder)
        return Wiki(folder, self.tree)

    def maintenance(self, script: str, *arguments: object, stdin: IO[bytes] | None = None) -> None:
        """One of MediaWiki's maintenance scripts ran on this wiki and succeeded."""
        runner = self.tree / "maintenance" / "run.php"
        environment = {"MW_CONFIG_FILE": str(self.folder / "LocalSettings.php")}
        self.log("php", runner, script, *arguments, stdin=stdin, **environment)

    def log(self, *command: object, stdin: IO[bytes] | None = None, **environment: str) -> None:
        words = [str(word) for word in command]
        with (self.folder / "maintenance.log").open("ab") as log:
            done = subprocess.run(
                words,
                stdin=stdin or subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **environment},
            )
        assert done.returncode == 0, f"{words} failed: {last_lines(log.name)}"

    def import_export(self, export: Path) -> None:
        """The pages of EXPORT (.xml, .xml.gz or .xml.bz2) are in the wiki, links and categories too."""
        opener = {".bz2": bz2.open, ".gz": gzip.open}.get(export.suffix, open)
        plain = self.folder / "tmp" / "import.xml"
        with opener(export, "rb") as packed, plain.open("wb") as unpacked:
            shutil.copyfileobj(packed, unpacked)
        self.maintenance("importDump", plain)
        plain.unlink()
        self.maintenance("rebuildrecentchanges")
        self.maintenance("runJobs")
        self.maintenance("initSiteStats", "--update")

    def import_text(self, title: str, text: str) -> None:
        """TITLE holds TEXT byte for byte; nothing in it is substituted, as it is on saving."""
        export = ElementTree.Element("mediawiki", {"version": "0.11", "xml:lang": "en"})
        page = ElementTree.SubElement(export, "page")
        ElementTree.SubElement(page, "title").text = title
        revision = ElementTree.SubElement(page, "revision")
        for name, value in (("timestamp", "2020-01-01T00:00:00Z"), ("model", "wikitext")):
            ElementTree.SubElement(revision, name).text = value
        ElementTree.SubElement(revision, "text", {"xml:space": "preserve"}).text = text
        written = self.folder / "tmp" / "import.xml"
        xml = ElementTree.tostring(export, encoding="unicode").replace("\r", "&#13;")
        written.write_text(xml, encoding="utf-8")
        self.maintenance("importDump", "--no-updates", written)
        written.unlink()

    def start(self, port: int = 0) -> Wiki:
        """The wiki answers at `url`; a free port is taken unless PORT names one."""
        self.port = port or free_port()
        environment = {
            **os.environ,
            "MW_CONFIG_FILE": str(self.folder / "LocalSettings.php"),
            "MW_SERVER": self.url,
            "PHP_CLI_SERVER_WORKERS": "4",
        }
        php = ["php", "-d", "opcache.revalidate_freq=0", "-d", "memory_limit=256M"]
        serve = ["-S", f"127.0.0.1:{self.port}", "-t", str(self.tree)]
        with (self.folder / "server.log").open("ab") as log:
            self.server = subprocess.Popen(
                [sys.executable, "-m", "tests.mediawiki.guard", *php, *serve],
                cwd=REPOSITORY,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                env=environment,
            )
        wait_until(self.answers, within_s=60, what=f"an answer from {self.api}")
        return self

    def answers(self) -> bool:
        assert self.server is not None
        assert self.server.poll() is None, last_lines(self.folder / "server.log")
        question = f"{self.api}?action=query&meta=siteinfo&format=json"
        try:
            with urllib.request.urlopen(question, timeout=30) as answer:
                return "generator" in json.load(answer)["query"]["general"]
        except (urllib.error.URLError, ConnectionError):
            return False

    def stop(self) -> None:
        """No process of this wiki is left."""
        if self.server is not None and self.server.stdin is not None:
            self.server.stdin.close()
            self.server.wait(timeout=30)
        self.server = None

    def __enter__(self) -> Wiki:
        return self if self.server else self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def person(self, account: Account) -> Person:
        """ACCOUNT, logged in, ready to edit."""
        return Person.log_in(self.api, name=account.name, password=account.password)

    def pywikibot_folder(self, folder: Path, *, api: str = "") -> Path:
        """FOLDER makes pywikibot LinkBot on this wiki, through API if a proxy stands before it.

        Set PYWIKIBOT_DIR to it: cookies and caches then stay there too.
        """
        folder.mkdir(parents=True, exist_ok=True)
        name, _, suffix = BOT_PASSWORD.name.partition("@")
        (folder / "user-config.py").write_text(USER_CONFIG.format(api=api or self.api, user=name))
        password = folder / "user-password.cfg"
        password.write_text(f"({name!r}, BotPassword({suffix!r}, {BOT_PASSWORD.password!r}))\n")
        password.chmod(0o600)
        return folder

    def extra(self, php: str) -> None:
        """From the next request on, PHP is part of the wiki's settings (and nothing else extra)."""
        written = self.folder / "extra.php.new"
        written.write_text(f"<?php\n{php}\n")
        written.replace(self.folder / "extra.php")

    def read_only(self, reason: str) -> None:
        """The wiki refuses writes with REASON; an empty reason opens it again."""
        (self.folder / "readonly").write_text(reason)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def last_lines(path: str | Path, count: int = 15) -> str:
    return "\n".join(Path(path).read_text(errors="replace").splitlines()[-count:])
