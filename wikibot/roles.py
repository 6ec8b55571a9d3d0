"""Who may do what: the wiki says who somebody is, the settings say what that is enough for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from wikibot.message import Message, message

ROLES = ("review", "publish", "administer")


@dataclass(frozen=True, slots=True)
class Profile:
    """An account as the wiki describes it; `subject` stays the same when it is renamed."""

    subject: str
    name: str
    groups: frozenset[str] = frozenset()
    edit_count: int = 0
    is_blocked: bool = False


@dataclass(frozen=True, slots=True)
class Requirement:
    """What a role asks for: one of these groups (none means any account), and so many edits."""

    groups: frozenset[str] = frozenset()
    edits: int = 0

    def is_met_by(self, profile: Profile) -> bool:
        is_member = not self.groups or bool(self.groups & profile.groups)
        return is_member and profile.edit_count >= self.edits


Requirements = Mapping[str, Requirement]


def requirement(groups: str, edits: int) -> Requirement:
    """From the settings' text.

    >>> sorted(requirement("sysop, editor", 5).groups)
    ['editor', 'sysop']
    """
    named = (name.strip() for name in groups.split(","))
    return Requirement(frozenset(name for name in named if name), edits)


def roles_of(profile: Profile, needed: Requirements) -> frozenset[str]:
    """The roles of an account; a blocked one has none."""
    if profile.is_blocked:
        return frozenset()
    return frozenset(role for role in ROLES if needed[role].is_met_by(profile))


def why_not(profile: Profile, role: str, needed: Requirements) -> Message:
    """Why the account does not have the role, for the person to read."""
    asked = needed[role]
    if profile.is_blocked:
        return message("is-blocked-on-the-wiki-so-nothing", profile.name)
    if profile.edit_count < asked.edits:
        return message(
            "this-needs-edits-on-the-wiki-has", asked.edits, profile.name, profile.edit_count
        )
    return message("this-is-for-these-groups-of-the", ", ".join(sorted(asked.groups)), profile.name)
