"""Candidates, features, the ranker and the rules: from a wiki's links to proposals."""

import os

# Read once, when LightGBM's threads are first loaded, so it stands before any module that does so.
# Threads that spin while they wait for each other take the core that the one they wait for needs:
# beside another busy process, learning from 1,640 pages took over ten minutes instead of three.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
