"""Imported once by the server from which publishers are forked."""

import pywikibot
import sqlalchemy.orm

import tests.publish.world
import wikibot.publish.publishing

__all__ = ["pywikibot", "sqlalchemy", "tests", "wikibot"]
