"""For each page what its proposals were made of, so that it is looked at again only when that changes"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("page_readings") as table:
        table.add_column(sa.Column("scored", sa.Text(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("page_readings") as table:
        table.drop_column("scored")
