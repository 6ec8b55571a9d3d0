"""Writes the parts of docs/ that repeat what the program says: settings and commands.

`--check` changes nothing and fails if a file is out of date.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from wikibot.cli import GROUPS, cli
from wikibot.settings import SETTINGS, Setting

DOCS = Path(__file__).resolve().parent.parent / "docs"
BEGIN = "<!-- settings: written by scripts/reference.py -->\n"
END = "<!-- end -->\n"
COMMANDS_HEAD = """# Commands

Written by `scripts/reference.py` from what `wikibot COMMAND --help` says.
Exit codes are in [architecture](architecture.md), errors in [troubleshooting](troubleshooting.md).

## Completion

The shell completes commands, options, states, wikis and page titles (from the database) when Tab is pressed. Switch it on
once, for the shell you use, and open a new one:

```sh
echo 'eval "$(_WIKIBOT_COMPLETE=bash_source wikibot)"' >> ~/.bashrc
echo 'eval "$(_WIKIBOT_COMPLETE=zsh_source wikibot)"' >> ~/.zshrc
_WIKIBOT_COMPLETE=fish_source wikibot > ~/.config/fish/completions/wikibot.fish
```
"""


def settings_table() -> str:
    """Every setting with its default and meaning."""
    rows = ["| setting | default | variable | meaning |", "|---|---|---|---|"]
    rows += [_row(setting) for setting in SETTINGS]
    return "\n".join(rows) + "\n"


def _row(setting: Setting) -> str:
    default = f"`{setting.default}`" if setting.default != "" else "(empty)"
    limits = [f"{word} {value:g}" for word, value in _limits(setting)]
    limits += [", ".join(setting.choices)] if setting.choices else []
    meaning = f"{setting.help} ({', '.join(limits)})" if limits else setting.help
    return f"| `{setting.key}` | {default} | `{setting.variable}` | {meaning.replace('|', '/')} |"


def _limits(setting: Setting) -> list[tuple[str, float]]:
    known = (("at least", setting.low), ("at most", setting.high))
    return [(word, value) for word, value in known if value is not None]


def configuration(page: str) -> str:
    """The page with the table between its two marks renewed."""
    before, _, rest = page.partition(BEGIN)
    return before + BEGIN + settings_table() + END + rest.partition(END)[2]


def commands() -> str:
    """The help of every command, by what it is for."""
    top = click.Context(cli, info_name="wikibot")
    parts = [COMMANDS_HEAD]
    for title, group in GROUPS.items():
        rows = [f"| [`{name}`](#{name}) | {does} |\n" for name, (_, does) in group.items()]
        parts += [f"\n## {title}\n\n| command | what it does |\n|---|---|\n", *rows]
        parts += [_help_of(name, top) for name in group]
    return "".join(parts)


def _help_of(name: str, top: click.Context) -> str:
    command = cli.get_command(top, name)
    assert command is not None
    context = click.Context(command, info_name=name, parent=top, max_content_width=90)
    return f"\n### {name}\n\n```text\n{command.get_help(context)}\n```\n"


def wanted() -> dict[Path, str]:
    """What each generated file should say."""
    settings = DOCS / "configuration.md"
    return {
        settings: configuration(settings.read_text(encoding="utf-8")),
        DOCS / "commands.md": commands(),
    }


def main() -> None:
    stale = [
        path
        for path, text in wanted().items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]
    if "--check" in sys.argv and stale:
        sys.exit(f"Out of date: {', '.join(path.name for path in stale)}. Run: make reference")
    for path in stale:
        path.write_text(wanted()[path], encoding="utf-8")


if __name__ == "__main__":
    main()
