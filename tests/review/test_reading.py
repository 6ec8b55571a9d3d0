"""The reader's view: contextual links where a real model puts them."""

from __future__ import annotations

from pathlib import Path

import pytest

from crtm import CRTM, Corpus
from tests.review.conftest import Browser
from tests.review.sample import ENGLISH, NOW
from wikibot.excerpt import Block, blocks
from wikibot.reading import MOST_LINKS, load_model, prose_of, with_contextual_links
from wikibot.store import Store, pages
from wikibot.store.tables import Model, Page
from wikibot.web.reading_history import LONGEST, ReadingHistory
from wikibot.wikitext import SiteRules

EN = SiteRules.for_language("en")
CALLED = {"Foghorn": {"fog horn"}, "Tide": {"tides"}, "Prism": {"prisms"}}


@pytest.fixture(scope="session")
def model_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small CRTM, learned from the sample wiki with every proposal as a link."""
    records = []
    for title, text in ENGLISH.items():
        prose = prose_of(blocks(text, EN)).text
        links = [
            [prose.index(name.lower()), prose.index(name.lower()) + len(name), name]
            for name in ENGLISH
            if name != title and name.lower() in prose
        ]
        records.append({"title": title, "text": prose, "links": links})
    corpus = Corpus.from_records(records, min_documents=1, max_share=1.0)
    path = tmp_path_factory.mktemp("model") / "crtm.model"
    CRTM(n_topics=4, max_iter=5, seed=1).fit(corpus).save(path)
    return path


@pytest.fixture
def trained(store: Store, model_file: Path) -> Store:
    """The store with the model in its folder."""
    store.folder.mkdir(exist_ok=True)
    (store.folder / "crtm.model").write_bytes(model_file.read_bytes())
    with store.writing() as session:
        session.add(
            Model(
                wiki_id=1, kind="crtm", path="crtm.model", sha256=str(store.path), parameters={},
                figures={"p_at_1": 0.9, "by": {"seed": 1}}, created_at=NOW,
            )
        )  # fmt: skip
    return store


def contexts(shown: list[Block]) -> list[tuple[str, str]]:
    return [
        (piece.text, piece.target)
        for block in shown
        for piece in block.pieces
        if piece.kind == "context"
    ]


def read(model_file: Path, title: str, before: list[str]) -> list[Block]:
    model = load_model(model_file.parent, model_file.name, "x")
    names = {one: {one.casefold(), *CALLED.get(one, ())} for one in before}
    return with_contextual_links(model, title, blocks(ENGLISH[title], EN), names)


def test_prose_is_every_paragraph_at_its_place() -> None:
    text = ENGLISH["Lighthouse"]
    prose = prose_of(blocks(text, EN))
    start = prose.text.index("thick fog")
    place = prose.place(start, start + len("thick fog"))
    assert place is not None
    assert text[place[0] : place[1]] == "thick fog"


def test_words_that_are_linked_already_have_no_place() -> None:
    prose = prose_of(blocks("In the [[harbour]] wall.", EN))
    start = prose.text.index("harbour")
    assert prose.place(start, start + 7) is None
    assert prose.place(start - 4, start + 7) is None


def test_a_page_read_before_is_linked_from_its_words(model_file: Path) -> None:
    found = contexts(read(model_file, "Lighthouse", list(ENGLISH)))
    assert found
    assert len(found) <= MOST_LINKS
    targets = [target for _, target in found]
    assert len(set(targets)) == len(targets), "one link for each page"
    assert "Lighthouse" not in targets, "no page links to itself"
    assert "Harbour" not in targets, "the page has this link already"


def test_a_link_stands_only_on_words_that_name_its_target(model_file: Path) -> None:
    for words, target in contexts(read(model_file, "Lighthouse", list(ENGLISH))):
        assert words.casefold() in {target.casefold(), *CALLED.get(target, ())}


def test_the_wikis_own_links_say_what_it_calls_a_page(store: Store) -> None:
    with store.writing() as session:
        page = session.query(Page).where(Page.title == "Harbour").one()
        page.title = "Harbour (coast)"
        session.flush()
        found = pages.names_of(session, 1, ["Harbour (coast)", "Tide"])
    assert found == {"Harbour (coast)": {"harbour"}, "Tide": {"tide"}}


def test_contextual_links_change_nothing_of_the_text(model_file: Path) -> None:
    plain = blocks(ENGLISH["Lighthouse"], EN)
    shown = read(model_file, "Lighthouse", list(ENGLISH))
    assert [block.text for block in shown] == [block.text for block in plain]


def test_nothing_read_means_no_links(model_file: Path) -> None:
    assert contexts(read(model_file, "Lighthouse", [])) == []
    assert contexts(read(model_file, "Lighthouse", ["A page that the model never saw"])) == []


def test_the_page_shows_the_links_and_a_click_follows_them(
    trained: Store, browser: Browser
) -> None:
    first = browser.get("/read/Foghorn").text
    assert "is-context" not in first
    for title in ("Fog", "Tide", "Glass", "Ship"):
        browser.get(f"/read/{title}")
    page = browser.get("/read/Lighthouse").text
    assert 'class="piece is-context"' in page
    target = page.split("is-context")[1].split('href="')[1].split('"')[0]
    assert target.startswith("/read/")
    assert browser.get(target).status_code == 200


def test_a_new_sitting_has_read_nothing(trained: Store, browser: Browser) -> None:
    browser.get("/read/Fog")
    page = browser.get("/read")
    assert "Read in this sitting" in page.text
    browser.press(page, "/read")
    assert "Read in this sitting" not in browser.get("/read").text


def test_without_a_model_the_page_is_shown_and_says_so(browser: Browser) -> None:
    page = browser.get("/read/Lighthouse").text
    assert "No model is trained yet" in page
    assert "bright lamp" in page


def test_a_damaged_model_is_named_and_the_page_is_shown(trained: Store, browser: Browser) -> None:
    (trained.folder / "crtm.model").write_bytes(b"damaged")
    browser.get("/read/Fog")
    page = browser.get("/read/Lighthouse").text
    assert "cannot be used" in page
    assert "bright lamp" in page
    assert "cannot be used" in browser.get("/topics").text


def test_a_model_whose_file_is_gone_is_named(trained: Store, browser: Browser) -> None:
    (trained.folder / "crtm.model").unlink()
    assert "is missing" in browser.get("/topics").text


def test_topics_are_shown_with_their_words(trained: Store, browser: Browser) -> None:
    page = browser.get("/topics").text
    assert page.count('class="bar-fill"') == 4


def test_the_models_figures_are_on_the_statistics_page(trained: Store, browser: Browser) -> None:
    page = browser.get("/statistics").text
    assert "p at 1" in page
    assert "by / seed" in page


def test_a_page_is_read_through_a_redirect_and_in_any_spelling(
    trained: Store, browser: Browser
) -> None:
    assert browser.get("/read/fresnel_lens").status_code == 200


def test_a_sitting_remembers_the_newest_and_forgets_the_oldest() -> None:
    sitting = ReadingHistory()
    for number in range(LONGEST + 5):
        sitting.remember(1, f"P{number}")
    sitting.remember(1, "P10")
    sitting.remember(2, "elsewhere")
    titles = sitting.titles(1)
    assert titles[0] == "P10"
    assert "P0" not in titles
    assert "elsewhere" not in titles
