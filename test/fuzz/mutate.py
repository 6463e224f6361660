# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Breaks sources as incomplete typing, merges, and missing packages do: most of the
results do not compile."""

import re

TOKEN = re.compile(
    r"\s+|//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|"
    r"<<<|>>>|[A-Za-z_]\w*|\d[\w.]*|::|->|&&|\|\||[^\w\s]", re.S)

TYPES = ["int", "float *", "cudaStream_t", "void", "auto", "Missing", "bool",
         "std::vector<cudaStream_t>", "cudaGraph_t", "long long", "const char *"]

# Declarations of the API that differ from the catalogue.
DECLARATIONS = [
    'extern "C" int cudaStreamCreateWithFlags(void *);',
    'extern "C" void cudaStreamBeginCapture();',
    'extern "C" int cudaMemcpyAsync(...);',
    "template <class... T> int cudaStreamSynchronize(T...);",
    "struct cudaStream_t { int value; };",
    "#define cudaStreamEndCapture(s, g) s ? g : g",
    "namespace at { struct Tensor; } namespace c10 { namespace cuda { struct CUDAStream; } }",
    "int cudaGraphLaunch, cudaMalloc;",
]


def lines_of(rng, text, act):
    lines = text.split("\n")
    index = rng.randrange(len(lines))
    act(lines, index)
    return "\n".join(lines)


def tokens_of(rng, text, act):
    tokens = TOKEN.findall(text)
    solid = [i for i, t in enumerate(tokens) if not t.isspace()]
    if not solid:
        return text
    act(tokens, solid, rng.choice(solid))
    return "".join(tokens)


def drop_line(rng, text):
    return lines_of(rng, text, lambda l, i: l.pop(i))


def repeat_line(rng, text):
    return lines_of(rng, text, lambda l, i: l.insert(i, l[i]))


def swap_lines(rng, text):
    def act(lines, i):
        j = rng.randrange(len(lines))
        lines[i], lines[j] = lines[j], lines[i]
    return lines_of(rng, text, act)


def drop_block(rng, text):
    def act(lines, i):
        del lines[i:i + rng.randint(2, 12)]
    return lines_of(rng, text, act)


def drop_token(rng, text):
    return tokens_of(rng, text, lambda t, s, i: t.pop(i))


def repeat_token(rng, text):
    return tokens_of(rng, text, lambda t, s, i: t.insert(i, t[i] + " "))


def swap_tokens(rng, text):
    def act(tokens, solid, i):
        j = rng.choice(solid)
        tokens[i], tokens[j] = tokens[j], tokens[i]
    return tokens_of(rng, text, act)


def replace_token(rng, text):
    def act(tokens, solid, i):
        tokens[i] = tokens[rng.choice(solid)]
    return tokens_of(rng, text, act)


def swap_type(rng, text):
    def act(tokens, solid, i):
        names = [j for j in solid if re.match(r"[A-Za-z_]", tokens[j])]
        tokens[rng.choice(names or [i])] = rng.choice(TYPES) + " "
    return tokens_of(rng, text, act)


def half_typed(rng, text):
    """A statement that ends at the cursor."""
    def act(tokens, solid, i):
        tokens[i] += rng.choice([".", "->", "(", "::", "[", " = ", ", ", "<<<",
                                 "{", "}", ")", ";", "<", "\"", "/*", "#if 1\n"])
    return tokens_of(rng, text, act)


def brace(rng, text):
    at = [m.start() for m in re.finditer(r"[{}()]", text)] or [0]
    i = rng.choice(at)
    return text[:i] + rng.choice(["", "}", "{", "){", "})"]) + text[i + 1:]


def truncate(rng, text):
    return text[:rng.randrange(len(text) + 1)]


def drop_include(rng, text):
    at = [m for m in re.finditer(r"^[ \t]*#\s*include[^\n]*", text, re.M)]
    if not at:
        return '#include "missing.h"\n' + text
    m = rng.choice(at)
    return text[:m.start()] + rng.choice(["", '#include "missing.h"']) + text[m.end():]


def declare(rng, text):
    return lines_of(rng, text, lambda l, i: l.insert(i, rng.choice(DECLARATIONS)))


def undeclare(rng, text):
    """A name without a declaration, at its first uses."""
    names = re.findall(r"\b[A-Za-z_]\w{2,}\b", text) or ["x"]
    return re.sub(rf"\b{rng.choice(names)}\b", "renamed", text, count=rng.randint(1, 3))


def bytes_in(rng, text):
    i = rng.randrange(len(text) + 1)
    return text[:i] + rng.choice(["\0", "\xff", "\\\n", "\r", "\u202e", "??/", "\x0c", "\ufeff"]) + text[i:]


ALL = [drop_line, repeat_line, swap_lines, drop_block, drop_token, drop_token,
       repeat_token, swap_tokens, replace_token, replace_token, swap_type, swap_type,
       half_typed, half_typed, brace, truncate, drop_include, declare, undeclare,
       bytes_in]


def mutate(rng, text):
    """Returns text with one to six changes."""
    for _ in range(rng.choice([1, 1, 1, 2, 3, 6])):
        text = rng.choice(ALL)(rng, text) or "\n"
    return text
