"""Pages from an export or a live wiki, read once each and stored with every offset."""
