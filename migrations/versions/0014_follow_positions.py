"""How far `wikibot follow` has come in a wiki's changes"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "follow_positions",
        sa.Column("wiki_id", sa.Integer(), nullable=False),
        sa.Column("timestamp", sa.Text(), nullable=False),
        sa.Column("event_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["wiki_id"], ["wikis.id"], name=op.f("fk_follow_positions_wiki_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("wiki_id", name=op.f("pk_follow_positions")),
    )


def downgrade() -> None:
    op.drop_table("follow_positions")
