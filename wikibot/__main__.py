"""`python -m wikibot` is the command `wikibot`."""

from wikibot.cli import main

main()
