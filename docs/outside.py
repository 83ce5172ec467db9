"""A preprocessor of mdBook: chapters from outside of docs/ get a place in the book, and links follow them.

SUMMARY.md may name `../README.md` and its like. Such a chapter stands in the book as if docs/ were the top of the project, and a
`README.md` is the index of its folder. A link to a source becomes one to the repository, where book.toml names it
(`git-repository-url`). Otherwise its text stays, with the path behind it.
"""

import json
import posixpath
import re
import sys

# Code, which stays as it is, or a link.
FENCE = r"^ *```.*?^ *```[^\n]*$"
CODE = r"(?P<ticks>`+)(?:(?!(?P=ticks)).)+?(?P=ticks)"
LINK = r"(?P<image>!?)\[(?P<text>(?:[^\[\]]|\[[^\[\]]*\])*)\]\((?P<target>[^()\s]+)\)"
PART = re.compile(f"{FENCE}|{CODE}|{LINK}", re.M | re.S)


def place(path):
    """Where a file of the project, as seen from docs/, stands in the book."""
    inside = path.removeprefix("../")
    folder, name = posixpath.split(inside)
    return posixpath.join(folder, "index.md") if name == "README.md" else inside


def chapters(items):
    for item in items:
        if "Chapter" in item:
            yield item["Chapter"]
            yield from chapters(item["Chapter"]["sub_items"])


def leads(source, chapter, places, repository):
    """Rewrites the links of a chapter that was at `source`."""

    def link(found):
        target, _, anchor = (found["target"] or "").partition("#")
        if ":" in target or not target:
            return found[0]
        path = posixpath.relpath(posixpath.join("/docs", posixpath.dirname(source), target), "/docs")
        anchor = "#" + anchor if anchor else ""
        if path in places or not path.startswith("../"):
            to = posixpath.relpath(places.get(path, path), posixpath.dirname(chapter) or ".")
            return f"{found['image']}[{found['text']}]({to}{anchor})"
        inside = path.removeprefix("../")
        if repository:
            return f"[{found['text']}]({repository.rstrip('/')}/blob/main/{inside}{anchor})"
        named = posixpath.basename(inside).rstrip("/") in found["text"]
        return found["text"] if named else f"{found['text']} (`{inside}`)"

    return link


def main():
    if sys.argv[1:2] == ["supports"]:
        return
    context, book = json.load(sys.stdin)
    found = list(chapters(book["items"]))
    places = {chapter["path"]: place(chapter["path"]) for chapter in found}
    repository = context["config"].get("output", {}).get("html", {}).get("git-repository-url")
    for chapter in found:
        source = chapter["path"]
        chapter["path"] = places[source]
        chapter["content"] = PART.sub(leads(source, places[source], places, repository), chapter["content"])
    json.dump(book, sys.stdout)


main()
