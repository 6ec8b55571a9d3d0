"""The database: tables, sessions and every query; the only package that imports sqlalchemy."""

from sqlalchemy.orm import Session

from wikibot.store.engine import Store, open_store, store_at

__all__ = ["Session", "Store", "open_store", "store_at"]
