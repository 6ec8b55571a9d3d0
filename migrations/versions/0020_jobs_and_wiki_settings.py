"""Background jobs of the service, and settings that a wiki's administrators made on a page"""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0017"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "jobs",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("next_run_at", sa.DateTime(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("started_at", sa.DateTime(), nullable=True),
        sa.Column("finished_at", sa.DateTime(), nullable=True),
        sa.Column("duration_s", sa.Double(), nullable=True),
        sa.Column("result", sa.Text(), nullable=False),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.Column("failed_at", sa.DateTime(), nullable=True),
        sa.Column("runs", sa.Integer(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_jobs")),
    )
    op.create_table(
        "wiki_settings",
        sa.Column("wiki_id", sa.Integer(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("revision_id", NUMBER, nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("given", sa.JSON(), nullable=False),
        sa.Column("problems", sa.JSON(), nullable=False),
        sa.Column("read_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["wiki_id"], ["wikis.id"], name=op.f("fk_wiki_settings_wiki_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("wiki_id", name=op.f("pk_wiki_settings")),
    )


def downgrade() -> None:
    op.drop_table("wiki_settings")
    op.drop_table("jobs")
