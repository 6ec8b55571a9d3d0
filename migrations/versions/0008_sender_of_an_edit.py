"""Which account sent an edit: only in its name can the wiki's history be asked for it"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("outbox", sa.Column("sender", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("outbox", "sender")
