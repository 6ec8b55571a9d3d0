"""A real MediaWiki for the tests: code tree, private wikis, people who edit them, faults in between."""

from tests.mediawiki.people import Person
from tests.mediawiki.wiki import ADMIN, BOT, BOT_PASSWORD, HUMAN, Account, Wiki

__all__ = ["ADMIN", "BOT", "BOT_PASSWORD", "HUMAN", "Account", "Person", "Wiki"]
