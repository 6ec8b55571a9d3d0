"""Alembic's entry: the schema steps run on the connection that wikibot.store hands over."""

from alembic import context
from sqlalchemy import create_engine, text

import wikibot.store.task_tables  # noqa: F401 (it completes Base.metadata)
from wikibot.store.tables import IN_FLIGHT, Base, Outbox, UtcTime

# Not said in the table's class, where it would load PostgreSQL's part of SQLAlchemy for everybody.
for index in Outbox.__table__.indexes:
    if index.name == "uq_outbox_in_flight":
        index.dialect_options["postgresql"]["where"] = text(IN_FLIGHT)


def plain_types(kind, item, _autogen):
    """Migrations name SQL's own types, so that they outlive the program's classes."""
    return "sa.DateTime()" if kind == "type" and isinstance(item, UtcTime) else False


def run(connection):
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        render_as_batch=True,
        compare_type=True,
        render_item=plain_types,
        transactional_ddl=True,
    )
    with context.begin_transaction():
        context.run_migrations()


given = context.config.attributes.get("connection")
if given is not None:
    run(given)
else:  # `alembic -x url=...` by hand
    url = context.get_x_argument(as_dictionary=True).get("url", "sqlite://")
    with create_engine(url).connect() as own:
        run(own)
        own.commit()
