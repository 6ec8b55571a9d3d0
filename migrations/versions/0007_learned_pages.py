"""Which revision of each page the models were learned from, so that `run` learns only when enough changed"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "learned_pages",
        sa.Column("page_id", sa.Integer(), nullable=False),
        sa.Column(
            "revision_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.ForeignKeyConstraint(
            ["page_id"], ["pages.id"], name=op.f("fk_learned_pages_page_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("page_id", name=op.f("pk_learned_pages")),
    )


def downgrade() -> None:
    op.drop_table("learned_pages")
