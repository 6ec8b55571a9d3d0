"""The paper's tables from the files that ``scripts/paper.py`` writes, one for each system and split."""


def markdown(work, exports):
    return ""
