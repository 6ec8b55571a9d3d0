"""Links for programs: the HTTP API, its description, its limits, and the processes that answer.

    Service           what every request needs: the database, the linkers, the limits
    create_app(...)   the API as an application; `beside` puts it at the address of another one
    serve_api(...)    `wikibot serve --api-only`: processes on one port of this machine

Every proposal comes from the linker (`score_page`), as those of the queue do.
"""
