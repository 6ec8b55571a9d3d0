"""The wiki: the only package that imports pywikibot."""
