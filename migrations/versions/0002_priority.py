"""Proposals have a priority, by which the queue is ordered"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

OLD_INDEX = "ix_suggestions_wiki_id_state_probability_page_id_target_id"
NEW_INDEX = "ix_suggestions_queue"


def upgrade() -> None:
    with op.batch_alter_table("suggestions") as batch:
        batch.add_column(sa.Column("priority", sa.Double(), nullable=False, server_default="0"))
        batch.drop_index(OLD_INDEX)
        batch.create_index(
            NEW_INDEX, ["wiki_id", "state", "priority", "probability", "page_id", "target_id"]
        )
    op.execute("UPDATE suggestions SET priority = probability")


def downgrade() -> None:
    with op.batch_alter_table("suggestions") as batch:
        batch.drop_index(NEW_INDEX)
        batch.create_index(OLD_INDEX, ["wiki_id", "state", "probability", "page_id", "target_id"])
        batch.drop_column("priority")
