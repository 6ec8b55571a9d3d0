"""The ranker's features: one row per candidate, one module per kind of evidence."""
