"""What the linker's tests share: one made-up wiki, learned once per worker."""

from __future__ import annotations

import pytest

from tests.linker.wikis import Wiki, learned, made_topics, towns
from wikibot.linker.ranker import Ranker
from wikibot.linker.topics import TopicTables
from wikibot.linker.training import learn_ranker


@pytest.fixture(scope="session")
def town_wiki() -> Wiki:
    """Sixty pages without topics."""
    return learned(towns())


@pytest.fixture(scope="session")
def town_ranker(town_wiki: Wiki) -> Ranker:
    ranker = learn_ranker(town_wiki.pages, town_wiki.knowledge, town_wiki.parts)
    assert isinstance(ranker, Ranker)
    return ranker


@pytest.fixture(scope="session")
def topic_tables() -> TopicTables:
    return made_topics(towns())


@pytest.fixture(scope="session")
def topic_wiki(topic_tables: TopicTables) -> Wiki:
    """The same pages with the topics of made-up tables."""
    return learned(towns(), topics=topic_tables)


@pytest.fixture(scope="session")
def topic_ranker(topic_wiki: Wiki) -> Ranker:
    ranker = learn_ranker(topic_wiki.pages, topic_wiki.knowledge, topic_wiki.parts)
    assert isinstance(ranker, Ranker)
    return ranker
