"""From a page's text and what the wiki's links teach to proposals with reasons.

    page = read(title, text, rules)                        columns of words; links apart from them
    knowledge = Knowledge.open(folder)                     sums over pages, memory-mapped
    score_page(page, knowledge, ranker, policy)            the only way to a proposal

Nothing here knows a database, a live wiki or the command line.
"""

import os

# Read when LightGBM's threads are first loaded, so it is set before any module that loads them.
# Threads that spin while they wait take the core that the thread they wait for needs.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
