"""Ways in which a real wiki says no, each with its end: the wiki is as before after the block."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from tests.mediawiki.people import Person
from tests.mediawiki.wiki import Wiki

LAGGED = """
$wgHooks['ApiMaxLagInfo'][] = static function ( &$info ) {
    $info = [ 'host' => 'replica', 'lag' => 20, 'type' => 'db' ];
};
"""
FEW_EDITS = """
$wgGroupPermissions['bot']['noratelimit'] = false;
$wgGroupPermissions['sysop']['noratelimit'] = true;
$wgMainCacheType = CACHE_DB;
$wgRateLimits['edit']['user'] = [ 2, 600 ];
$wgRateLimits['edit']['&can-bypass'] = false;
"""

# Magic words are known in the language of the wiki.
GERMAN = "$wgLanguageCode = 'de';"
INTERWIKI = """
$wgHooks['InterwikiLoadPrefix'][] = static function ( $prefix, &$data ) {
    $data = [ 'iw_url' => 'https://example.org/$1', 'iw_local' => 0, 'iw_trans' => 0,
        'iw_api' => '', 'iw_wikiid' => '' ];
    return $prefix !== 'de';
};
"""

# Bots may override the spam list by default.
NO_OVERRIDE = "$wgGroupPermissions['bot']['sboverride'] = false;"


@contextmanager
def settings(wiki: Wiki, php: str) -> Iterator[None]:
    """The wiki has these settings meanwhile."""
    wiki.extra(php)
    try:
        yield
    finally:
        wiki.extra("")


@contextmanager
def read_only(wiki: Wiki) -> Iterator[None]:
    wiki.read_only("The wiki is being repaired.")
    try:
        yield
    finally:
        wiki.read_only("")


@contextmanager
def page_says(person: Person, title: str, text: str) -> Iterator[None]:
    """TITLE has TEXT meanwhile and is deleted afterwards."""
    person.write(title, text)
    try:
        yield
    finally:
        person.do("delete", title=title)


@contextmanager
def blocked(admin: Person, user: str, **parameters: object) -> Iterator[None]:
    admin.do("block", user=user, expiry="never", reason="runs wild", **parameters)
    try:
        yield
    finally:
        admin.do("unblock", user=user)


@contextmanager
def abuse_filter(wiki: Wiki, pattern: str, action: str) -> Iterator[None]:
    """A filter with this pattern warns or disallows meanwhile."""
    columns = "af_pattern, af_actor, af_timestamp, af_actions, af_comments, af_public_comments"
    with closing_database(wiki) as database:
        filter_id = database.execute(
            f"insert into abuse_filter ({columns}) values (?, 1, '20200101000000', ?, '', 'a rule')",
            (pattern, action),
        ).lastrowid
        database.execute(
            "insert into abuse_filter_action values (?, ?, ?)",
            (filter_id, action, f"abusefilter-{'warning' if action == 'warn' else 'disallowed'}"),
        )
    try:
        yield
    finally:
        with closing_database(wiki) as database:
            database.execute("delete from abuse_filter where af_id = ?", (filter_id,))
            database.execute("delete from abuse_filter_action where afa_filter = ?", (filter_id,))


def forget_sessions(wiki: Wiki) -> None:
    """Everybody is logged out."""
    for name in ("wiki.sqlite", "wikicache.sqlite"):
        with closing_database(wiki, name) as database:
            database.execute("delete from objectcache")


@contextmanager
def closing_database(wiki: Wiki, name: str = "wiki.sqlite") -> Iterator[sqlite3.Connection]:
    database = sqlite3.connect(wiki.folder / "data" / name, timeout=30)
    try:
        with database:
            yield database
    finally:
        database.close()
