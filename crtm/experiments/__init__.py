"""The experiments of the paper and our own: protocols, baselines, tables and pictures. The library does not import them."""
