"""Accounts of the wiki that review as a team, their sessions, and who has which proposal before them"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "accounts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("wiki_id", sa.Integer(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("groups", sa.JSON(), nullable=False),
        sa.Column("edit_count", sa.Integer(), nullable=False),
        sa.Column("is_blocked", sa.Boolean(), nullable=False),
        sa.Column("checked_at", sa.DateTime(), nullable=False),
        sa.Column("claimed_until", sa.DateTime(), nullable=True),
        sa.Column("access_token", sa.Text(), nullable=True),
        sa.Column("refresh_token", sa.Text(), nullable=True),
        sa.Column("token_expires_at", sa.DateTime(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["wiki_id"], ["wikis.id"], name=op.f("fk_accounts_wiki_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_accounts")),
        sa.UniqueConstraint("wiki_id", "subject", name=op.f("uq_accounts_wiki_id_subject")),
    )
    op.create_index(op.f("ix_accounts_wiki_id_name"), "accounts", ["wiki_id", "name"])
    op.create_table(
        "web_sessions",
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("expires_at", sa.DateTime(), nullable=False),
        sa.Column("read_titles", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name=op.f("fk_web_sessions_account_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_web_sessions")),
    )
    op.create_index(op.f("ix_web_sessions_account_id"), "web_sessions", ["account_id"])
    op.create_table(
        "reservations",
        sa.Column("suggestion_id", sa.Integer(), nullable=False),
        sa.Column("reviewer", sa.Text(), nullable=False),
        sa.Column("until", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["suggestion_id"],
            ["suggestions.id"],
            name=op.f("fk_reservations_suggestion_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("suggestion_id", name=op.f("pk_reservations")),
    )
    op.create_index(op.f("ix_reservations_until"), "reservations", ["until"])


def downgrade() -> None:
    op.drop_table("reservations")
    op.drop_table("web_sessions")
    op.drop_table("accounts")
