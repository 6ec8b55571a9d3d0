"""`wikibot init`: the account that publishes, asked for, tried and written down."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from wikibot.cli.common import echo_json, json_option, say
from wikibot.config import FILE_NAME, load_settings, remember

if TYPE_CHECKING:
    from wikibot.publish.accounts import Setup
    from wikibot.site.connect import Account, Lack, Site

KEPT_IN = ".wikibot-init.json"


class Answers:
    """What was answered so far, kept in FOLDER until the login works; secrets are not among it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / KEPT_IN
        self.known = self._read()

    def _read(self) -> dict[str, str]:
        """The answers of the last time; a file that is missing or damaged holds none."""
        try:
            return {**json.loads(self.path.read_text(encoding="utf-8"))}
        except (OSError, ValueError, TypeError):
            return {}

    def ask(self, name: str, given: str | None, question: str, **how: Any) -> str:
        """The option if it was given, else the answer of a person, who is offered the last one."""
        how["default"] = self.known.get(name) or how.get("default")
        return self.keep(name, str(given or click.prompt(question, **how)))

    def keep(self, name: str, answer: str) -> str:
        self.known[name] = answer
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(json.dumps(self.known), encoding="utf-8")
        return answer

    def forget(self) -> None:
        self.path.unlink(missing_ok=True)


@click.command("init")
@click.option("--url", help="The wiki: any page's address, or that of its api.php.")
@click.option("--user", help="The account that edits: your own, or a bot's.")
@click.option(
    "--login",
    type=click.Choice(["botpassword", "oauth", "password"]),
    help="How the account logs in.",
)
@click.option("--bot-name", help="The bot password's name, from Special:BotPasswords.")
@click.option("--contact", help="An address for the wiki's operators; part of every request.")
@click.option(
    "--secret-from",
    type=click.File("r"),
    help="Read the password, or OAuth's four parts line by line, from a file ('-': standard input).",
)
@click.option(
    "--reviewer",
    help="Your own account, which approves what a bot's account saves; kept in wikibot.cfg.",
)
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where user-config.py goes (default: PYWIKIBOT_DIR, else the current folder).",
)
@click.option("--replace", is_flag=True, help="Write a new user-config.py; the old one is kept.")
@json_option
def init_command(
    folder: Path | None, replace: bool, as_json: bool, reviewer: str | None, **given: Any
) -> int:
    """Write user-config.py and the password file, and check that the account can do its work.

    With your own account you publish as yourself: without a bot flag, and the summaries say that you
    were assisted. With a bot's account you also say who you are: a person approves every edit.

    What is not given as an option is asked for; secrets are never taken from the command line. The
    wiki's address is tried first. If something fails, no file is left behind and the answers are
    offered the next time. Only publishing needs an account: reading does not.

    \b
    Example:
      wikibot init
      wikibot init --url https://en.wikipedia.org --user Ann --login oauth
      wikibot init --url https://en.wikipedia.org --user LinkBot --login botpassword --reviewer Ann
    """
    from wikibot.publish.accounts import refuse_existing, take_back, write_files
    from wikibot.site import connect

    folder = (folder or Path(os.environ.get("PYWIKIBOT_DIR") or ".")).absolute()
    refuse_existing(folder, replace=replace)
    answers = Answers(folder)
    written = write_files(folder, ask_setup(answers, **given), replace=replace)
    # pywikibot reads its configuration when it is first imported, which is below.
    os.environ["PYWIKIBOT_DIR"] = str(folder)
    with take_back(written):
        site = connect.connect()
        account = connect.log_in(site)
        person = ask_reviewer(site, account, reviewer)
    answers.forget()
    if person and (reviewer or not load_settings().text("reviewer")):
        written.append(remember("review.reviewer", person))
    lacks = connect.lacking(account)
    if as_json:
        missing = [asdict(lack) for lack in lacks]
        told = {"files": written, "account": account.name, "reviewer": person, "missing": missing}
        echo_json(told)
    else:
        tell_account(written, account, lacks, person)
    return 1 if any(lack.is_fatal for lack in lacks) or account.block else 0


def ask_setup(
    answers: Answers,
    url: str | None,
    user: str | None,
    login: str | None,
    bot_name: str | None,
    contact: str | None,
    secret_from: IO[str] | None,
) -> Setup:
    """The answers to everything that the options leave open; the secret is asked for last."""
    from wikibot.publish.accounts import LOGINS, Setup, family_of

    url, api_url = ask_address(answers, url)
    family, lang, is_known = family_of(url)
    user = answers.ask("user", user, "User name of the account that edits: your own, or a bot's")
    login = answers.ask(
        "login",
        login,
        "Login with",
        type=click.Choice(LOGINS),
        default="botpassword",
        show_choices=True,
    )
    if login == "botpassword":
        bot_name = answers.ask("bot_name", bot_name, "Name of the bot password (after the @)")
    question = "Your contact for the wiki's operators (address or user page)"
    contact = answers.ask("contact", contact, question)
    secret = tuple(secret_from.read().splitlines()) if secret_from else ask_secret(login)
    own_api = None if is_known else api_url
    return Setup(family, lang, own_api, user, contact, login, secret, bot_name or "")


def ask_address(answers: Answers, given: str | None) -> tuple[str, str]:
    """An address at which a wiki answered, and its api.php; a person may try until one does."""
    from wikibot.errors import ConfigError, WikiUnavailable
    from wikibot.site.address import name_of_wiki
    from wikibot.site.connect import find_api

    while True:
        url = answers.ask("url", given, "Address of the wiki (any page, or api.php)")
        try:
            api_url = find_api(url)
            say(f"Found the wiki {name_of_wiki(api_url)}.", err=True)
            return url, api_url
        except (ConfigError, WikiUnavailable) as error:
            if given:
                raise
            say(str(error), err=True)


def ask_secret(login: str) -> tuple[str, ...]:
    parts = ("Consumer token", "Consumer secret", "Access token", "Access secret")
    questions = parts if login == "oauth" else ("Password",)
    return tuple(click.prompt(question, hide_input=True) for question in questions)


def ask_reviewer(site: Site, account: Account, given: str | None) -> str:
    """The person who approves: the account itself unless it is a bot, else an account that exists.

    Empty if nobody was there to be asked.
    """
    from wikibot.errors import BadInput
    from wikibot.site.history import existing_users

    if not account.is_bot and not given:
        return account.name
    question = "Your own user name on the wiki: it approves the edits (empty: later)"
    while True:
        is_asked = given is None and sys.stdin.isatty()
        name = click.prompt(question, default="", show_default=False) if is_asked else given or ""
        if not name or existing_users(site, [name]):
            return str(name)
        why = f"There is no account “{name}” on this wiki."
        if not is_asked:
            raise BadInput(f"{why} Nothing was written; check the spelling.")
        say(why, err=True)


def tell_account(written: list[Path], account: Account, lacks: list[Lack], person: str) -> None:
    for path in written:
        private = (
            "" if path.suffix == ".cfg" and path.name == FILE_NAME else " (readable by you only)"
        )
        say(f"Wrote {path}{private}.")
    say(f"Logged in as {account.name}.")
    if not account.is_bot:
        say("It is a person's account: edits carry no bot flag and say that they were assisted.")
    elif person:
        say(f"{person} approves what is saved.")
    else:
        say("Nobody is named who approves: set review.reviewer to your own user name.")
    if account.block:
        say(f"But it is {account.block}.")
    for lack in lacks:
        say(f"Missing right '{lack.right}': {lack.consequence}.")
    if not lacks:
        say("The account has every right that publishing uses.")
