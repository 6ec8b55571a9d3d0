"""What no part of the program asks for, but tests do."""

from __future__ import annotations

from collections import defaultdict

from sqlalchemy import select
from sqlalchemy.orm import Session

from wikibot.store.tables import Category, CategoryMember


def categories_of_pages(session: Session, wiki_id: int) -> dict[int, list[str]]:
    """Row ids of pages, each with the titles of its categories."""
    query = (
        select(CategoryMember.page_id, Category.title)
        .join(Category, Category.id == CategoryMember.category_id)
        .where(Category.wiki_id == wiki_id)
        .order_by(CategoryMember.page_id, Category.title)
    )
    found: dict[int, list[str]] = defaultdict(list)
    for page_id, title in session.execute(query):
        found[page_id].append(title)
    return dict(found)
