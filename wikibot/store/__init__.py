"""The database: tables, sessions and every query; the only package that imports sqlalchemy."""

from wikibot.store.engine import Store, open_store

__all__ = ["Store", "open_store"]
