# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Defines deliberate cases, and tensors for their arguments.

    case("to.device", "host", ["host-target"], lambda: A(d(4), "cpu", ...))

creates one row of aten::to; the lambda runs in the measuring process. call() is for
functions that are not operators of the dispatcher, special() for those that need a
separate capture.
"""

import torch

import arguments
import capture


def A(*args, **kwargs):
    """The arguments of a call."""
    return args, kwargs


def d(*shape, dtype=torch.float32):
    """Random numbers on the device."""
    return torch.rand(shape, device="cuda").to(dtype)


def h(*shape, dtype=torch.float32):
    """The same in pageable host memory."""
    return torch.rand(shape).to(dtype)


def p(*shape, dtype=torch.float32):
    """The same in pinned host memory."""
    return torch.rand(shape).to(dtype).pin_memory()


def i(*values, device="cuda", dtype=torch.int64):
    """Integers, on the device by default."""
    return torch.tensor(values, device=device, dtype=dtype)


def scalar(value, device="cuda", dtype=None):
    """A tensor without dimensions."""
    return torch.tensor(value, device=device, dtype=dtype)


def mask(*shape):
    """A mask with every other element set."""
    count = 1
    for size in shape:
        count *= size
    return (torch.arange(count, device="cuda") % 2 == 0).reshape(shape)


class Case:
    """A call with selected arguments."""

    def __init__(self, op, overload, form, when, make, function, expect):
        self.op, self.overload, self.form = op, overload, form
        self.when, self.make, self.function = sorted(when), make, function
        self.expect = expect
        # Pinned memory of a destroyed graph would interfere with the next
        # graph.
        self.spoils = bool({"pinned", "non-blocking"} & set(when))

    def head(self):
        return {"op": self.op, "overload": self.overload, "form": self.form,
                "when": self.when}

    def measure(self, level, stage):
        function = self.function
        if function is None:
            name = self.op[len("aten::"):]
            function = arguments.resolve(
                name + ("." + self.overload if self.overload else ""))
            if function is None:
                raise capture.Skip("no such operator in this version")
        try:
            given = self.make()
        except Exception as error:
            raise capture.Skip(f"arguments: {capture.message_of(error)}") from error
        row = capture.measure(function, given, level, stage, self.expect, False)
        return {**self.head(), **row}


class Special:
    """A call that measures itself: function(stage) returns the row's fields."""

    spoils = True

    def __init__(self, op, overload, form, when, function):
        self.op, self.overload, self.form = op, overload, form
        self.when, self.function = sorted(when), function

    def measure(self, level, stage):
        stage("capture")
        return {"op": self.op, "overload": self.overload, "form": self.form,
                "when": self.when, **self.function()}


class Table(list):
    """The cases of one file."""

    def case(self, name, form, when, make, expect=True):
        base, _, overload = name.partition(".")
        self.append(Case("aten::" + base, overload, form, when, make, None,
                         expect))

    def call(self, op, form, when, function, make=A, expect=True):
        self.append(Case(op, "", form, when, make, function, expect))

    def special(self, op, form, when, function):
        base, _, overload = op.partition(".")
        self.append(Special(base, overload, form, when, function))
