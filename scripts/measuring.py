"""What the scripts that measure share: the corpora, files that are written whole, arguments, and tables inside documents."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from crtm.corpus import Corpus

ROOT = Path(__file__).resolve().parent.parent
EXPORTS = {
    "ltg": ("ltg.xml.bz2",),
    "en-electowiki": ("wikis/en-electowiki.xml.bz2",),
    "en-superheroes-leads": ("en-superheroes.xml.bz2", "--lead"),
    "ja-countries": ("wikis/ja-countries.xml.bz2",),
    "mr": ("wikis/mr.xml.bz2",),
    "it-small": ("it-small.xml.bz2",),
    "vls": ("wikis/vls.xml.bz2",),
    "hy": ("wikis/hy.xml.bz2",),
    "en-gentoo": ("wikis/en-gentoo.xml.bz2",),
    "fr-ekopedia": ("wikis/fr-ekopedia.xml.bz2",),
    "en-superheroes": ("en-superheroes.xml.bz2",),
}


def corpus_file(name: str, data: Path, work: Path) -> Path:
    """The corpus of an export as JSON lines, made if it is not there yet."""
    path = work / f"{name}.jsonl"
    if not path.exists():
        export, *options = EXPORTS[name]
        command = [sys.executable, "-m", "wikibot", "corpus", "--export", str(data / export), *options]  # fmt: skip
        unfinished = path.with_suffix(".part")
        with unfinished.open("wb") as out:
            subprocess.run(command, stdout=out, check=True)
        unfinished.replace(path)
    return path


def read_corpus(name: str, data: Path, work: Path) -> Corpus:
    """The corpus of an export, which is read once and kept as JSON lines."""
    return Corpus.from_jsonl(corpus_file(name, data, work))


def write(path: Path, content: Any) -> None:
    """Put the content there whole or not at all."""
    unfinished = path.with_suffix(".part")
    unfinished.write_text(json.dumps(content, indent=1, ensure_ascii=False), encoding="utf-8")
    unfinished.replace(path)


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def measuring_arguments(about: str | None, folder: str, corpora: str) -> argparse.ArgumentParser:
    """The arguments that every script has; figures are kept in a folder of that name."""
    parser = argparse.ArgumentParser(description=about)
    shared = Path(os.environ.get("WIKIBOT_DATA", ROOT.parent / "shared" / "data"))
    parser.add_argument("--data", type=Path, default=shared)
    parser.add_argument("--work", type=Path, default=ROOT / "build" / folder)
    parser.add_argument("--docs", type=Path, default=ROOT / "docs")
    parser.add_argument("--corpora", default=corpora)
    parser.add_argument("--minutes", type=float, default=1e6, help="begin nothing after so long")
    return parser


def measure_missing(file: Path, until: float, measure: Callable[[], Any]) -> None:
    """Write what ``measure`` returns, unless the file is there or the time (of ``time.monotonic``) is up."""
    if not file.exists() and time.monotonic() < until:
        write(file, measure())
        sys.stderr.write(f"{file.parent.name} {file.stem}\n")


def write_tables(document: Path, tables: Mapping[str, str]) -> None:
    """Put each table between the marks of a document that name it."""
    text = document.read_text(encoding="utf-8")
    for name, table in tables.items():
        before, _, rest = text.partition(f"<!-- {name} begins -->\n")
        after = rest.partition(f"<!-- {name} ends -->")[2]
        text = f"{before}<!-- {name} begins -->\n{table}\n<!-- {name} ends -->{after}"
    document.write_text(text, encoding="utf-8")
