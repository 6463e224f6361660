#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""generate.py SEED: writes a CUDA program to standard output.

The same seed gives the same program. Programs follow a grammar: they use features that
are rare in real code, and in unusual places, but most of them compile against the mock
headers. The programs are meaningless, and some never end."""

import random
import sys

from features import NAMES, PARAMETERS, PLAIN, PRELUDE, SHAPES

MODES = ["cudaStreamCaptureModeGlobal", "cudaStreamCaptureModeThreadLocal",
         "cudaStreamCaptureModeRelaxed", "(cudaStreamCaptureMode){int}"]

# Calls by their arguments; {type} is an expression of that type.
CALLS = [
    "cudaStreamBeginCapture({stream}, {mode})",
    "cudaStreamBeginCapture({stream}, {mode})",
    "cudaStreamEndCapture({stream}, {graphp})",
    "cudaStreamEndCapture({stream}, {graphp})",
    "cudaStreamSynchronize({stream})", "cudaDeviceSynchronize()",
    "cudaStreamQuery({stream})", "cudaStreamCreate({streamp})",
    "cudaStreamCreateWithFlags({streamp}, {int})",
    "cudaStreamDestroy({stream})", "cudaStreamIsCapturing({stream}, &status)",
    "cudaStreamWaitEvent({stream}, {event}, {int})",
    "cudaEventRecord({event}, {stream})", "cudaEventRecord({event})",
    "cudaEventCreate({eventp})", "cudaEventQuery({event})",
    "cudaEventSynchronize({event})", "cudaEventDestroy({event})",
    "cudaMalloc((void **)&{place_ptr}, {int})", "cudaFree({ptr})",
    "cudaMallocAsync((void **)&{place_ptr}, {int}, {stream})",
    "cudaFreeAsync({ptr}, {stream})", "cudaMallocHost((void **)&{place_ptr}, {int})",
    "cudaMemcpy({ptr}, {ptr}, {int}, {kind})",
    "cudaMemcpyAsync({ptr}, {ptr}, {int}, {kind}, {stream})",
    "cudaMemset({ptr}, {int}, {int})",
    "cudaMemsetAsync({ptr}, {int}, {int}, {stream})",
    "cudaGraphInstantiate({execp}, {graph}, 0ull)",
    "cudaGraphLaunch({exec}, {stream})", "cudaGraphDestroy({graph})",
    "cudaGraphExecDestroy({exec})", "cudaGetLastError()",
    "cudaThreadExchangeStreamCaptureMode(&mode)",
    "cudaLaunchHostFunc({stream}, callback, {ptr})",
    "cudaLaunchKernel((const void *)kernel0, dim3({int}), dim3({int}), args, {int}, {stream})",
    "cudaSetDevice({int})", "cudaMemPrefetchAsync({ptr}, {int}, {int}, {stream})",
]

KINDS = ["cudaMemcpyHostToDevice", "cudaMemcpyDeviceToHost",
         "cudaMemcpyDeviceToDevice", "cudaMemcpyDefault", "(cudaMemcpyKind){int}"]

TYPES = {"stream": "cudaStream_t", "event": "cudaEvent_t", "graph": "cudaGraph_t",
         "exec": "cudaGraphExec_t", "ptr": "float *", "int": "int", "bool": "bool",
         "err": "cudaError_t"}


class Program:
    """One program; fuel bounds its size."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.seed = seed
        self.fuel = self.rng.choice([60, 150, 150, 400])
        self.names = 0
        self.functions = []  # (name, parameter types, result type)
        self.scopes = []  # lists of (type, name)
        self.labels = []
        self.loops = 0
        # Most programs share no names with other programs.
        self.space = f"n{seed}" if self.rng.random() < 0.9 else "shared"

    def pick(self, *choices):
        return self.rng.choice(choices)

    def chance(self, p):
        return self.rng.random() < p

    def fresh(self, stem):
        self.names += 1
        return f"{stem}{self.names}"

    def local(self, type_):
        found = [n for s in self.scopes for t, n in s if t == type_]
        return self.rng.choice(found) if found else None

    # Expressions.

    def expr(self, type_, depth=0):
        self.fuel -= 1
        deep = depth > 4 or self.fuel < 0
        made = None if deep else self.compound(type_, depth)
        return made or self.simple(type_)

    def simple(self, type_):
        name = self.local(type_)
        if name and self.chance(0.7):
            return name
        if type_ == "int":
            return self.pick("0", "1", "-1", "2", "64", "g_int", "2147483647",
                             "box.count", "(int)g_streams.size()", "g_table[g_int]",
                             "__LINE__", "('a')", "sizeof(Box)", "INT_MIN")
        if type_ == "bool":
            return self.pick("true", "false", "g_flag", "box.flag", "(g_int > 3)")
        if type_ == "err":
            return self.pick("cudaSuccess", "cudaGetLastError()", "g_error")
        if type_ == "stream":
            return self.pick("g_stream", "box.stream", "box.get()", "nullptr", "0",
                             "cudaStreamPerThread", "cudaStreamLegacy", "g_array[1]",
                             "g_streams[g_int]", "g_streams.back()", "*g_pointer",
                             "g_holder->stream", "g_pair.first", "factory()")
        if type_ == "ptr":
            return self.pick("g_ptr", "box.data", "g_buffer", "nullptr", "&g_buffer[2]",
                             "g_vector.data()", "(float *)&g_int", "new float[4]",
                             "g_unique.get()")
        return self.pick(f"g_{type_}", f"box.{type_}", f"(&g_{type_})[0]")

    def compound(self, type_, depth):
        r = self.rng.random()
        sub = lambda t: self.expr(t, depth + 1)
        if r < 0.12:
            return f"({sub('bool')} ? {sub(type_)} : {sub(type_)})"
        if r < 0.16:
            return f"({self.call(depth)}, {sub(type_)})"
        if r < 0.2:
            return f"([&]() -> {TYPES[type_]} {{ {self.inner(2)} return {sub(type_)}; }}())"
        if r < 0.23:
            return f"({{ {self.inner(2)} {sub(type_)}; }})"
        if r < 0.3:
            found = [f for f in self.functions if f[2] == type_]
            if found:
                return self.invoke(self.rng.choice(found), depth)
        if r < 0.33:
            place = self.place(type_)
            return f"({place} = {sub(type_)})"
        if r < 0.36 and type_ in ("stream", "event", "ptr", "exec"):
            return f"identity<{TYPES[type_]}>({sub(type_)})"
        if r < 0.38:
            return f"std::move({self.place(type_)})"
        if type_ == "int" and r < 0.8:
            op = self.pick("+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "<", "==")
            return f"({sub('int')} {op} {sub('int')})"
        if type_ == "bool" and r < 0.8:
            if self.chance(0.3):
                return f"({self.call(depth)} == cudaSuccess)"
            op = self.pick("&&", "||", "!=", "==")
            return self.pick(f"(!{sub('bool')})", f"({sub('bool')} {op} {sub('bool')})",
                             f"({sub('int')} < {sub('int')})", f"(bool){sub('ptr')}")
        if type_ == "err" and r < 0.8:
            return self.call(depth)
        if type_ == "ptr" and r < 0.7:
            return f"({sub('ptr')} + {sub('int')})"
        return None

    def place(self, type_):
        name = self.local(type_)
        if name and self.chance(0.6):
            return name
        if type_ == "stream":
            return self.pick("g_stream", "box.stream", "g_array[0]", "*g_pointer",
                             "g_streams[0]", "g_holder->stream", f"g_array[{self.expr('int', 4)}]")
        if type_ == "ptr":
            return self.pick("g_ptr", "box.data")
        return self.pick(f"g_{type_}", f"box.{type_}") if type_ not in ("int", "bool", "err") \
            else {"int": "g_int", "bool": "g_flag", "err": "g_error"}[type_]

    def invoke(self, function, depth=0):
        name, params, _ = function
        args = ", ".join(self.expr(p, depth + 1) for p in params)
        return f"{name}({args})"

    def call(self, depth=0):
        """A call to an API function."""
        text = self.rng.choice(CALLS)
        while "{" in text:
            begin = text.index("{")
            end = text.index("}", begin)
            what = text[begin + 1:end]
            if what == "mode":
                new = self.rng.choice(MODES)
                new = new.replace("{int}", self.expr("int", depth + 2))
            elif what == "kind":
                new = self.rng.choice(KINDS).replace("{int}", self.expr("int", depth + 2))
            elif what == "place_ptr":
                new = self.place("ptr")
            elif what.endswith("p") and what[:-1] in TYPES:
                new = "&" + self.place(what[:-1])
            else:
                new = self.expr(what, depth + 1)
            # Substituted text contains no placeholders of its own.
            text = text[:begin] + new.replace("{", "\1").replace("}", "\2") + text[end + 1:]
        return text.replace("\1", "{").replace("\2", "}")

    # Statements.

    def inner(self, count):
        """Statements in a separate scope, on one line."""
        self.scopes.append([])
        labels, self.labels = self.labels, []
        loops, self.loops = self.loops, 0
        text = " ".join(self.statement() for _ in range(count))
        self.labels, self.loops = labels, loops
        self.scopes.pop()
        return text.replace("\n", " ")

    def block(self, size=4):
        self.scopes.append([])
        lines = [self.statement() for _ in range(self.rng.randint(0, size))]
        self.scopes.pop()
        return "{\n" + "\n".join(lines) + "\n}"

    def declare(self):
        type_ = self.rng.choice(list(TYPES))
        name = self.fresh("v")
        value = self.expr(type_)
        how = self.pick("", "", "static ", "const auto ", "auto &&", "volatile ", "thread_local static ")
        if how in ("const auto ", "auto &&"):
            text = f"{how}{name} = {value};"
            if type_ in ("int", "bool"):
                self.scopes[-1].append((type_, name))
            return f"{how}{name} = ({TYPES[type_]})({value});" if type_ != "bool" else text
        if how == "volatile ":
            how = "" if type_ != "int" else how
        self.scopes[-1].append((type_, name))
        init = self.pick(f" = {value}", f"({value})", f"{{({TYPES[type_]})({value})}}", "")
        return f"{how}{TYPES[type_]} {name}{init};"

    def statement(self):
        self.fuel -= 1
        if self.fuel < 0:
            return ";"
        kind = self.rng.randrange(34)
        if kind < 7:
            return self.call() + ";"
        if kind < 10:
            return self.declare()
        if kind < 12:
            type_ = self.rng.choice(list(TYPES))
            return f"{self.place(type_)} = {self.expr(type_)};"
        if kind < 14:
            return f"kernel{self.pick(0, 1)}<<<{self.expr('int')}, {self.expr('int')}, " \
                   f"{self.expr('int', 3)}, {self.expr('stream')}>>>({self.expr('ptr')}, {self.expr('int')});"
        if kind == 14:
            return f"if ({self.expr('bool')}) {self.block()} else {self.block()}"
        if kind == 15:
            return f"if (auto {self.fresh('e')} = {self.call()}; {self.expr('bool')}) {self.block()}"
        if kind == 16:
            return f"CHECK({self.call()});"
        if kind in (17, 18, 19):
            self.loops += 1
            body = self.block()
            text = {17: f"while ({self.expr('bool')}) {body}",
                    18: f"do {body} while ({self.expr('bool')});",
                    19: f"for (int {self.fresh('i')} = 0; {self.expr('bool')}; {self.expr('int')}) {body}"}[kind]
            self.loops -= 1
            return text
        if kind == 20:
            return f"for (auto &{self.fresh('s')} : {self.pick('g_streams', 'g_array', 'g_vector')}) {self.block()}"
        if kind == 21:
            if self.loops:
                return f"if ({self.expr('bool')}) {self.pick('break', 'continue')};"
            return f"if ({self.expr('bool')}) throw {self.expr('int')};"
        if kind == 22:
            cases = "\n".join(f"case {i}: {self.statement()} {self.pick('break;', '', '[[fallthrough]];')}"
                              for i in range(self.rng.randint(1, 4)))
            return f"switch ({self.expr('int')}) {{\n{cases}\ndefault: ; }}".replace("[[fallthrough]];\ndefault", "\ndefault")
        if kind == 23:
            handler = self.pick("catch (...)", "catch (int error)", "catch (const Box &thrown)")
            return f"try {self.block()} {handler} {self.block(2)}"
        if kind == 24 and self.labels is not None and len(self.scopes) == 1:
            label = self.fresh("label")
            self.labels.append(label)
            return f"{label}: ;"
        if kind in (24, 25) and self.labels:
            return f"if ({self.expr('bool')}) goto {self.rng.choice(self.labels)};"
        if kind == 26:
            name = self.fresh("lambda")
            capture = self.pick("&", "=", "")
            shape = self.pick("()", "() mutable", "(auto... rest)")
            body = self.inner(2) if capture == "&" else "cudaDeviceSynchronize();"
            return f"auto {name} = [{capture}]{shape} {{ {body} }}; {name}();"
        if kind == 27:
            return f"g_function = [=](cudaStream_t s) {{ cudaStreamSynchronize(s); }}; g_function({self.expr('stream')});"
        if kind == 28:
            return self.pick(f"g_streams.push_back({self.expr('stream')});",
                             "g_streams.pop_back();", "g_streams.clear();",
                             f"g_map[{self.expr('int')}] = {self.expr('stream')};",
                             f"g_vector.resize({self.expr('int')});",
                             "delete g_holder;", "g_holder = new Derived;",
                             f"g_holder->run({self.expr('stream')});",
                             "g_unique.reset();", "std::swap(g_streams[0], g_stream);")
        if kind == 29:
            return f"struct {self.fresh('Local')} {{ cudaStream_t s; ~{'Local' + str(self.names)}() " \
                   f"{{ cudaStreamEndCapture(s, &g_graph); }} }} {self.fresh('guard')}{{{self.expr('stream')}}};"
        if kind == 30:
            return f"auto [{self.fresh('x')}, {self.fresh('y')}] = {self.pick('g_pair', 'Pair{g_stream, 1}', 'Pair()')};"
        if kind == 31:
            return self.pick(f"// cudagraph: begin-capture({self.pick('g_stream', 'box.stream', 'none', 'a->b.c')})\n",
                             "// cudagraph: end-capture\n") + self.call() + ";"
        if kind == 32 and self.functions:
            return f"(void){self.invoke(self.rng.choice(self.functions))};"
        return self.rng.choice(SHAPES).replace("$n", self.fresh("u")) \
            .replace("$s", self.expr("stream", 3)).replace("$i", self.expr("int", 3)) \
            .replace("$b", self.expr("bool", 3))

    # Functions.

    def function(self):
        result = self.pick("err", "stream", "int", "bool", "void", "ptr")
        params = [self.rng.choice(list(TYPES)) for _ in range(self.rng.randint(0, 3))]
        name = self.fresh("f")
        names = [self.fresh("p") for _ in params]
        spelled = "void" if result == "void" else TYPES[result]
        text = ", ".join(f"{TYPES[t]} {n}" for t, n in zip(params, names))
        head = f"{spelled} {name}({text})"
        if result != "void":
            self.functions.append((name, params, result))  # may call itself
        else:
            self.functions.append((f"((void){name}", params, "never"))
            self.functions.pop()
        self.scopes = [list(zip(params, names))]
        self.labels, self.loops = [], 0
        body = [self.statement() for _ in range(self.rng.randint(1, 8))]
        if result != "void" and self.chance(0.9):
            body.append(f"return {self.expr(result)};")
        self.scopes = []
        prefix = self.pick("", "", "static ", "inline ", "__attribute__((noinline)) ")
        if self.chance(0.1):
            prefix = "template <typename T = int> "
        return f"{head};\n" * (prefix == "") + f"{prefix}{head} {{\n" + "\n".join(body) + "\n}\n"

    def text(self):
        parts = [self.function() for _ in range(self.rng.randint(1, 7))]
        body = "\n".join(parts)
        return f"// seed {self.seed}\n{PRELUDE}\nnamespace {self.space} {{\n{body}\n}}\n"


def plain(seed):
    """A program with its own, different declarations of the API."""
    rng = random.Random(seed)
    lines, functions = [f"// plain C++, seed {seed}", PLAIN], []
    for name in rng.sample(NAMES, rng.randint(4, 14)):
        params = [rng.choice(PARAMETERS[:-1]) for _ in range(rng.randint(0, 5))]
        varying = rng.random() < 0.1
        lines.append(f'extern "C" {rng.choice(["cudaError_t", "int", "void", "void *"])} '
                     f'{name}({", ".join(params + ["..."] * varying)});')
        functions.append((name, params))
    members = [(rng.choice(PARAMETERS[:6]), f"m{i}") for i in range(6)]
    lines.append("struct Holder { " + " ".join(f"{t} {n};" for t, n in members))
    for index in range(rng.randint(1, 5)):
        body = []
        for _ in range(rng.randint(1, 9)):
            name, params = rng.choice(functions)
            args = []
            for p in params:
                same = [n for t, n in members if t == p]
                near = [n for t, n in members if t + " *" == p]
                args.append(rng.choice(same) if same and rng.random() < 0.8
                            else "&" + rng.choice(near) if near
                            else f"({p})0" if "(*)" not in p else "nullptr")
            call = f"{name}({', '.join(args)})"
            body.append(rng.choice([f"{call};", f"if (m{index}) {call};",
                                    f"for (int i = 0; i < 3; ++i) {call};"]))
        lines.append(f"void f{index}() {{ {' '.join(body)} }}")
    lines.append("};\nvoid all(Holder &h, cudaStream_t s) { "
                 + " ".join(f"h.f{i}();" for i in range(index + 1)) + " }")
    return "\n".join(lines) + "\n"


def generate(seed):
    """Returns the program for `seed`."""
    return plain(seed) if seed % 16 == 4 else Program(seed).text()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.stdout.write(generate(int(sys.argv[1])))
