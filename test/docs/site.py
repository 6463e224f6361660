#!/usr/bin/env python3
"""usage: site.py SITE [PAGE...]

Checks a built site: every link and resource is a file of the site, every anchor is in
its page, no id occurs twice, nothing is loaded from other sites, and the search index
and each PAGE exist."""

import os
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

# Resources that a browser loads automatically; links may lead to other sites.
LOADED = {("link", "href"), ("script", "src"), ("img", "src"), ("source", "src"), ("iframe", "src"),
          ("object", "data"), ("video", "src"), ("form", "action")}
FOLLOWED = {("a", "href")}


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.twice, self.links, self.titles = set(), [], [], 0
        with open(path, encoding="utf-8") as f:
            self.feed(f.read())

    def handle_starttag(self, tag, attributes):
        self.titles += tag == "h1"
        for name, value in attributes:
            # IDs that begin with `__` are Material's own switches, even in
            # pages without content.
            if name == "id" and not (value or "").startswith("__"):
                if value in self.ids:
                    self.twice.append(value)
                self.ids.add(value)
            elif (tag, name) in LOADED | FOLLOWED and value is not None:
                self.links.append(((tag, name) in LOADED, self.getpos()[0], value))


def problems(site):
    names = [os.path.relpath(os.path.join(d, n), site)
             for d, _, ns in os.walk(site) for n in ns]
    pages = {n: Page(os.path.join(site, n)) for n in names if n.endswith(".html")}
    present = set(names)
    for name, page in sorted(pages.items()):
        for i in page.twice:
            yield f"{name}: the id '{i}' occurs twice"
        if page.titles != 1:
            yield f"{name}: {page.titles} titles"
        for loaded, line, link in page.links:
            where = f"{name}:{line}"
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if loaded:
                    yield f"{where}: loads {link}"
                continue
            # Only the error page may have absolute links, because it is served
            # at any address.
            if parts.path.startswith("/"):
                if name != "404.html":
                    yield f"{where}: {link} is absolute"
                continue
            target = os.path.normpath(os.path.join(os.path.dirname(name), unquote(parts.path))) \
                if parts.path else name
            if target == ".":
                target = "index.html"
            if target not in present:
                yield f"{where}: {link}: no such file"
            elif parts.fragment and not parts.fragment.startswith("__") and (
                    target not in pages or unquote(parts.fragment) not in pages[target].ids):
                yield f"{where}: {link}: no such anchor"
    # The index is also a script, for pages that are opened as files: see
    # docs/site/search.js.
    if not {"search/search_index.json", "search/search_index.js"} <= present:
        yield "the search index is missing"
    print(f"{len(pages)} pages, {sum(len(p.links) for p in pages.values())} links")


def main():
    site, wanted = sys.argv[1], sys.argv[2:]
    found = list(problems(site))
    found += [f"{w}: not made" for w in wanted if not os.path.isfile(os.path.join(site, w))]
    print(*found, sep="\n")
    sys.exit(1 if found else 0)


main()
