"""Hypothesis pages: good pieces of wikitext, put together, then damaged on purpose."""

from __future__ import annotations

from hypothesis import strategies as st

PROSE = (
    "Anna went to Paris in 1920. ",
    "She met [[Bob]] and [[Carl Gray|Carl]]s there.<ref>Paris, p. 3</ref> ",
    "The ''Paris Review'' and '''bold Paris''' were known. ",
    'He said "Paris is a moveable feast for everyone here" to her. ',
    'The song "Paris" was short. ',
    "[http://a.example/Paris The Paris site] and http://b.example/Paris too. ",
    "A&nbsp;Paris &amp; London dash&#8212;Paris. ",
    "Paris<br/>and <small>Paris</small> again. ",
    "x<sub>2</sub> in Paris, {{convert|5|km}} away. ",
    "日本のパリ市。ベルリンは首都。 ",
    "عاصمة فرنسا باريس مدينة. ",
    "Cafe\u0301 Paris — naïve – ½ Paris’s «Paris». ",
)
BLOCKS = (
    "\n\n",
    "\n",
    "\n== History ==\n",
    "\n=== ''Paris'' ===\n",
    "\n== See also ==\n* Paris\n",
    "\n* Paris is an item\n** [[Paris]] too\n",
    "\n# one Paris\n#: two Paris\n",
    "\n; Paris : the city of Paris\n",
    "\n Paris as code\n",
    "\n----\n",
    '\n{| class="wikitable"\n! Paris !! x\n|-\n| Paris || [[Bob]]\n|}\n',
    "\n{{Infobox city\n| name = Paris\n| pop = {{formatnum:5}}\n}}\n",
    "\n[[File:Paris.jpg|thumb|left|View of [[Paris]] at night]]\n",
    "\n<gallery>\nFile:a.jpg|Paris\n</gallery>\n",
    "\n<blockquote>Paris</blockquote>\n",
    "\n<!-- Paris -->\n",
    "\n<nowiki>[[Paris]] {{</nowiki> Paris\n",
    "\n<pre>Paris</pre>\n<math>Paris</math>\n",
    "\n[[Category:Paris]]\n[[fr:Paris]]\n{{DEFAULTSORT:Paris}}\n__NOTOC__\n",
    "\n-{zh-hans:Paris;zh-hant:Paris}- Paris\n",
    '\n<div class="x">Paris</div>\n',
    "\n#REDIRECT [[Paris]]\n",
)
MARKS = (
    *("{{", "}}", "[[", "]]", "{|", "|}", "|-", "|", "||", "!", "<ref>", "</ref>", "<ref name=x"),
    *("<!--", "-->", "<nowiki>", "</nowiki>", "''", "'''", "'''''", "==", "=", "\n", "\n ", "\n\n"),
    *(
        "<",
        ">",
        "[",
        "]",
        "{",
        "}",
        "-{",
        "}-",
        "__",
        "&",
        ";",
        "http://",
        '"',
        "“",
        "<div>",
        "</div>",
    ),
    *(
        "\u200f",
        "\u0301",
        "\u00a0",
        "{{{",
        "}}}",
        "<br",
        "/>",
        "[[File:",
        "[[Category:",
        "~~~~",
        "\t",
    ),
)

pieces = st.lists(st.sampled_from(PROSE + BLOCKS), min_size=1, max_size=14).map("".join)


@st.composite
def damaged_pages(draw: st.DrawFn) -> str:
    """A page with up to six pieces of it lost, doubled, or with a stray mark put in."""
    text = draw(pieces)
    for _ in range(draw(st.integers(0, 6))):
        at = draw(st.integers(0, len(text)))
        end = min(len(text), at + draw(st.integers(0, 12)))
        harm = draw(st.sampled_from(("lose", "double", "stray")))
        if harm == "lose":
            text = text[:at] + text[end:]
        elif harm == "double":
            text = text[:end] + text[at:]
        else:
            text = text[:at] + draw(st.sampled_from(MARKS)) + text[at:]
    return text
