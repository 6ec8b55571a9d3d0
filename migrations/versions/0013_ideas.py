"""Ideas: places where a few words about a page could be written"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "ideas",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("wiki_id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=True),
        sa.Column("page_id", sa.Integer(), nullable=False),
        sa.Column("target_id", sa.Integer(), nullable=False),
        sa.Column(
            "revision_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.Column("sentence", sa.Text(), nullable=False),
        sa.Column("score", sa.Double(), nullable=False),
        sa.Column("reasons", sa.JSON(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("reviewer", sa.Text(), nullable=True),
        sa.Column("source", sa.Text(), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("decided_at", sa.DateTime(), nullable=True),
        sa.Column("posted_on", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.CheckConstraint('start < "end"', name=op.f("ck_ideas_span")),
        *(
            sa.ForeignKeyConstraint(
                [column], [target], name=op.f(f"fk_ideas_{column}"), ondelete=fate
            )
            for column, target, fate in (
                ("wiki_id", "wikis.id", "CASCADE"),
                ("run_id", "runs.id", "SET NULL"),
                ("page_id", "pages.id", "CASCADE"),
                ("target_id", "pages.id", "CASCADE"),
            )
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ideas")),
        sa.UniqueConstraint("page_id", "target_id", name=op.f("uq_ideas_page_id_target_id")),
    )
    op.create_index(op.f("ix_ideas_wiki_id_state_score"), "ideas", ["wiki_id", "state", "score"])
    op.create_index(op.f("ix_ideas_target_id"), "ideas", ["target_id"])


def downgrade() -> None:
    op.drop_table("ideas")
