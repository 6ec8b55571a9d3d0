"""What nobody reads is gone, and the numbers of the largest wikis fit on PostgreSQL"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def unread() -> dict[str, list[sa.Column]]:
    """Tables, each with the columns that were written and never read; a fetch could bring them back."""
    return {
        "wikis": [
            sa.Column("linktrail", sa.Text(), nullable=False, server_default=""),
            sa.Column("namespaces", sa.JSON(), nullable=False, server_default="{}"),
        ],
        "pages": [
            sa.Column("length", sa.Integer(), nullable=False, server_default="0"),
            sa.Column("redirect_fragment", sa.Text(), nullable=True),
            sa.Column("protection", sa.Text(), nullable=True),
        ],
        "links": [
            sa.Column("raw_target", sa.Text(), nullable=False, server_default=""),
            sa.Column("fragment", sa.Text(), nullable=True),
        ],
    }


# (table, column) of the wiki's own numbers
NUMBERS = (
    ("pages", "page_id"),
    ("pages", "revision_id"),
    ("suggestions", "revision_id"),
    ("outbox", "base_revision"),
    ("outbox", "new_revision"),
)


def upgrade() -> None:
    op.drop_table("category_children")
    for table, columns in unread().items():
        with op.batch_alter_table(table) as batch:
            for column in columns:
                batch.drop_column(column.name)
    hold_numbers(sa.BigInteger())


def downgrade() -> None:
    hold_numbers(sa.Integer())
    for table, columns in unread().items():
        with op.batch_alter_table(table) as batch:
            for column in columns:
                batch.add_column(column)
    op.create_table(
        "category_children",
        sa.Column("parent_id", sa.Integer(), nullable=False),
        sa.Column("child_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["child_id"],
            ["categories.id"],
            name=op.f("fk_category_children_child_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["parent_id"],
            ["categories.id"],
            name=op.f("fk_category_children_parent_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("parent_id", "child_id", name=op.f("pk_category_children")),
    )


def hold_numbers(kind: sa.types.TypeEngine) -> None:
    """The columns are of this kind; SQLite's INTEGER holds them all."""
    if op.get_bind().dialect.name != "sqlite":
        for table, column in NUMBERS:
            op.alter_column(table, column, type_=kind)
