"""The threat: DNS rebinding. A foreign page lets its own name resolve to 127.0.0.1, and the
browser then takes our answers for that site's own. So only requests that name exactly the
address we printed, port included, are answered at all.
"""

from __future__ import annotations

from flask import abort, request

from wikibot.web.i18n import msg
from wikibot.web.review_app import review_app


def refuse_foreign_hosts() -> None:
    """Only requests to our own address go on."""
    ours = {origin.partition("://")[2] for origin in review_app().origins}
    if request.headers.get("Host", "") not in ours:
        abort(403, msg("this-address-is-not-served-here"))
