"""Every way in which a real wiki says no, and what the publisher makes of it.

Wherever it ends, the text of the page is exactly what people made of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.mediawiki import BOT_PASSWORD, HUMAN
from tests.mediawiki import provocations as provoke
from tests.mediawiki.faults import FaultyProxy
from tests.mediawiki.fixtures import UsePywikibot
from tests.publish.world import World
from wikibot.errors import AccountRefused, ConfigError, EditRefused, ShutOff
from wikibot.publish.publisher import Publisher
from wikibot.publish.publishing import Report, publish
from wikibot.site.history import read_live
from wikibot.site.writing import EditRequest, post_edit

pytestmark = pytest.mark.wiki

FIRST = "The Severn is a river. It rises in Wales."
SECOND = "It has a bridge."
TEXT = f"{FIRST}\n\n{SECOND}"
LINKED = TEXT.replace("river", "[[river]]")


@pytest.fixture
def title(request: pytest.FixtureRequest, world: World) -> str:
    """A page of the test's own, with one approved link."""
    name = f"Page {request.node.name[5:]}".replace("_", " ").translate(
        str.maketrans("[]{}|", "()()/")
    )
    world.page("River", "'''River''' is a word.")
    world.approved(world.page(name, TEXT), "river", "River")
    return name


def at(publisher: Publisher, point: str, act: Callable[[], object]) -> Publisher:
    """The publisher, with something happening on the wiki the first time it reaches POINT."""
    todo = [act]

    def reached(now: str) -> None:
        if now == point and todo:
            todo.pop()()

    return replace(publisher, reached=reached)


def state_of(world: World) -> str:
    return world.state(1)


def only(report: Report) -> tuple[str, str]:
    """The state and sentence of the one outcome, or of the early end."""
    if report.stopped:
        return "stopped", report.stopped
    (outcome,) = report.outcomes
    return outcome.state, outcome.message


def bot_edits(world: World, title: str) -> int:
    return sum(row["user"] == "LinkBot" for row in world.person.history(title))


# Conflicts


def test_anothers_edit_of_the_sentence_in_the_same_second_wins(world: World, title: str) -> None:
    theirs = TEXT.replace("a river", "a long river")
    publisher = at(world.publisher(), "sent", lambda: world.person.write(title, theirs))
    state, message = only(publish(publisher, "page"))
    assert state == "refused" and "sentence is no longer there" in message
    assert world.person.text(title) == theirs and bot_edits(world, title) == 0
    assert state_of(world) == "stale"


def test_our_own_edit_in_the_same_second_is_a_conflict_too(world: World, title: str) -> None:
    ourselves = world.wiki.person(BOT_PASSWORD)
    theirs = TEXT.replace("a river", "a long river")
    publisher = at(world.publisher(), "sent", lambda: ourselves.write(title, theirs))
    assert only(publish(publisher, "page"))[0] == "refused"
    assert world.person.text(title) == theirs


def test_a_conflict_elsewhere_in_the_paragraph_is_planned_again(world: World, title: str) -> None:
    theirs = TEXT.replace("It rises", "It slowly rises")
    publisher = at(world.publisher(), "sent", lambda: world.person.write(title, theirs))
    assert only(publish(publisher, "page"))[0] == "done"
    assert world.person.text(title) == theirs.replace("river", "[[river]]")
    assert bot_edits(world, title) == 1


def test_an_edit_of_another_paragraph_is_merged_and_kept(world: World, title: str) -> None:
    theirs = TEXT.replace("a bridge", "an old bridge")
    publisher = at(world.publisher(), "sent", lambda: world.person.write(title, theirs))
    state, message = only(publish(publisher, "page"))
    assert (state, "merged" in message) == ("done", True)
    assert world.person.text(title) == theirs.replace("river", "[[river]]")
    assert state_of(world) == "published"


def test_a_sentence_that_stands_twice_goes_back_to_the_reviewer(world: World, title: str) -> None:
    world.person.write(title, f"{TEXT}\n\nThe Severn is a river.")
    state, message = only(publish(world.publisher(), "page"))
    assert state == "refused" and "stands there 2 times" in message
    assert state_of(world) == "stale" and bot_edits(world, title) == 0


def test_an_unchanged_sentence_is_found_again_after_an_edit(world: World, title: str) -> None:
    theirs = f"A new beginning.\n\n{TEXT}"
    world.person.write(title, theirs)
    assert only(publish(world.publisher(), "page"))[0] == "done"
    assert world.person.text(title) == theirs.replace("river", "[[river]]")


# The page is gone, or closed


@pytest.mark.parametrize("moment", ["before", "meanwhile"])
def test_a_deleted_page_is_not_created_again(world: World, title: str, moment: str) -> None:
    def delete() -> None:
        world.person.do("delete", title=title)

    if moment == "before":
        delete()
    publisher = (
        at(world.publisher(), "sent", delete) if moment == "meanwhile" else world.publisher()
    )
    state, message = only(publish(publisher, "page"))
    assert state == "refused" and "deleted" in message
    assert world.person.text(title) is None and state_of(world) == "stale"


@pytest.mark.parametrize("moment", ["before", "meanwhile"])
def test_a_moved_page_and_its_redirect_are_left_alone(
    world: World, title: str, moment: str
) -> None:
    def move() -> None:
        world.person.do("move", **{"from": title, "to": f"{title} moved"})

    if moment == "before":
        move()
    publisher = at(world.publisher(), "sent", move) if moment == "meanwhile" else world.publisher()
    state, message = only(publish(publisher, "page"))
    assert state == "refused" and "redirect" in message
    assert world.person.text(f"{title} moved") == TEXT
    assert bot_edits(world, title) == bot_edits(world, f"{title} moved") == 0


@pytest.mark.parametrize("moment", ["before", "meanwhile"])
def test_a_protected_page_is_left_alone(world: World, title: str, moment: str) -> None:
    def protect() -> None:
        world.person.do("protect", title=title, protections="edit=sysop")

    if moment == "before":
        protect()
    publisher = (
        at(world.publisher(), "sent", protect) if moment == "meanwhile" else world.publisher()
    )
    state, message = only(publish(publisher, "page"))
    assert state == "refused" and "protected" in message
    assert world.person.text(title) == TEXT and state_of(world) == "approved"


def test_a_page_under_cascading_protection_is_left_alone(world: World, title: str) -> None:
    world.person.write("Shield", f"{{{{:{title}}}}}")
    world.wiki.maintenance("runJobs")
    world.person.do("protect", title="Shield", protections="edit=sysop", cascade=True)
    state, message = only(publish(world.publisher(), "page"))
    world.person.do("protect", title="Shield", protections="edit=all")
    assert state == "refused" and "cascadeprotected" in message
    assert world.person.text(title) == TEXT


@pytest.mark.parametrize("moment", ["before", "planned", "sent"])
@pytest.mark.parametrize("destination", ["page", "talk"])
def test_a_page_that_is_no_wikitext_any_more_is_left_alone(
    world: World, title: str, moment: str, destination: str
) -> None:
    edited = title if destination == "page" else f"Talk:{title}"
    if destination == "talk":
        world.page("Wales", "'''Wales''' is a word.")
        world.suggest(2, "Wales", "Wales")
        world.person.write(edited, "Hello.")
    before = world.person.text(edited)

    def change() -> None:
        world.person.do("changecontentmodel", title=edited, model="text")

    if moment == "before":
        change()
    publisher = world.publisher() if moment == "before" else at(world.publisher(), moment, change)
    state, message = only(publish(publisher, destination))
    assert state == "refused", message
    assert moment != "before" or "is not wikitext but 'text'" in message
    assert world.person.text(edited) == before and bot_edits(world, edited) == 0


REWRITTEN = (
    "~~~~",
    "a ~~~ b",
    "{{subst:River}}",
    "{{ SAFESUBST:River}}",
    "[[River (water)|]]",
    "[[|River]]",
    "<nowiki/>~~~~",
    "<pre/>~~~~",
    "<nowiki>~~~~",
    "<nowiki>~~~~</pre>",
    "{{ERS:River}}",
)
LEFT_ALONE = (
    "<nowiki>~~~~</nowiki>",
    "<!-- {{subst:River}} -->",
    "<pre>[[a|]]</pre>",
    "<pre>~~~~</pre>",
    "<ref>a</ref>",
    "~~",
    "{{substitute}}",
)


def test_what_the_wiki_would_change_on_saving_is_not_sent(world: World) -> None:
    world.page("River", "'''River''' is a word.")
    world.person.write("Template:River", "a stream")
    texts = {f"Rewritten {n:02}": f"{TEXT}\n\n{t} end" for n, t in enumerate(REWRITTEN)}
    with provoke.settings(world.wiki, provoke.GERMAN):
        for title, text in texts.items():
            world.put(title, text)
            world.approved(world.page_row(title), "river", "River")
        report = publish(world.publisher(), "page")
    assert [(o.title, o.state) for o in report.outcomes] == [(t, "refused") for t in texts], report
    assert all("would change when saving" in o.message for o in report.outcomes)
    assert {title: world.person.text(title) for title in texts} == texts


def test_what_only_looks_as_if_it_would_be_changed_is_sent(world: World) -> None:
    world.page("River", "'''River''' is a word.")
    texts = {f"Left alone {n}": f"{TEXT}\n\n{t} end" for n, t in enumerate(LEFT_ALONE)}
    for title, text in texts.items():
        world.approved(world.page(title, text), "river", "River")
    report = publish(world.publisher(), "page")
    assert [(o.title, o.state) for o in report.outcomes] == [(t, "done") for t in texts], report
    linked = {title: text.replace("river", "[[river]]", 1) for title, text in texts.items()}
    assert {title: world.person.text(title) for title in texts} == linked


def test_a_page_with_line_ends_of_another_kind_is_left_alone(world: World) -> None:
    world.page("River", "'''River''' is a word.")
    text = f"{TEXT}\rmore"
    world.put("Carriage return", text)
    world.approved(world.page_row("Carriage return"), "river", "River")
    state, message = only(publish(world.publisher(), "page"))
    assert state == "refused", message
    assert world.person.text("Carriage return") == text
    assert bot_edits(world, "Carriage return") == 0


# The account


def test_a_blocked_account_is_told_so_before_anything_is_sent(world: World, title: str) -> None:
    with provoke.blocked(world.person, "LinkBot"), pytest.raises(AccountRefused, match="runs wild"):
        world.publisher()
    assert world.person.text(title) == TEXT


def test_a_block_in_the_middle_ends_the_run(world: World, title: str) -> None:
    def block() -> None:
        world.person.do("block", user="LinkBot", expiry="never", reason="runs wild")

    report = publish(at(world.publisher(), "sent", block), "page")
    world.person.do("unblock", user="LinkBot")
    assert report.exit_code == 1 and "blocked" in report.stopped
    assert world.person.text(title) == TEXT and world.edits()[0].state == "prevented"


def test_a_partial_block_closes_its_pages_only(world: World, title: str) -> None:
    other = f"{title} too"
    world.approved(world.page(other, TEXT), "river", "River")
    limits = {"partial": True, "pagerestrictions": title, "allowusertalk": True}
    with provoke.blocked(world.person, "LinkBot", **limits):
        report = publish(world.publisher(), "page")
    assert {o.title: o.state for o in report.outcomes} == {title: "refused", other: "done"}
    assert world.person.text(title) == TEXT and report.exit_code == 0


def test_a_wrong_password_ends_in_one_sentence(
    world: World, use_pywikibot: UsePywikibot, title: str
) -> None:
    use_pywikibot(world.wiki.api, secret="f" * 32)
    with pytest.raises(AccountRefused, match="Incorrect username or password"):
        world.publisher()


@pytest.mark.parametrize("point", ["planned", "sent"])
def test_a_lost_session_is_replaced_and_the_edit_made_once(
    world: World, title: str, point: str
) -> None:
    publisher = at(world.publisher(), point, lambda: provoke.forget_sessions(world.wiki))
    state, message = only(publish(publisher, "page"))
    assert state == "done", message
    assert world.person.text(title) == LINKED and bot_edits(world, title) == 1
    assert world.edits()[0].attempts == 2, "the first request was refused for want of a session"


def test_a_session_lost_between_two_pages_is_replaced(world: World, title: str) -> None:
    other = f"{title} too"
    world.approved(world.page(other, TEXT), "river", "River")
    publisher = at(world.publisher(), "finished", lambda: provoke.forget_sessions(world.wiki))
    report = publish(publisher, "page")
    assert [outcome.state for outcome in report.outcomes] == ["done", "done"], report
    assert bot_edits(world, title) == bot_edits(world, other) == 1


# The wiki says later


def test_a_read_only_wiki_means_later(world: World, title: str) -> None:
    publisher = world.publisher()
    with provoke.read_only(world.wiki):
        report = publish(publisher, "page")
    assert report.exit_code == 3 and "read-only" in report.stopped
    assert world.person.text(title) == TEXT and state_of(world) == "approved"
    assert only(publish(world.publisher(), "page"))[0] == "done"


def test_a_lagging_wiki_means_later(world: World, title: str) -> None:
    publisher = world.publisher()
    lag = at(publisher, "planned", lambda: world.wiki.extra(provoke.LAGGED))
    report = publish(replace(lag, wait=lambda _: world.wiki.extra("")), "page")
    assert only(report)[0] == "done"
    assert [row.attempts for row in world.edits()] == [2] and bot_edits(world, title) == 1


def test_lag_without_end_gives_up_after_the_set_number_of_tries(world: World, title: str) -> None:
    publisher = at(
        world.publisher(later_tries=2), "planned", lambda: world.wiki.extra(provoke.LAGGED)
    )
    with provoke.settings(world.wiki, ""):
        report = publish(publisher, "page")
    assert report.exit_code == 3 and "lag" in report.stopped.lower()
    assert world.person.text(title) == TEXT


def test_a_rate_limit_means_later(world: World, title: str) -> None:
    other = f"{title} too"
    world.approved(world.page(other, TEXT), "river", "River")
    with provoke.settings(world.wiki, provoke.FEW_EDITS):
        report = publish(world.publisher(later_tries=1), "page")
    assert [o.state for o in report.outcomes] == ["done"] and report.exit_code == 3
    assert "rate limit" in report.stopped
    assert world.person.text(other) == TEXT and world.state(2) == "approved"


# Filters and lists


@pytest.mark.parametrize("action", ["warn", "disallow"])
def test_what_an_abuse_filter_does_not_like_is_not_sent_twice(
    world: World, title: str, action: str
) -> None:
    pattern = 'action == "edit" & user_name == "LinkBot"'
    with provoke.abuse_filter(world.wiki, pattern, action):
        state, message = only(publish(world.publisher(), "page"))
        assert state == "refused" and "abusefilter" in message
        again, sentence = only(publish(world.publisher(), "page"))
    assert again == "refused" and "refused the same edit before" in sentence
    assert world.person.text(title) == TEXT and bot_edits(world, title) == 0
    assert [row.attempts for row in world.edits()] == [1]


def test_a_refused_edit_is_tried_again_only_when_asked(world: World, title: str) -> None:
    pattern = 'action == "edit" & user_name == "LinkBot"'
    with provoke.abuse_filter(world.wiki, pattern, "disallow"):
        publish(world.publisher(), "page")
    retrying = replace(world.publisher(), retries_refused=True)
    assert only(publish(retrying, "page"))[0] == "done"


def test_the_spam_list_refuses(world: World, title: str) -> None:
    publisher = world.publisher()
    listed = provoke.page_says(world.person, "MediaWiki:Spam-blacklist", "spam\\.example")
    with listed, provoke.settings(world.wiki, provoke.NO_OVERRIDE):
        live = read_live(publisher.site, title)
        text = f"{TEXT} [https://spam.example buy]"
        request = EditRequest(title, text, live.revision_id, "test", "LinkBot")
        with pytest.raises(EditRefused, match="spam"):
            post_edit(publisher.site, request)
    assert world.person.text(title) == TEXT


def test_the_title_list_keeps_a_talk_page_from_being_created(world: World, title: str) -> None:
    world.page("Wales", "'''Wales''' is a word.")
    world.suggest(1 + 1, "Wales", "Wales")
    with provoke.page_says(world.person, "MediaWiki:Titleblacklist", "Talk:.*"):
        state, message = only(publish(world.publisher(), "talk"))
    assert state == "refused" and "titleblacklist" in message
    assert world.person.text(f"Talk:{title}") is None


# Pages and people that ask us to stay away


EXCLUDING = (
    "{{nobots}}",
    "{{Nobots}}",
    "{{bots|deny=LinkBot}}",
    "{{bots|deny=OtherBot, LinkBot}}",
    "{{bots|deny=all}}",
    "{{bots|allow=none}}",
    "{{bots|allow=OtherBot}}",
    "{{bots|optout=all}}",
    "{{bots|allow=LinkBot|deny=LinkBot}}",
    "{{Template:bots|deny=LinkBot}}",
    "A note.<ref>{{nobots}}</ref>",
)
ADMITTING = (
    "{{bots}}",
    "{{bots|deny=OtherBot}}",
    "{{bots|allow=LinkBot}}",
    "{{bots|allow=all}}",
    "{{bots|deny=none}}",
    "<nowiki>{{nobots}}</nowiki>",
    "<!-- {{nobots}} -->",
)


def test_pages_that_exclude_us_are_left_alone(world: World) -> None:
    world.page("River", "'''River''' is a word.")
    texts = {f"Excluding {n:02}": f"{TEXT}\n\n{t}" for n, t in enumerate(EXCLUDING)}
    for title, text in texts.items():
        world.approved(world.page(title, text), "river", "River")
    report = publish(world.publisher(), "page")
    assert [(o.title, o.state) for o in report.outcomes] == [(t, "refused") for t in texts]
    for outcome, template in zip(report.outcomes, EXCLUDING, strict=True):
        assert "asks bots to stay away with {{" in outcome.message, (template, outcome)
    assert {title: world.person.text(title) for title in texts} == texts


def test_pages_that_exclude_others_get_their_links(world: World) -> None:
    world.page("River", "'''River''' is a word.")
    texts = {f"Admitting {n}": f"{TEXT}\n\n{t}" for n, t in enumerate(ADMITTING)}
    for title, text in texts.items():
        world.approved(world.page(title, text), "river", "River")
    report = publish(world.publisher(), "page")
    assert [(o.title, o.state) for o in report.outcomes] == [(t, "done") for t in texts]


@pytest.mark.parametrize("text", ["stop", "Please stop!", "running wild", " "])
def test_the_shut_off_page_stops_everything(world: World, title: str, text: str) -> None:
    with provoke.page_says(world.person, "User:LinkBot/Shutoff", text or " "):
        report = publish(world.publisher(), "page")
    assert report.exit_code == 1 and "Shutoff" in report.stopped
    assert world.person.text(title) == TEXT and not world.edits()


def test_the_shut_off_page_is_read_before_each_edit(world: World, title: str) -> None:
    other = f"{title} too"
    world.approved(world.page(other, TEXT), "river", "River")
    human = world.wiki.person(HUMAN)
    stop = at(world.publisher(), "finished", lambda: human.write("User:LinkBot/Shutoff", "stop"))
    report = publish(stop, "page")
    world.person.do("delete", title="User:LinkBot/Shutoff")
    assert [outcome.state for outcome in report.outcomes] == ["done"]
    assert "says stop" in report.stopped and world.person.text(other) == TEXT


@pytest.mark.parametrize("text", ["run", " Run\n", "yes"])
def test_a_shut_off_page_that_says_run_lets_us_run(world: World, title: str, text: str) -> None:
    with provoke.page_says(world.person, "User:LinkBot/Shutoff", text):
        assert only(publish(world.publisher(), "page"))[0] == "done"


def test_an_unreadable_shut_off_page_counts_as_stop(
    world: World, use_pywikibot: UsePywikibot, title: str
) -> None:
    with FaultyProxy(world.wiki.port) as proxy:
        use_pywikibot(proxy.api)
        world.know_as(proxy.api)
        publisher = world.publisher()
        proxy.broken_reads = "Shutoff"
        report = publish(publisher, "page")
        with pytest.raises(ShutOff, match="counts as stop"):
            world.publisher()
    assert report.exit_code == 1 and "counts as stop" in report.stopped
    assert world.person.text(title) == TEXT and not proxy.edits


@pytest.mark.parametrize(
    "setting",
    [
        "User:X/Stop[now]",
        "Special:Stop",
        "Media:Stop.png",
        "de:User:Stop",
        "<stop>",
        "#stop",
        "{user",
        "User:{0}/Stop",
        "User:LinkBot/Stop|User:LinkBot/Go",
        "User:",
        " ",
        "x" * 300,
    ],
)
@pytest.mark.parametrize("name", ["shutoff_page", "worklist_page"])
def test_a_page_that_cannot_exist_is_refused_as_a_setting(
    world: World, name: str, setting: str
) -> None:
    with provoke.settings(world.wiki, provoke.INTERWIKI), pytest.raises(ConfigError) as caught:
        world.publisher(**{name: setting})
    assert f"publish.{name}" in str(caught.value) and "Nothing was sent" in str(caught.value)


def test_a_page_of_any_namespace_can_be_the_shut_off_page(world: World, title: str) -> None:
    publisher = world.publisher(shutoff_page="Project:Bots/{user}: stop?")
    assert publisher.shutoff == "Project:Bots/LinkBot: stop?"
    with provoke.page_says(world.person, publisher.shutoff, "no"):
        assert "says stop" in publish(publisher, "page").stopped


# Our own limits


def test_the_daily_cap_ends_the_run_for_today(world: World, title: str) -> None:
    other = f"{title} too"
    world.approved(world.page(other, TEXT), "river", "River")
    report = publish(world.publisher(daily_cap=1), "page")
    assert [outcome.state for outcome in report.outcomes] == ["done"]
    assert report.exit_code == 3 and "daily_cap is 1" in report.stopped


def test_a_page_is_edited_once_a_day_by_default(world: World, title: str) -> None:
    world.page("Bridge", "'''Bridge''' is a word.")
    assert only(publish(world.publisher(page_cap=1), "page"))[0] == "done"
    world.approved(2, "bridge", "Bridge")
    state, message = only(publish(world.publisher(page_cap=1), "page"))
    assert state == "refused" and "page_cap is 1" in message
    assert bot_edits(world, title) == 1


def test_a_trial_ends_after_the_given_number_of_edits(world: World, title: str) -> None:
    for number in range(2):
        world.approved(world.page(f"{title} {number}", TEXT), "river", "River")
    report = publish(world.publisher(), "page", trial=2)
    assert [outcome.state for outcome in report.outcomes] == ["done", "done"]
    assert bot_edits(world, f"{title} 1") == 0


def test_the_interval_between_edits_is_kept_by_the_wikis_clock(world: World, title: str) -> None:
    other = f"{title} too"
    world.approved(world.page(other, TEXT), "river", "River")
    waits: list[float] = []
    publisher = replace(world.publisher(), edit_interval_s=10.0, wait=waits.append)
    publish(publisher, "page")
    assert len(waits) == 1 and 7 <= waits[0] <= 10
