"""The operator's own wording: taken where it fits, refused with a reason where it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from wikibot.config import load_settings
from wikibot.errors import ConfigError
from wikibot.publish.messages import messages
from wikibot.publish.summary import plain_summary
from wikibot.publish.wording import wording


def spoken(tmp_path: Path, text: str = "", **settings: str):
    """What the bot says, with a file of messages and settings."""
    if text:
        file = tmp_path / "messages.cfg"
        file.write_text(f"[messages]\n{text}\n", encoding="utf-8")
        settings["messages_file"] = str(file)
    return wording("en", load_settings(environ={}, **settings), "LinkBot")


def test_without_settings_it_is_the_languages_own_wording(tmp_path: Path) -> None:
    words = spoken(tmp_path)
    assert words.heading == messages("en").heading and words.task_link == ""
    assert "[[User:LinkBot|about the task]]" in words.intro


def test_any_sentence_can_be_replaced_and_the_others_stay(tmp_path: Path) -> None:
    words = spoken(tmp_path, "heading = Missing links?\nstop = halt\napproved_mark = {{done}}")
    assert (words.heading, words.stop, words.approved_mark) == (
        "Missing links?",
        "halt",
        "{{done}}",
    )
    assert words.added == messages("en").added


def test_own_words_for_yes_come_first_and_the_usual_ones_are_still_understood(
    tmp_path: Path,
) -> None:
    words = spoken(tmp_path, "yes = Aye, agreed")
    assert words.yes == ("aye", "agreed", "yes", "approved", "approve")
    assert "[aye]" in words.intro


def test_a_task_page_is_linked_from_sections_and_summaries(tmp_path: Path) -> None:
    words = spoken(tmp_path, task_page="User:{user}/Task")
    assert "[[User:LinkBot/Task|" in words.intro
    summary = plain_summary("Done", words, shutoff="User:LinkBot/Shutoff", marker="wikibot-1")
    assert (
        summary == "Done · [[User:LinkBot/Task|task]] · [[User:LinkBot/Shutoff|stop]] · wikibot-1"
    )


def test_a_sentence_over_several_lines_is_one_line(tmp_path: Path) -> None:
    assert spoken(tmp_path, "closed = All done.\n  Thank you!").closed == "All done. Thank you!"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("headin = x", "Unknown message headin .*Did you mean heading"),
        ("task_link = x", "Unknown message task_link"),
        ("heading =", "is empty"),
        ("heading = a <!-- b", "may not hold <!--"),
        ("intro = Hello ~~~~", "may not hold ~~~"),
        ("added = Links {pages}", r"may use \{targets\}"),
        ("approved_by = ok {", r"may use \{user\}"),
        ("line_in = {anchor.x}", "braces that cannot be filled"),
    ],
)
def test_a_message_that_does_not_fit_is_refused(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(ConfigError, match=f"{reason}.*Nothing was sent"):
        spoken(tmp_path, text)


def test_a_summary_with_an_unknown_gap_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"publish\.summary has braces"):
        spoken(tmp_path, summary="Links {target}")


@pytest.mark.parametrize("content", [None, b"heading = no section", b"\xff\xfe", b"[other]\na = b"])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "own.cfg"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ConfigError, match=r"own\.cfg cannot be read as a file of messages"):
        spoken(tmp_path, messages_file=str(file))
