"""Titles as parts of web addresses."""


def slugify(title: str) -> str:
    return title.lower().replace(" ", "-")
