# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records how often functions ran before they were captured, and on which streams.

Python 3.12 and later report the start of a function (PEP 669). A function of the program
is counted for up to MOST runs and costs nothing from then on; a library function costs
one call. Before 3.12, functions are observed only during captures, and nothing is
counted."""

import sys
import threading

from . import frames

MOST = 16
RESTARTS = 64  # captures that start the observation of counted functions again


class Runs:
    """The runs of one function."""

    def __init__(self, code):
        self.code, self.runs, self.streams, self.first = code, 0, {}, None
        self.keep = False  # counted without a bound


class Counter:
    """Notifies `captures` of functions that start during a capture with `seen(frame, runs)`
    or, for a library, `library(code)`; and with `left(frame, value)` when a requested one
    returns."""

    def __init__(self, torch, captures):
        self.torch, self.captures = torch, captures
        self.known, self.restarts, self.tool = {}, RESTARTS, None
        self.watched, self.local = set(), threading.local()
        self.monitoring = getattr(sys, "monitoring", None)
        if self.monitoring is not None:
            self._use()

    @property
    def counts(self):
        return self.tool is not None

    def _use(self):
        events = self.monitoring.events
        for tool in (4, 3):
            if self.monitoring.get_tool(tool) is None:
                self.monitoring.use_tool_id(tool, "cudagraph-probe")
                self.tool = tool
                self.monitoring.register_callback(tool, events.PY_START, self._started)
                self.monitoring.register_callback(tool, events.PY_RETURN, self._returned)
                self.monitoring.set_events(tool, events.PY_START)
                return

    # Python 3.12 and later.

    def _started(self, code, offset):
        try:
            if frames.is_library(code):
                if self.capturing():
                    self.captures.library(code)
                return self.monitoring.DISABLE
            entry = self._run(code)
            frame = _frame_of(code)
            if entry.first is None:
                entry.first = frames.stack(frame.f_back)[:8] if frame.f_back else []
            if self.capturing():
                self.captures.seen(frame, entry)
            elif entry.runs >= MOST and not entry.keep:
                return self.monitoring.DISABLE
        except Exception:
            return self.monitoring.DISABLE
        return None

    def _run(self, code):
        entry = self.known.get(id(code))
        if entry is None or entry.code is not code:
            entry = self.known[id(code)] = Runs(code)
        entry.runs += 1
        stream = current_stream(self.torch)
        if stream is not None and not self.capturing():
            entry.streams[stream] = entry.streams.get(stream, 0) + 1
        return entry

    def _returned(self, code, offset, value):
        try:
            if id(code) in self.watched and self.capturing():
                self.captures.left(_frame_of(code), value)
        except Exception:
            pass

    def watch_return(self, code):
        """Requests `left` for returns of `code` during captures."""
        self.watched.add(id(code))
        if self.tool is not None:
            try:
                self.monitoring.set_local_events(self.tool, code,
                                                 self.monitoring.events.PY_RETURN)
            except ValueError:
                pass

    # All versions.

    def capturing(self):
        return getattr(self, "active", 0) > 0

    def begin(self):
        self.active = getattr(self, "active", 0) + 1
        if self.tool is not None:
            if self.restarts > 0:
                self.restarts -= 1
                self.monitoring.restart_events()
        elif self.active == 1 and sys.getprofile() is None:
            self.local.profiling = True
            sys.setprofile(self._profile)

    def end(self):
        self.active = max(0, getattr(self, "active", 0) - 1)
        if getattr(self.local, "profiling", False):
            self.local.profiling = False
            if getattr(sys.getprofile(), "__self__", None) is self:
                sys.setprofile(None)

    def _profile(self, frame, event, value):
        try:
            if event == "call" and frames.is_library(frame.f_code):
                self.captures.library(frame.f_code)
            elif event == "call":
                entry = self.known.get(id(frame.f_code))
                if entry is None or entry.code is not frame.f_code:
                    entry = self.known[id(frame.f_code)] = Runs(frame.f_code)
                self.captures.seen(frame, entry)
            elif event == "return" and id(frame.f_code) in self.watched:
                self.captures.left(frame, value)
        except Exception:
            pass

    def of(self, code):
        entry = self.known.get(id(code))
        return entry if entry is not None and entry.code is code else None


def _frame_of(code):
    """The innermost frame that runs `code`."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code is not code:
        frame = frame.f_back
    return frame


def current_stream(torch):
    """The current stream's handle as a number; 0 is the default one; None if unknown."""
    try:
        if not torch.cuda.is_initialized() or torch.cuda._is_in_bad_fork():
            return None
        return torch._C._cuda_getCurrentRawStream(torch._C._cuda_getDevice())
    except Exception:
        return None
