"""What readers of a random draw said of each proposal, so that training can learn from it"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "audit_verdicts",
        sa.Column("page_id", sa.Integer(), nullable=False),
        sa.Column("target_id", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["page_id"], ["pages.id"], name=op.f("fk_audit_verdicts_page_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["target_id"],
            ["pages.id"],
            name=op.f("fk_audit_verdicts_target_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("page_id", "target_id", name=op.f("pk_audit_verdicts")),
    )


def downgrade() -> None:
    op.drop_table("audit_verdicts")
