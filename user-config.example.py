# ruff: noqa: F821  (pywikibot reads this file with these names already defined)
"""An example of pywikibot's user-config.py, each line explained.

`wikibot init` writes such a file for you. To write it by hand, copy this one to user-config.py in the
folder where you run wikibot (or in the folder named by PYWIKIBOT_DIR) and make it private:
chmod 600 user-config.py user-password.cfg
"""

# Which wiki. For Wikipedia and its sisters: the project and the language of its address,
# here https://en.wikipedia.org.
family = "wikipedia"
mylang = "en"

# For any other MediaWiki, choose a name, use it for both, and give the address of its api.php.
# family = mylang = "rivers"
# family_files["rivers"] = "https://wiki.example.org/w/api.php"

# The account that edits. Your own: edits carry no bot flag and say that they were assisted. Or a bot's, if your wiki has
# agreed; then set review.reviewer in wikibot.cfg to your own name, for a person approves every edit.
usernames["wikipedia"]["en"] = "YourBot"
# usernames["rivers"]["rivers"] = "YourBot"

# Who answers for the bot. It is sent with every request; without it wikibot refuses to publish.
user_agent_description = "link suggestions; contact User:You or you@example.org"

# Where the password is: a file of one line, for a BotPassword named "links"
#     ("YourBot", BotPassword("links", "the password that Special:BotPasswords showed"))
# or, less safely, the account's own password
#     ("YourBot", "its password")
# Special:BotPasswords grants needed: "High-volume (bot) access" and "Edit existing pages", and
# "Create, edit, and move pages" for talk pages and work lists that do not exist yet.
password_file = "user-password.cfg"

# Instead of a password: owner-only OAuth, with the four values that the wiki showed.
# authenticate["en.wikipedia.org"] = ("consumer token", "consumer secret", "access token", "access secret")

# The least time between two edits, in seconds. Communities often ask for ten.
put_throttle = 10
