"""All settings that there are: what each is called, what it means and what it is by default."""

from __future__ import annotations

from dataclasses import dataclass

PREFIX = "WIKIBOT_"

Value = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: `section.name` in the file, `WIKIBOT_NAME` in the environment."""

    section: str
    name: str
    default: Value
    help: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        return f"{self.section}.{self.name}"

    @property
    def variable(self) -> str:
        return PREFIX + self.name.upper()


SETTINGS: tuple[Setting, ...] = (
    Setting("store", "db", "wikibot.db", "The database: a file, or a postgresql+psycopg:// URL."),
    Setting("fetch", "depth", 0, "How many levels of subcategories to fetch.", low=0),
    Setting("fetch", "processes", 0, "Processes that read pages; 0 means one per core.", low=0),
    Setting("fetch", "group_size", 240, "Pages asked for in one request.", low=1, high=500),
    Setting(
        "fetch",
        "targets",
        "none",
        "Fetch pages outside the category that its pages link to?",
        choices=("none", "linked"),
    ),
    Setting(
        "suggest",
        "min_probability",
        0.5,
        "The least expected acceptance of a link to propose.",
        low=0,
        high=1,
    ),
    Setting(
        "suggest",
        "min_probability_linked",
        0.8,
        "The same on pages that have links, where what is left was often left on purpose.",
        low=0,
        high=1,
    ),
    Setting(
        "suggest", "per_page", 0, "Proposals for one page at most; 0 means as the wiki does.", low=0
    ),
    Setting(
        "suggest", "per_paragraph", 0, "Proposals in one paragraph at most; 0 means any.", low=0
    ),
    Setting(
        "suggest",
        "words_per_link",
        0,
        "Words of a page for each proposal on it; 0 means as the wiki does.",
        low=0,
    ),
    Setting(
        "suggest",
        "retrain_share",
        0.1,
        "`wikibot run` learns again when changed pages and decisions since then are this share of the pages.",
        low=0,
        high=1,
    ),
    Setting(
        "suggest",
        "link_scope",
        "page",
        "Link the first mention on a page, or in each section?",
        choices=("page", "section"),
    ),
    Setting(
        "suggest",
        "quiet_hours",
        0.0,
        "Skip pages edited within this many hours.",
        low=0,
        high=87_600,
    ),
    Setting("suggest", "rules_off", "", "Rules to switch off, by name, with commas between."),
    Setting(
        "suggest", "never_link_file", "", "A file of what is never to be linked, one per line."
    ),
    Setting(
        "suggest",
        "never_link_page",
        "Project:Wikibot/Never link",
        "The wiki's own list of what is never to be linked, for its admins to edit.",
    ),
    Setting(
        "suggest",
        "settings_page",
        "",
        "A page of the wiki, such as MediaWiki:Wikibot.json, on which its administrators set lists, "
        "wording and limits; empty means none.",
    ),
    Setting("suggest", "excluded_sections", "", "Sections of these names get no proposals."),
    Setting("suggest", "excluded_templates", "", "Pages with one of these are left alone."),
    Setting("suggest", "excluded_categories", "", "Pages in one of these are left alone."),
    Setting(
        "engine",
        "engine",
        "processes",
        "Where pages are worked on: in processes of this machine, or on a Spark cluster.",
        choices=("processes", "spark"),
    ),
    Setting("engine", "master", "", "The Spark cluster, such as spark://host:7077 or yarn."),
    Setting(
        "publish",
        "shutoff_page",
        "User:{user}/Shutoff",
        "The page that stops the bot: it runs while the page is missing or says 'run'.",
    ),
    Setting(
        "publish",
        "worklist_page",
        "User:{user}/Link suggestions",
        "Where `--to user-page` puts its list.",
    ),
    Setting(
        "publish",
        "summary",
        "",
        "What the summary of an article's edit says, with {targets}; empty means the wiki's language. "
        "Approver, shut-off page and our id always follow.",
    ),
    Setting(
        "publish",
        "task_page",
        "",
        "The page that explains the task, linked from sections and summaries; empty means the bot's "
        "user page, in sections only.",
    ),
    Setting(
        "publish",
        "messages_file",
        "",
        "A file with the operator's own wording of what the bot says.",
    ),
    Setting(
        "publish",
        "change_tag",
        "wikibot",
        "A change tag for our edits, used where the wiki has it and lets us; empty means none.",
    ),
    Setting("publish", "daily_cap", 100, "Edits within 24 hours, on all pages together.", low=1),
    Setting("publish", "page_cap", 1, "Edits of one article within 24 hours.", low=1),
    Setting("publish", "links_per_edit", 10, "Links added to an article in one edit.", low=1),
    Setting("publish", "talk_lines", 5, "Open proposals in a talk page's section.", low=1, high=50),
    Setting("publish", "worklist_lines", 100, "Open proposals on the work list.", low=1),
    Setting(
        "publish",
        "revert_limit",
        3,
        "Reverted edits among the last 50 that stop publishing.",
        low=1,
    ),
    Setting(
        "publish",
        "settle_s",
        60,
        "Seconds before an edit that is not in the history counts as not made.",
        low=0,
        high=86_400,
    ),
    Setting(
        "publish", "later_tries", 3, "Attempts when the wiki says 'later' before giving up.", low=1
    ),
    Setting(
        "publish",
        "longest_wait_s",
        60,
        "Seconds to wait at most between such attempts.",
        low=0,
        high=86_400,
    ),
    Setting(
        "publish",
        "watch_days",
        30,
        "For how many days `wikibot watch` follows an edit.",
        low=1,
        high=3_650,
    ),
    Setting(
        "publish",
        "turn_s",
        0,
        "Seconds to wait while another process publishes from the same database.",
        low=0,
        high=86_400,
    ),
    Setting(
        "review", "port", 0, "The port of the review page; 0 means any free one.", low=0, high=65535
    ),
    Setting(
        "review",
        "reviewer",
        "",
        "Your user name on the wiki, which your decisions carry; `wikibot init` asks for it.",
    ),
    Setting(
        "review",
        "guideline",
        "",
        "The guideline on links that the review page shows: a web address or a page of the wiki; "
        "empty means Wikipedia's.",
    ),
    Setting(
        "live",
        "poll_s",
        20.0,
        "Seconds between two looks at a wiki's changes in `wikibot follow`.",
        low=1,
        high=3_600,
    ),
    Setting(
        "live",
        "changes_from",
        "auto",
        "Where changes are read: `auto` takes the event stream on Wikimedia's wikis.",
        choices=("auto", "recentchanges", "eventstreams"),
    ),
    Setting(
        "live",
        "stream_url",
        "https://stream.wikimedia.org/v2/stream/recentchange",
        "The address of the event stream.",
    ),
    Setting(
        "api",
        "tokens_file",
        "",
        "A file of tokens that requests must carry, one per line, each with its user's name; "
        "empty means that --api-only needs none, and that the service for a team has no API.",
    ),
    Setting(
        "api",
        "requests_per_minute",
        6000,
        "Requests that one user or address may send in a minute; 0 means any number.",
        low=0,
    ),
    Setting(
        "api",
        "largest_text_kb",
        2048,
        "The longest request that is read, in kilobytes.",
        low=1,
        high=65_536,
    ),
    Setting(
        "api",
        "time_limit_s",
        10.0,
        "Seconds after which a request is given up.",
        low=0.1,
        high=3_600,
    ),
    Setting(
        "api",
        "origins",
        "",
        "Addresses of wikis whose pages may ask from a browser, with commas between; those of the "
        "wikis in the database may anyway.",
    ),
    Setting(
        "api",
        "hosts",
        "",
        "Names by which a proxy passes requests on, with commas between; 127.0.0.1 and localhost "
        "are answered anyway.",
    ),
    Setting("serve", "address", "", "The service's address as browsers see it, without a path."),
    Setting("serve", "listen", "127.0.0.1:8127", "Where `wikibot serve` listens: HOST:PORT."),
    Setting("serve", "workers", 2, "Processes that answer requests.", low=1, high=64),
    Setting("serve", "threads", 32, "Requests that one of them answers at once.", low=1, high=64),
    Setting(
        "serve",
        "oauth_url",
        "",
        "The rest.php of the wiki that people log in at; empty means the one beside its api.php.",
    ),
    Setting("serve", "oauth_client", "", "The client application key that the wiki gave us."),
    Setting(
        "serve",
        "oauth_secret_file",
        "",
        "A file with the client application secret, unless WIKIBOT_OAUTH_SECRET holds it; neither "
        "for a client that keeps no secret.",
    ),
    Setting(
        "serve",
        "key_file",
        "wikibot.key",
        "A file with the key that seals the tokens, unless WIKIBOT_KEY holds it.",
    ),
    Setting("serve", "review_groups", "", "Groups of the wiki that may review; empty means all."),
    Setting("serve", "review_edits", 10, "Edits on the wiki that reviewing needs.", low=0),
    Setting("serve", "publish_groups", "autoconfirmed", "Groups that may save links."),
    Setting("serve", "publish_edits", 10, "Edits on the wiki that saving links needs.", low=0),
    Setting("serve", "admin_groups", "sysop", "Groups that administer the service."),
    Setting(
        "serve",
        "save_interval_s",
        5.0,
        "The least time between two edits that somebody saves as themselves.",
        low=0,
        high=3_600,
    ),
    Setting("serve", "session_days", 14, "Days until one must log in again.", low=1, high=365),
    Setting(
        "serve",
        "recheck_minutes",
        10,
        "Minutes until the wiki is asked again what somebody may do.",
        low=1,
        high=1440,
    ),
    Setting(
        "serve",
        "reserve_minutes",
        5,
        "Minutes for which a proposal on one screen is not shown to others.",
        low=1,
        high=240,
    ),
    Setting(
        "serve",
        "log_format",
        "text",
        "How the service writes its log: for people, or a line of JSON for each event.",
        choices=("text", "json"),
    ),
    Setting(
        "serve",
        "metrics_token_file",
        "",
        "A file with the token that /metrics asks for, unless WIKIBOT_METRICS_TOKEN holds it; "
        "neither means that nobody may read it.",
    ),
    Setting(
        "jobs",
        "follow_minutes",
        1.0,
        "Minutes between two looks of the service at the wiki's changes; 0 means never.",
        low=0,
        high=10_080,
    ),
    Setting(
        "jobs",
        "publish_to",
        "",
        "Where the service publishes by itself with the bot's account: page (only what was "
        "approved), talk, user-page, with commas between; empty means nowhere.",
    ),
    Setting(
        "jobs",
        "publish_minutes",
        15.0,
        "Minutes between two such runs; 0 means never.",
        low=0,
        high=10_080,
    ),
    Setting(
        "jobs",
        "collect_minutes",
        0.0,
        "Minutes between two runs of `wikibot collect` by the service, with the bot's account; 0 "
        "means never.",
        low=0,
        high=10_080,
    ),
    Setting(
        "jobs",
        "watch_minutes",
        0.0,
        "Minutes between two runs of `wikibot watch` by the service, with the bot's account; 0 "
        "means never.",
        low=0,
        high=10_080,
    ),
    Setting(
        "jobs",
        "settings_minutes",
        5.0,
        "Minutes between two looks of the service at suggest.settings_page; 0 means never.",
        low=0,
        high=10_080,
    ),
)
