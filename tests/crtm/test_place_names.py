"""Names of targets in a document: which are known there, how often they are linked, and where they are free."""

import numpy as np
import pytest

from crtm.corpus import Corpus
from crtm.place_names import NAME_COLUMNS, NameReader, NameTable
from crtm.places import segments

RECORDS = [
    {"title": "Red River", "text": "Water flows down there."},
    {
        "title": "Valley",
        "text": "The valley has water. Red River begins here. Red River ends there. The stream is long.",
        "links": [[22, 31, "Red River"], [75, 81, "Red River"]],
    },
    {
        "title": "Town",
        "text": "The town lies on the stream. Red River floods it. Old Red River Bridge fell.",
        "links": [[21, 27, "Red River"]],
    },
    {"title": "Bridge", "text": "A bridge over Red River. The stream is below. The stream is cold."},
]  # fmt: skip


@pytest.fixture(scope="module")
def corpus():
    return Corpus.from_records(RECORDS, min_documents=1, max_share=1.0)


def name_of(corpus, text):
    return tuple(corpus.vocabulary.index[word] for word in text.split())


def columns_of(corpus, source, target, table=None):
    document = corpus[corpus.index[source]]
    reader = NameReader(table or NameTable(corpus), document, segments(document, "sentence"))
    found = reader.columns(corpus.index[target])
    return dict(zip(NAME_COLUMNS, found.T.tolist(), strict=True))


def test_names_that_only_the_document_itself_links_with_are_not_known_in_it(corpus):
    records = [dict(RECORDS[1], links=RECORDS[1]["links"][:1]), *RECORDS[:1], *RECORDS[2:]]
    once = Corpus.from_records(records, min_documents=1, max_share=1.0)
    table, stream = NameTable(once), name_of(once, "stream")
    river, town, bridge = (once.index[title] for title in ("Red River", "Town", "Bridge"))
    assert stream not in table.known(river, town)
    assert table.known(river, bridge)[stream] == 1


def test_the_title_is_known_everywhere_and_counts_the_links_of_others(corpus):
    table, river = NameTable(corpus), corpus.index["Red River"]
    title = name_of(corpus, "red river")
    assert table.known(river, corpus.index["Valley"])[title] == 0
    assert table.known(river, corpus.index["Town"])[title] == 1


def test_occurrences_are_counted_by_document(corpus):
    found = NameTable(corpus).occurrences(name_of(corpus, "red river"))
    assert found == {corpus.index["Valley"]: 2, corpus.index["Town"]: 2, corpus.index["Bridge"]: 1}


def test_the_rate_is_the_share_of_a_name_s_places_elsewhere_that_are_linked(corpus):
    table, stream = NameTable(corpus), name_of(corpus, "stream")
    rate, sense = table.facts(stream, 1, corpus.index["Valley"])  # one link, three times in all
    assert rate == pytest.approx(1 / 4) and sense == pytest.approx(1 / 2)


def test_a_name_inside_a_link_is_not_free_and_one_beside_a_capital_is_not_whole(corpus):
    free = columns_of(corpus, "Valley", "Red River")
    assert free["mention"] == [0, 1, 1, 1] and free["free"] == [0, 0, 1, 0]
    assert free["first_free"] == [0, 0, 1, 0] and free["first_mention"] == [0, 1, 0, 0]
    town = columns_of(corpus, "Town", "Red River")
    assert town["whole"] == [0, 1, 0] and town["free"] == [0, 1, 1]
    assert town["order"] == pytest.approx([0, np.log(2), np.log(3)])


def test_a_document_without_a_name_has_no_columns_above_zero(corpus):
    assert not np.any(list(columns_of(corpus, "Red River", "Town").values()))
