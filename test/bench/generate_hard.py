#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a program of one shape that is expensive to analyze, of any size.

  generate_hard.py SHAPE N          to standard output
  generate_hard.py --list           the shapes, one per line, with the meaning of N

The time that the analysis takes must grow about as fast as N for every shape.
Each program has a capture with a wait in it that the analysis must find,
unless the description says otherwise. Names and contents depend on SHAPE and
N only.
"""

import argparse
import sys

HEADER = "#include <cuda_runtime_api.h>\n"
BEGIN = "cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);"
END = "cudaStreamEndCapture(s, &g);"
WAIT = "cudaStreamSynchronize(s);"

SHAPES = {}


def shape(counts):
    """Registers a generator; `counts` describes N."""
    def register(function):
        SHAPES[function.__name__.replace("_", "-")] = (function, counts)
        return function
    return register


def captured(body, parameters=""):
    """A function that captures `body`."""
    return (f"void root(cudaStream_t s, cudaGraph_t g{parameters}) {{\n"
            f"  {BEGIN}\n{body}\n  {END}\n}}\n")


def declared(n, parameters="cudaStream_t s, int n"):
    return "".join(f"void f{i}({parameters});\n" for i in range(n))


@shape("functions that capture and call each other under conditions")
def mutual(n):
    yield declared(n, "cudaStream_t s, int n, cudaGraph_t g")
    for i in range(n):
        calls = "".join(f"  if (n & {1 << j % 30}) f{j}(s, n - 1, g);\n"
                        for j in range(n) if j != i)
        yield (f"void f{i}(cudaStream_t s, int n, cudaGraph_t g) {{\n"
               f"  {BEGIN}\n  {WAIT}\n  {END}\n{calls}}}\n")


@shape("the same, called while the capture is active")
def mutual_inside(n):
    yield declared(n, "cudaStream_t s, int n, cudaGraph_t g")
    for i in range(n):
        calls = "".join(f"  if (n > {j}) f{j}(s, n - 1, g);\n"
                        for j in range(n) if j != i)
        yield (f"void f{i}(cudaStream_t s, int n, cudaGraph_t g) {{\n"
               f"  {BEGIN}\n{calls}  {WAIT}\n  {END}\n}}\n")


@shape("the same, with captures that begin under conditions")
def mutual_maybe(n):
    yield declared(n, "cudaStream_t s, int n, cudaGraph_t g")
    for i in range(n):
        calls = "".join(f"  if (n > {j}) f{j}(s, n - {j}, g);\n"
                        for j in range(n) if j != i)
        yield (f"void f{i}(cudaStream_t s, int n, cudaGraph_t g) {{\n"
               f"  if (n == {i}) {BEGIN}\n{calls}  {WAIT}\n"
               f"  if (n == {i}) {END}\n}}\n")


@shape("functions that leave a capture open and call each other")
def mutual_open(n):
    yield declared(n, "cudaStream_t s, int n, cudaGraph_t g")
    for i in range(n):
        calls = "".join(f"  if (n > {j}) f{j}(s, n - 1, g);\n"
                        for j in range(n) if j != i)
        yield (f"void f{i}(cudaStream_t s, int n, cudaGraph_t g) {{\n"
               f"  if (n == {i}) {BEGIN}\n{calls}  {WAIT}\n}}\n")
    yield (f"void root(cudaStream_t s, cudaGraph_t g) {{\n"
           f"  f0(s, 9, g);\n  {END}\n}}\n")


@shape("the same, always, each on its own stream")
def mutual_streams(n):
    yield declared(n, "cudaStream_t s, int n, cudaGraph_t g")
    for i in range(n):
        calls = "".join(f"  if (n > {j}) f{j}(t, n - 1, g);\n"
                        for j in range(n) if j != i)
        yield (f"void f{i}(cudaStream_t s, int n, cudaGraph_t g) {{\n"
               "  cudaStream_t t;\n  cudaStreamCreate(&t);\n"
               f"  {BEGIN}\n{calls}  {WAIT}\n  {END}\n}}\n")


@shape("methods of an object that open, close, and call each other")
def mutual_methods(n):
    yield "struct E {\n  cudaStream_t s; cudaGraph_t g; int n;\n"
    yield "".join(f"  void f{i}();\n" for i in range(n)) + "};\n"
    for i in range(n):
        calls = "".join(f"  if (n > {j}) f{j}();\n"
                        for j in range(n) if j != i)
        act = (BEGIN, END)[i % 2]
        yield (f"void E::f{i}() {{\n  n = n + {i};\n  {act}\n{calls}"
               f"  {WAIT}\n}}\n")


@shape("functions that alternately open and close, and call each other")
def mutual_turns(n):
    yield declared(n, "cudaStream_t s, int n, cudaGraph_t g")
    for i in range(n):
        calls = "".join(f"  if (n > {j}) f{j}(s, n - 1, g);\n"
                        for j in range(n) if j != i)
        act = (BEGIN, END)[i % 2]
        yield (f"void f{i}(cudaStream_t s, int n, cudaGraph_t g) {{\n"
               f"  {act}\n{calls}  {WAIT}\n}}\n")


@shape("functions that open and call two others, without conditions")
def mutual_plain(n):
    yield declared(n, "cudaStream_t s, cudaGraph_t g")
    for i in range(n):
        yield (f"void f{i}(cudaStream_t s, cudaGraph_t g) {{\n"
               f"  {BEGIN}\n  f{(i + 1) % n}(s, g);\n  {END}\n"
               f"  f{(i + 2) % n}(s, g);\n  {WAIT}\n}}\n")


@shape("functions that each open a stream of a table and call all others")
def mutual_table(n):
    yield declared(n, "cudaStream_t *s, int n, cudaGraph_t g")
    for i in range(n):
        calls = "".join(f"  if (n > {j}) f{j}(s, n - 1, g);\n"
                        for j in range(n))
        yield (f"void f{i}(cudaStream_t *s, int n, cudaGraph_t g) {{\n"
               f"  cudaStreamBeginCapture(s[{i}], cudaStreamCaptureModeRelaxed);\n"
               f"{calls}  cudaStreamSynchronize(s[{i}]);\n"
               f"  cudaStreamEndCapture(s[{i}], &g);\n}}\n")


@shape("functions that call the next one and the first, each a capture")
def ring(n):
    yield declared(n, "cudaStream_t s, int n, cudaGraph_t g")
    for i in range(n):
        yield (f"void f{i}(cudaStream_t s, int n, cudaGraph_t g) {{\n"
               f"  {BEGIN}\n  {WAIT}\n  {END}\n"
               f"  if (n > {i}) f{(i + 1) % n}(s, n - 1, g);\n"
               f"  if (n < {i}) f0(s, n - 1, g);\n}}\n")


@shape("functions, one of which captures and calls the others in a chain")
def chain(n):
    yield declared(n)
    yield f"void f0(cudaStream_t s, int n) {{ {WAIT} }}\n"
    for i in range(1, n):
        yield f"void f{i}(cudaStream_t s, int n) {{ f{i - 1}(s, n); }}\n"
    yield captured(f"  f{n - 1}(s, 0);")


@shape("functions in a chain, called from the front, each of which captures")
def chain_captures(n):
    yield declared(n, "cudaStream_t s, int n, cudaGraph_t g")
    for i in range(n):
        call = f"f{i + 1}(s, n, g);" if i + 1 < n else ""
        yield (f"void f{i}(cudaStream_t s, int n, cudaGraph_t g) {{\n"
               f"  {BEGIN}\n  {WAIT}\n  {END}\n  {call}\n}}\n")


@shape("functions in a chain that pass a wait on (for --roots=stream-param)")
def chain_roots(n):
    yield declared(n)
    yield f"void f0(cudaStream_t s, int n) {{ {WAIT} }}\n"
    for i in range(1, n):
        yield f"void f{i}(cudaStream_t s, int n) {{ f{i - 1}(s, n); }}\n"


@shape("functions that one function calls while it captures")
def fan(n):
    for i in range(n):
        yield f"void f{i}(cudaStream_t s, int n) {{ if (n == {i}) {WAIT} }}\n"
    yield captured("".join(f"  f{i}(s, n);\n" for i in range(n)), ", int n")


@shape("functions, each of which calls the one below twice")
def diamonds(n):
    yield f"void f0(cudaStream_t s, int n) {{ {WAIT} }}\n"
    for i in range(1, n):
        yield (f"void f{i}(cudaStream_t s, int n) {{\n"
               f"  if (n > {i}) f{i - 1}(s, n + {i});\n"
               f"  else f{i - 1}(s, n * {i});\n}}\n")
    yield captured(f"  f{n - 1}(s, n);", ", int n")


@shape("functions that capture and call the same ten helpers")
def shared(n):
    for i in range(10):
        next_one = f"h{i - 1}(s, n);" if i else WAIT
        yield f"void h{i}(cudaStream_t s, int n) {{ if (n > {i}) {next_one} }}\n"
    for i in range(n):
        yield (f"void r{i}(cudaStream_t s, cudaGraph_t g, int n) {{\n"
               f"  {BEGIN}\n  h{i % 10}(s, n);\n  {END}\n}}\n")


@shape("functions that capture, unrelated to each other")
def separate(n):
    for i in range(n):
        yield (f"void r{i}(cudaStream_t s, cudaGraph_t g, int n) {{\n"
               f"  {BEGIN}\n  {WAIT}\n  {END}\n}}\n")


@shape("functions that never capture, and one that does")
def bystanders(n):
    for i in range(n):
        call = f"f{i - 1}(p, n - 1);" if i % 10 else ""
        yield (f"void f{i}(int *p, int n) {{\n"
               f"  for (int i = 0; i < n; ++i) p[i] += {i};\n  {call}\n}}\n")
    yield captured(f"  {WAIT}")


@shape("classes that override a method")
def virtual_methods(n):
    yield "struct Base { virtual void run(cudaStream_t s, int n) = 0; };\n"
    for i in range(n):
        base = "Base" if i % 10 == 0 else f"D{i - 1}"
        yield (f"struct D{i} : {base} {{\n"
               f"  void run(cudaStream_t s, int n) override"
               f" {{ if (n == {i}) {WAIT} }}\n}};\n")
    yield captured("  b->run(s, n);", ", Base *b, int n")


@shape("callbacks in a table, one of which a capture calls")
def callbacks(n):
    for i in range(n):
        yield f"void f{i}(cudaStream_t s, int n) {{ if (n == {i}) {WAIT} }}\n"
    names = ", ".join(f"f{i}" for i in range(n))
    yield f"void (*table[])(cudaStream_t, int) = {{{names}}};\n"
    yield captured("  table[n](s, n);", ", int n")


@shape("functions of a recursion that creates a stream at every call")
def stream_recursion(n):
    yield declared(n)
    for i in range(n):
        yield (f"void f{i}(cudaStream_t s, int n) {{\n"
               "  cudaStream_t t; cudaEvent_t e;\n"
               "  cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);\n"
               "  cudaEventCreate(&e);\n"
               "  cudaEventRecord(e, s); cudaStreamWaitEvent(t, e, 0);\n"
               f"  if (n > {i}) f{(i + 1) % n}(t, n - 1);\n"
               f"  if (n < {i}) f{(i + 7) % n}(s, n - 1);\n"
               "  cudaEventRecord(e, t); cudaStreamWaitEvent(s, e, 0);\n"
               f"  {WAIT}\n}}\n")
    yield captured("  f0(s, n);", ", int n")


def condition(n, text):
    yield "bool b(int); int c(int);\n"
    yield captured(f"{text}\n", ", int x")


@shape("terms of one condition with &&")
def terms_and(n):
    return condition(n, "  if (" + " && ".join(["b(x)"] * n) + f") {WAIT}")


@shape("terms of one condition with ||")
def terms_or(n):
    return condition(n, "  if (" + " || ".join(["b(x)"] * n) + f") {WAIT}")


@shape("different terms of one condition, && and || alternating")
def terms_mixed(n):
    text = "x"
    for i in range(n):
        text += f" {'&&' if i % 2 else '||'} x == {i}"
    return condition(n, f"  if ({text}) {WAIT}")


@shape("?: within one expression")
def ternaries(n):
    text = "".join(f"b({i}) ? {i} : " for i in range(n))
    return condition(n, f"  int y = {text} -1;\n  if (y) {WAIT}")


@shape("branches of an else-if chain")
def else_ifs(n):
    text = "".join(f"  else if (x == {i}) c({i});\n" for i in range(n))
    return condition(n, f"  if (x < 0) c(x);\n{text}  {WAIT}")


@shape("cases of a switch")
def cases(n):
    text = "".join(f"    case {i}: c({i}); break;\n" for i in range(n))
    return condition(n, f"  switch (x) {{\n{text}  }}\n  {WAIT}")


@shape("cases of a switch that assign to a variable")
def cases_assign(n):
    text = "".join(f"    case {i}: y = {i} * 3; break;\n" for i in range(n))
    return condition(
        n, f"  int y = 0;\n  switch (x) {{\n{text}  }}\n  if (y) {WAIT}")


@shape("statements in one function")
def statements(n):
    text = "".join(f"  x = x + {i % 7};\n" for i in range(n))
    return condition(n, f"{text}  {WAIT}")


@shape("calls in one function, each under a condition")
def guarded_calls(n):
    text = "".join(f"  if (x == {i}) c({i});\n" for i in range(n))
    return condition(n, f"{text}  {WAIT}")


@shape("calls in one function whose results are checked")
def checked_calls(n):
    text = ("  if (cudaMemcpyAsync(p, q, 4, cudaMemcpyDeviceToDevice, s)) "
            "return;\n" * n)
    yield captured(f"{text}  {WAIT}", ", int *p, int *q")


@shape("elements of the initializer of a local array")
def elements(n):
    text = ", ".join(f"{i}" for i in range(n))
    return condition(n, f"  int a[] = {{{text}}};\n  if (a[x]) {WAIT}")


@shape("elements of the initializer of a global table of structures")
def global_elements(n):
    text = ", ".join(f"{{{i}, {i} * 2}}" for i in range(n))
    yield f"struct P {{ int a, b; }};\nP table[] = {{{text}}};\n"
    yield captured(f"  if (table[x].a) {WAIT}", ", int x")


@shape("local variables with destructors")
def destructors(n):
    yield "struct R { R(int); ~R(); int v; };\n"
    text = "".join(f"  R r{i}({i});\n" for i in range(n))
    yield captured(f"{text}  {WAIT}")


@shape("local variables with destructors and early returns")
def early_returns(n):
    yield "struct R { R(int); ~R(); int v; };\nbool b(int);\n"
    text = "".join(f"  R r{i}({i}); if (b({i})) return;\n" for i in range(n))
    yield captured(f"{text}  {WAIT}")


@shape("local variables, each used once")
def variables(n):
    text = "".join(f"  int v{i} = c({i});\n" for i in range(n))
    uses = "".join(f"  if (v{i}) c(v{i});\n" for i in range(n))
    return condition(n, f"{text}{uses}  {WAIT}")


@shape("nested blocks (with -fbracket-depth)")
def blocks(n):
    return condition(n, "{" * n + WAIT + "}" * n)


@shape("parentheses around one value (with -fbracket-depth)")
def parentheses(n):
    return condition(n, f"  if ({'(' * n}x{')' * n}) {WAIT}")


@shape("nested ifs (with -fbracket-depth)")
def nested_ifs(n):
    text = "".join(f"if (b({i})) {{ " for i in range(n))
    return condition(n, f"  {text} {WAIT} {'}' * n}")


@shape("nested loops")
def nested_loops(n):
    text = "".join(f"for (int i{i} = 0; i{i} < x; ++i{i}) {{ "
                   for i in range(n))
    return condition(n, f"  {text} {WAIT} {'}' * n}")


@shape("consecutive loops")
def loops(n):
    text = "".join(f"  for (int i = 0; i < x; ++i) c(i + {i});\n"
                   for i in range(n))
    return condition(n, f"{text}  {WAIT}")


@shape("calls nested in arguments of calls (with -fbracket-depth)")
def nested_calls(n):
    return condition(n, f"  if ({'c(' * n}x{')' * n}) {WAIT}")


@shape("operands of one sum")
def operands(n):
    return condition(n, f"  if ({' + '.join(['x'] * n)}) {WAIT}")


@shape("lambdas that are stored and called")
def lambdas(n):
    text = "".join(f"  auto l{i} = [&] {{ c({i}); }};\n" for i in range(n))
    calls = "".join(f"  l{i}();\n" for i in range(n))
    return condition(n, f"{text}{calls}  {WAIT}")


@shape("global variables that functions write and a capture reads")
def global_variables(n):
    for i in range(n):
        yield f"int g{i};\nvoid set{i}(int v) {{ g{i} = v; }}\n"
    yield "int c(int);\n"
    yield captured("".join(f"  c(g{i});\n" for i in range(n)) + WAIT)


@shape("members of a structure that a capture reads and writes")
def members(n):
    fields = "".join(f"  int m{i};\n" for i in range(n))
    text = "".join(f"  p->m{i} = p->m{(i * 7 + 1) % n} + 1;\n"
                   for i in range(n))
    yield f"struct P {{\n{fields}}};\n"
    yield captured(f"{text}  {WAIT}", ", P *p")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("shape", nargs="?", choices=sorted(SHAPES))
    parser.add_argument("n", nargs="?", type=int)
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    if args.list:
        for name, (_, counts) in SHAPES.items():
            print(f"{name:18} {counts}")
        return
    if args.n is None:
        parser.error("a shape and a size are needed")
    sys.stdout.write(HEADER)
    sys.stdout.writelines(SHAPES[args.shape][0](args.n))


if __name__ == "__main__":
    main()
