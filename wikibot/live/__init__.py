"""`wikibot follow`: a wiki's changes are noticed, and the queue follows within a minute.

Follower         fetches and scores the pages that changed, and keeps how far it has come
RecentChanges    the changes of any wiki, by asking again and again
EventStream      those of Wikimedia's wikis, as they happen
"""
