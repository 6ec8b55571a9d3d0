"""The queue's indexes hold its whole order, of one state and of all, and its anchors"""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

QUEUE, ORDER = "ix_suggestions_queue", "ix_suggestions_order"
ANCHORS = "ix_suggestions_wiki_id_state_anchor"
AFTER_ORDER = ("probability", "page_id", "target_id")


def upgrade() -> None:
    op.drop_index(QUEUE, "suggestions")
    op.create_index(QUEUE, "suggestions", ["wiki_id", "state", "priority", "id", *AFTER_ORDER])
    op.create_index(ORDER, "suggestions", ["wiki_id", "priority", "id", *AFTER_ORDER])
    op.create_index(ANCHORS, "suggestions", ["wiki_id", "state", "anchor"])


def downgrade() -> None:
    op.drop_index(ANCHORS, "suggestions")
    op.drop_index(ORDER, "suggestions")
    op.drop_index(QUEUE, "suggestions")
    op.create_index(QUEUE, "suggestions", ["wiki_id", "state", "priority", *AFTER_ORDER])
