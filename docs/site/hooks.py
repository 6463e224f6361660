# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hooks of mkdocs. The pages are written for the repository, where links lead
out of docs/. Here, such a link also leads to a page:

- the Markdown files of ADDED are pages of the site;
- any other file of the repository that a page links to, and each file in a
  directory that a page links to, becomes a page that shows it.

A link to a missing file remains unchanged, and mkdocs warns about it."""

import json
import logging
import os
import posixpath
import re

from mkdocs.structure.files import File

log = logging.getLogger("mkdocs.hooks.cudagraph")

# Maps a file of the repository to its page on the site.
ADDED = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contribute/contributing.md",
    "SECURITY.md": "security-policy.md",
    "examples/pytorch/README.md": "tutorials/pytorch-operators.md",
    "runtime-probe/conformance/README.md": "contribute/conformance.md",
    "runtime-probe/conformance/torch/README.md": "contribute/conformance-torch.md",
    "test/bench/README.md": "contribute/benchmark.md",
}
LANGUAGES = {".cu": "cuda", ".h": "cpp", ".cpp": "cpp", ".py": "python", ".json": "json",
             ".yml": "yaml", ".yaml": "yaml", ".lua": "lua", ".txt": "text"}
# [text](target#anchor) and [name]: target#anchor
LINK = re.compile(r"(\]\(|^\[[^\]]+\]:\s+)([^)\s#]+)((?:#[^)\s]*)?(?:\)|$))")
LARGEST = 200_000


def pages_of(files):
    return {os.path.relpath(f.abs_src_path, ROOT): f.src_path for f in files.documentation_pages()}


def lines_outside_fences(text):
    """Yields each line, and whether it is outside code, so that its links count."""
    fence = None
    for line in text.splitlines():
        mark = re.match(r"\s*(`{3,}|~{3,})", line)
        inside = fence is not None
        if mark and not inside:
            fence = mark[1]
        elif mark and mark[1].startswith(fence) and line.strip() == mark[1]:
            fence = None
        yield line, not inside and not mark


def target_of(page, link):
    """The file or directory that a link in a page refers to, or None."""
    if re.match(r"[a-z]+:|/", link):
        return None
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), link))


def on_config(config):
    global ROOT
    ROOT = os.path.dirname(os.path.abspath(config["config_file_path"]))
    return config


def add(files, config, repository, site):
    page = File(site, config["docs_dir"], config["site_dir"], config["use_directory_urls"])
    page.abs_src_path = os.path.join(ROOT, repository)
    files.append(page)


def on_files(files, config):
    # The sources of the site and of the man pages are not part of the site.
    for f in list(files):
        if f.src_path.startswith("man/") or f.src_path == "site/hooks.py":
            files.remove(f)
    for repository, site in ADDED.items():
        if os.path.isfile(os.path.join(ROOT, repository)) and not files.get_file_from_path(site):
            add(files, config, repository, site)

    known = pages_of(files)
    known["README.md"] = "index.md"
    wanted = []
    for page in pages_of(files):
        with open(os.path.join(ROOT, page), encoding="utf-8") as f:
            for line, prose in lines_outside_fences(f.read()):
                for link in LINK.findall(line) if prose else ():
                    wanted.append(target_of(page, link[1]))
    while wanted:
        target = wanted.pop()
        path = os.path.join(ROOT, target) if target else ""
        if target in known or not os.path.exists(path) or target.startswith(".."):
            continue
        if os.path.isdir(path):
            wanted += [posixpath.join(target, n) for n in os.listdir(path)
                       if os.path.isfile(os.path.join(path, n))]
            known[target] = f"source/{target}/index.md"
        elif target.startswith("docs/"):
            continue  # a file of the site already, a picture say
        else:
            known[target] = f"source/{target}.md"
        add(files, config, target, known[target])
    config["cudagraph_pages"] = known
    return files


def shown(path):
    """The page of a file or directory that is not a page itself."""
    name = os.path.relpath(path, ROOT)
    head = f"---\nhide: [toc]\n---\n\n# {name}\n\n"
    if os.path.isdir(path):
        names = sorted(n for n in os.listdir(path) if os.path.isfile(os.path.join(path, n)))
        return head + "".join(f"- [{n}]({n}.md)\n" for n in names)
    with open(path, encoding="utf-8", errors="replace") as f:
        text = f.read(LARGEST + 1)
    if len(text) > LARGEST:
        text = text[:LARGEST] + "\n...\n"
    fence = "`" * (max([3] + [len(m) + 1 for m in re.findall("`{3,}", text)]))
    language = LANGUAGES.get(os.path.splitext(name)[1], "text")
    return f"{head}{fence}{language}\n{text.rstrip()}\n{fence}\n"


def on_page_read_source(page, config):
    if page.file.src_path.startswith("source/"):
        return shown(page.file.abs_src_path)
    return None


def on_page_markdown(markdown, page, config, files):
    if page.file.src_path.startswith("source/"):
        return markdown
    known = config["cudagraph_pages"]
    here = os.path.relpath(page.file.abs_src_path, ROOT)
    there = posixpath.dirname(page.file.src_path)

    def site_link(m):
        target = target_of(here, m[2])
        site = known.get(target)
        return m[1] + posixpath.relpath(site, there or ".") + m[3] if site else m[0]

    # Python's Markdown does not support a backslash before these two.
    return "\n".join(LINK.sub(site_link, line).replace("\\<", "&lt;").replace("\\>", "&gt;")
                     if prose else line for line, prose in lines_outside_fences(markdown)) + "\n"


def on_nav(nav, config, files):
    listed = {p.file.src_path for p in nav.pages}
    for f in files.documentation_pages():
        if f.src_path not in listed and not f.src_path.startswith("source/"):
            log.warning("%s is not in the nav of mkdocs.yml", f.src_path)
    return nav


def on_post_page(output, page, config):
    """search.js comes before the script of the theme, which starts the search."""
    return re.sub(r'(<script src="([^"]*)assets/javascripts/bundle)', r'<script src="\2site/search.js"></script>\1',
                  output, count=1)


def on_post_build(config):
    """The search finds pages, not the sources that they link to; search.js reads
    the index as a script."""
    path = os.path.join(config["site_dir"], "search", "search_index.json")
    with open(path, encoding="utf-8") as f:
        index = json.load(f)
    index["docs"] = [d for d in index["docs"] if not d["location"].startswith("source/")]
    with open(path, "w", encoding="utf-8") as f:
        json.dump(index, f, separators=(",", ":"))
    with open(path.removesuffix("on"), "w", encoding="utf-8") as f:
        f.write("window.searchIndex = " + json.dumps(index, separators=(",", ":")) + ";\n")
