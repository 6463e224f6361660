# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the names that code reads and writes, from its bytecode and, for a `with`
block, from its source."""

import ast
import dis
import linecache

MOST_LINES = 20000


def reads(code):
    """Returns the globals, the cells, and the attributes of self that `code` loads, by
    name."""
    global_names, cells, attributes = set(), set(), set()
    first = code.co_varnames[0] if code.co_argcount else None
    last = None
    for i in dis.get_instructions(code):
        if i.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            global_names.add(i.argval)
        elif i.opname == "LOAD_DEREF" and i.argval in code.co_freevars:
            cells.add(i.argval)
        elif i.opname in ("LOAD_ATTR", "LOAD_METHOD") and last == first == "self":
            attributes.add(i.argval)
        last = i.argval if i.opname.startswith("LOAD_FAST") else None
        if isinstance(last, tuple):  # two loads in one instruction
            last = last[-1]
    return global_names, cells, attributes


def stores(code, name, before):
    """The last line up to `before` on which `code` stores `name`, a variable or an
    attribute; or the first line after it, since code may be in a loop; or None."""
    lines, line = [], code.co_firstlineno
    for i in dis.get_instructions(code):
        line = _line(i) or line
        if i.opname.startswith("STORE_") and _has(i.argval, name):
            lines.append(line)
    return max((n for n in lines if n <= before), default=min(lines, default=None))


def _line(instruction):
    positions = getattr(instruction, "positions", None)
    if positions is not None:
        return positions.lineno
    start = instruction.starts_line
    return start if isinstance(start, int) and start is not True else None


def _has(argument, name):
    return argument == name or isinstance(argument, tuple) and name in argument


class Body:
    """The lines of the body of the `with` statement at `line` of `path`, and the chains
    of names that it loads, such as ("model",) or ("self", "weight"). Empty if there is no
    source."""

    def __init__(self, path, line):
        self.chains, self.first, self.last = set(), 0, 0
        text = linecache.getlines(path)
        if not text or len(text) > MOST_LINES:
            return
        try:
            tree = ast.parse("".join(text))
        except (SyntaxError, ValueError):
            return
        best = None
        for node in ast.walk(tree):
            if isinstance(node, (ast.With, ast.AsyncWith)) and node.body and (
                    node.lineno <= line and (line < node.body[0].lineno
                                             or line == node.lineno)):
                if best is None or node.lineno >= best.lineno:
                    best = node
        if best is None:
            return
        self.first = best.body[0].lineno
        self.last = max(n.end_lineno or n.lineno for n in best.body)
        for statement in best.body:
            for node in ast.walk(statement):
                chain = _chain(node)
                if chain and isinstance(node.ctx, ast.Load):
                    self.chains.add(chain)


def _chain(node):
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return tuple([node.id, *reversed(parts)])[:4]
