"""Every way the assistant says no, arranged by what is then known about the world.

    WikibotError
    ├─ ConfigError            a setting is wrong: the key and the place are named
    ├─ BadInput               a file, page or argument cannot be used
    │   ├─ BadExport          an export is cut short or damaged
    │   └─ BadWikitext        a page's text cannot be read safely
    ├─ AlreadyDecided         another reviewer was faster; nothing was changed
    │   └─ InUse              another reviewer has it on the screen
    ├─ StoreError             the database cannot be used as it is
    ├─ ModelError             a model is missing, damaged or too new
    ├─ UnsafeEdit             our own check refused the edit; nothing was sent
    ├─ WikiRefused            the wiki, or a rule of ours, said no; nothing was changed
    │   ├─ AccountRefused     wrong password, missing right, blocked
    │   ├─ EditConflict       the page moved on since the approval
    │   ├─ EditRefused        a filter or list of the wiki does not want this edit
    │   ├─ Excluded           {{bots}} or {{nobots}} forbids it
    │   ├─ Protected          the page may not be edited by this account
    │   ├─ SessionLost        the wiki has forgotten our login; logging in again may help
    │   └─ ShutOff            the shut-off page says stop, or cannot be read
    ├─ WikiUnavailable        nothing was changed; the same call may work later
    │   ├─ NeverLeft          the wiki could not be reached, so nothing was sent
    │   └─ EditLost           an edit of one page was sent and did not arrive
    └─ OutcomeUnknown         the request left us and no answer came: reconcile first
        └─ OutcomeHidden      a revision that may be our edit is hidden from us

A message is one sentence or two: what happened, to what, what was and was not changed, and
what to do next. `exit_code` is what the command line returns.
"""


class WikibotError(Exception):
    """Something the user can understand and act upon."""

    exit_code = 1


class ConfigError(WikibotError):
    """A setting is unknown or has a value that cannot be used."""

    exit_code = 2


class BadInput(WikibotError):
    """A file, page or argument cannot be used."""


class BadExport(BadInput):
    """An export is cut short or damaged; what was read before the damage is kept."""


class BadWikitext(BadInput):
    """A page's text cannot be read safely, so the page is skipped."""


class AlreadyDecided(WikibotError):
    """A proposal is no longer as the reviewer saw it; nothing was changed."""


class InUse(AlreadyDecided):
    """Another reviewer has the proposal on the screen; nothing was changed."""


class StoreError(WikibotError):
    """The database cannot be used as it is."""


class ModelError(WikibotError):
    """A model is missing, damaged or written by a newer version."""


class UnsafeEdit(WikibotError):
    """Our own check refused an edit: a bug, or a page we do not understand."""


class WikiRefused(WikibotError):
    """The wiki or one of our rules said no; nothing was changed."""


class AccountRefused(WikiRefused):
    """The account cannot log in, is blocked, or lacks a right."""


class EditConflict(WikiRefused):
    """The page moved on since the edit was approved."""


class EditRefused(WikiRefused):
    """A filter or list of the wiki does not want this edit; a person must look at it."""


class Excluded(WikiRefused):
    """The page asks bots to stay away."""


class Protected(WikiRefused):
    """The page may not be edited by this account."""


class SessionLost(WikiRefused):
    """The wiki has forgotten our login; nothing was changed."""


class ShutOff(WikiRefused):
    """The shut-off page says stop, or could not be read, which counts as stop."""


class WikiUnavailable(WikibotError):
    """The wiki cannot take the request now; nothing was changed."""

    exit_code = 3

    def __init__(self, message: str, *, retry_after_s: float = 0.0) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class NeverLeft(WikiUnavailable):
    """The wiki could not be reached, so nothing was sent."""


class EditLost(WikiUnavailable):
    """An edit was sent and did not arrive; it may be about this page only."""


class OutcomeUnknown(WikibotError):
    """A request left us and no answer came back; reconcile before anything else."""

    exit_code = 4


class OutcomeHidden(OutcomeUnknown):
    """A revision that may be our edit is hidden from us, so nobody can tell us whether it is."""
