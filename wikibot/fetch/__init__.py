"""Pages from an export or a live wiki, read once each and stored with every offset."""

from wikibot.fetch.from_export import ExportOptions, fetch_export
from wikibot.fetch.report import FetchReport

__all__ = ["ExportOptions", "FetchReport", "fetch_export"]
