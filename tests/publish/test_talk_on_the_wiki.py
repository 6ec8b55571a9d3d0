"""Proposals on real talk pages: one section, answers with their authors, closed when decided."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.mediawiki import HUMAN, Person
from tests.mediawiki import provocations as provoke
from tests.publish.world import World
from wikibot.publish.collect import collect
from wikibot.publish.publishing import publish
from wikibot.publish.signature import signature_in
from wikibot.publish.undo import undo
from wikibot.store import tables

pytestmark = pytest.mark.wiki

TEXT = "The Severn is a river. It rises in Wales and flows to the sea.\n\nIt has a bridge."


def test_answers_on_a_talk_page_become_decisions_of_their_authors(world: World) -> None:
    for title in ("River", "Wales", "Bridge"):
        world.page(title, f"'''{title}''' is a word.")
    severn = world.page("Severn", TEXT)
    numbers = [world.suggest(severn, word, word.title()) for word in ("river", "Wales", "bridge")]
    report = publish(world.publisher(), "talk")
    assert [outcome.state for outcome in report.outcomes] == ["done"], report
    talk = world.person.text("Talk:Severn")
    human = world.wiki.person(HUMAN)
    human.write("Talk:Severn", talk.replace("* [ ]", "* [yes]", 1))
    world.person.write(
        "Talk:Severn", human.text("Talk:Severn").replace("* [ ]", "* [no: too common]", 1)
    )
    collected = collect(world.publisher())
    assert [world.state(number) for number in numbers] == ["approved", "rejected", "pending"]
    assert [answer.user for answer in collected.answers] == ["Human", "Admin"]
    human.write("Talk:Severn", human.text("Talk:Severn").replace("* [ ]", "* [yes]", 1))
    collect(world.publisher())
    assert "have been decided" in str(human.text("Talk:Severn"))
    assert world.state(numbers[2]) == "approved"


def proposed(world: World, title: str, *targets: str) -> list[int]:
    """A page with pending proposals; the section is on its talk page."""
    for target in targets:
        world.page(target, f"'''{target}''' is a word.")
    page = world.page(title, TEXT)
    anchors = {"River": "river", "Wales": "Wales", "Bridge": "bridge"}
    numbers = [world.suggest(page, anchors[target], target) for target in targets]
    assert publish(world.publisher(), "talk").exit_code == 0
    return numbers


def talk(world: World, title: str) -> str:
    return world.person.text(f"Talk:{title}") or ""


def test_the_section_is_signed_and_dated_as_the_wiki_does_it(world: World) -> None:
    proposed(world, "Signed", "River")
    signature = signature_in(talk(world, "Signed"))
    assert re.match(r"\[\[User:LinkBot\|LinkBot\]\] .*\d\d:\d\d, \d+ \w+ \d{4} \(UTC\)$", signature)
    human = world.wiki.person(HUMAN)
    human.write("Talk:Signed", talk(world, "Signed").replace("* [ ]", "* [+]", 1))
    collect(world.publisher())
    assert "have been decided" in talk(world, "Signed")
    assert signature_in(talk(world, "Signed")) == signature


WITH_REPLY = """
wfLoadExtension( 'Linter' );
wfLoadExtension( 'VisualEditor' );
wfLoadExtension( 'DiscussionTools' );
"""


def test_discussion_tools_see_one_comment_of_ours_to_which_people_can_reply(world: World) -> None:
    proposed(world, "Replied", "River", "Wales")
    with provoke.settings(world.wiki, WITH_REPLY):
        answer = world.person.get(
            action="discussiontoolspageinfo", page="Talk:Replied", prop="threaditemshtml"
        )
    [thread] = answer["discussiontoolspageinfo"]["threaditemshtml"]
    assert thread["type"] == "heading" and "Link suggestions" in thread["html"]
    [comment] = thread["replies"]
    assert (comment["type"], comment["author"]) == ("comment", "LinkBot")
    assert comment["timestamp"].endswith("Z") and comment["replies"] == []


def test_the_operators_words_are_used_and_the_answers_to_them_understood(
    world: World, tmp_path: Path
) -> None:
    own = tmp_path / "messages.cfg"
    own.write_text("[messages]\nheading = Missing links?\nyes = aye\napproved_mark = OK\n")
    settings = {
        "messages_file": str(own),
        "task_page": "Project:Links",
        "summary": "Linked: {targets}",
    }
    world.page("River", "'''River''' is a word.")
    number = world.suggest(world.page("Own words", TEXT), "river", "River")
    publish(world.publisher(**settings), "talk")
    text = talk(world, "Own words")
    assert (
        text.startswith("== Missing links? ==") and "[aye]" in text and "[[Project:Links|" in text
    )
    assert "The Severn is a '''river'''." in text
    world.wiki.person(HUMAN).write("Talk:Own words", text.replace("* [ ]", "* [aye]", 1))
    collect(world.publisher(**settings))
    assert world.state(number) == "approved" and "* OK “river”" in talk(world, "Own words")
    assert publish(world.publisher(**settings), "page").exit_code == 0
    newest = world.person.history("Own words")[0]["comment"]
    assert (
        newest.startswith("Linked: [[:River]]; approved by") and "[[Project:Links|task]]" in newest
    )


def test_publishing_again_repeats_nothing(world: World) -> None:
    proposed(world, "Quiet", "River", "Wales")
    before = world.person.history("Talk:Quiet")
    report = publish(world.publisher(), "talk")
    assert {outcome.state for outcome in report.outcomes} == {"nothing"}
    assert world.person.history("Talk:Quiet") == before


def test_a_section_that_people_removed_does_not_come_back(world: World) -> None:
    proposed(world, "Unwelcome", "River")
    world.wiki.person(HUMAN).write("Talk:Unwelcome", "Please no bots here.")
    world.page("Wales", "'''Wales''' is a word.")
    world.suggest(2, "Wales", "Wales")
    report = publish(world.publisher(), "talk")
    assert "does not come back" in report.outcomes[0].message
    assert talk(world, "Unwelcome") == "Please no bots here."


def test_a_line_that_people_removed_does_not_come_back(world: World) -> None:
    proposed(world, "One less", "River", "Wales")
    human = world.wiki.person(HUMAN)
    kept = [line for line in talk(world, "One less").split("\n") if "[[:River]]" not in line]
    human.write("Talk:One less", "\n".join(kept))
    publish(world.publisher(), "talk")
    assert "[[:River]]" not in talk(world, "One less")


def test_a_talk_page_or_article_that_opts_out_gets_nothing(world: World) -> None:
    world.page("River", "'''River''' is a word.")
    world.person.write("Talk:Opted out", "{{bots|optout=all}}")
    world.suggest(world.page("Opted out", TEXT), "river", "River")
    world.suggest(world.page("Opted out too", f"{TEXT}\n\n{{{{nobots}}}}"), "river", "River")
    report = publish(world.publisher(), "talk")
    assert [outcome.state for outcome in report.outcomes] == ["refused", "refused"]
    assert talk(world, "Opted out") == "{{bots|optout=all}}" and talk(world, "Opted out too") == ""


def test_an_approval_without_an_account_does_not_count_but_a_rejection_does(world: World) -> None:
    yes, no = proposed(world, "Nameless", "River", "Wales")
    stranger = Person.anonymous(world.wiki.api)
    text = talk(world, "Nameless").replace("* [ ]", "* [yes]", 1).replace("* [ ]", "* [no]", 1)
    stranger.write("Talk:Nameless", text)
    collected = collect(world.publisher())
    assert [bool(answer.problem) for answer in collected.answers] == [True, False]
    assert (world.state(yes), world.state(no)) == ("pending", "rejected")


def test_the_last_to_change_an_answer_is_its_author(world: World) -> None:
    (number,) = proposed(world, "Changed mind", "River")
    human = world.wiki.person(HUMAN)
    human.write("Talk:Changed mind", talk(world, "Changed mind").replace("* [ ]", "* [no]", 1))
    world.person.write("Talk:Changed mind", talk(world, "Changed mind").replace("[no]", "[yes]"))
    human.write("Talk:Changed mind", talk(world, "Changed mind") + "\n\nA later remark.")
    (answer,) = collect(world.publisher()).answers
    assert (answer.verdict, answer.user) == ("approve", "Admin")
    assert world.state(number) == "approved"
    assert "A later remark." in talk(world, "Changed mind")


def test_a_link_approved_on_the_talk_page_names_its_approver_in_the_summary(world: World) -> None:
    (number,) = proposed(world, "Named", "River")
    world.wiki.person(HUMAN).write(
        "Talk:Named", talk(world, "Named").replace("* [ ]", "* [yes]", 1)
    )
    collect(world.publisher())
    assert publish(world.publisher(), "page").exit_code == 0
    newest = world.person.history("Named")[0]
    assert "[[User:Human|Human]]" in newest["comment"] and world.state(number) == "published"


def test_the_work_list_is_one_page_of_ours_and_is_answered_the_same_way(world: World) -> None:
    world.page("River", "'''River''' is a word.")
    first = world.suggest(world.page("Listed 1", TEXT), "river", "River")
    second = world.suggest(world.page("Listed 2", TEXT), "river", "River")
    assert publish(world.publisher(), "user-page").exit_code == 0
    title = "User:LinkBot/Link suggestions"
    text = world.person.text(title) or ""
    assert "[[:Listed 1]]" in text and "[[:Listed 2]]" in text
    world.wiki.person(HUMAN).write(title, text.replace("* [ ]", "* [yes]", 1))
    collect(world.publisher())
    assert (world.state(first), world.state(second)) == ("approved", "pending")
    assert world.person.text("Talk:Listed 1") is None


def test_the_section_speaks_the_wikis_language(world: World) -> None:
    with world.store.writing() as session:
        session.get_one(tables.Wiki, world.wiki_id).language = "de"
    (number,) = proposed(world, "Deutsch", "River")
    assert "== Vorschläge für Links ==" in talk(world, "Deutsch")
    world.wiki.person(HUMAN).write(
        "Talk:Deutsch", talk(world, "Deutsch").replace("* [ ]", "* [nein: zu allgemein]", 1)
    )
    collect(world.publisher())
    assert world.state(number) == "rejected" and "abgelehnt von" in talk(world, "Deutsch")


def test_a_batch_of_sections_is_taken_back_where_nobody_answered(world: World) -> None:
    world.person.write("Talk:Back 1", "Hello.")
    proposed(world, "Back 1", "River")
    world.suggest(world.page("Back 2", TEXT), "river", "River")
    publisher = world.publisher()
    publish(publisher, "talk")
    text = talk(world, "Back 2")
    world.wiki.person(HUMAN).write("Talk:Back 2", text.replace("* [ ]", "* [no]", 1))
    first = world.edits(kinds=("talk",))[-1].batch
    assert [o.state for o in undo(world.publisher(), None, first).outcomes] == ["done"]
    assert talk(world, "Back 1") == "Hello."
    assert [o.state for o in undo(world.publisher(), None, publisher.batch).outcomes] == ["nothing"]
    assert "[no]" in talk(world, "Back 2")
    assert publish(world.publisher(), "talk").exit_code == 0 and talk(world, "Back 1") == "Hello."


@pytest.mark.parametrize("number", ["99999999999999999999", "9" * 5000, "1", "٣"])
def test_an_id_that_we_did_not_post_there_is_ignored(world: World, number: str) -> None:
    title = f"Forged {number[:9]} of {len(number)}"
    (ours,) = proposed(world, title, "River")
    line = f"* [yes] “a” → [[:River]] in: ''a'' <!-- wikibot:{number} -->"
    text = talk(world, title).replace("* [ ]", f"{line}\n* [ ]", 1)
    if number == "1":
        other = world.suggest(world.page(f"{title} elsewhere", TEXT), "river", "River")
        text = text.replace("wikibot:1 ", f"wikibot:{other} ", 1)
    Person.anonymous(world.wiki.api).write(f"Talk:{title}", text)
    assert collect(world.publisher()).answers == ()
    assert publish(world.publisher(), "talk").exit_code == 0
    assert talk(world, title).count(line.split("<!--")[0]) == 1 and world.state(ours) == "pending"
