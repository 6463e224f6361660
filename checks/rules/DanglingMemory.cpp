//===- DanglingMemory.cpp - cudagraph-dangling-memory ---------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy node keeps the address of its source and destination, a host node that
// of its data, a kernel node the pointers it was given. None of them keeps the
// memory alive. CUDA cannot know when it ends: the capture succeeds, and each
// replay uses what is at that address by then.
//
//===----------------------------------------------------------------------===//

#include "Rule.h"

namespace cudagraph {

/// What the node does with the memory that is gone.
static std::string nodeOf(const Fact &F) {
  std::string Call = "'" + F.Callee + "'";
  switch (F.Kept) {
  case KeptAs::Source:
    return Call + " copies from ";
  case KeptAs::Destination:
    return Call + " copies to ";
  case KeptAs::UserData:
    return "the host function of " + Call + " is given ";
  default:
    return (F.Api && F.Api->Name != "<<<>>>" ? Call : "kernel " + Call) +
           " is given ";
  }
}

static std::string memoryOf(const Fact &F, const RuleContext &C) {
  std::string Owner = C.called(F.OtherIn);
  const char *Local =
      F.IsParam ? ", a parameter of " : ", a local variable of ";
  std::string Name = F.Object.empty() ? "memory" : "'" + F.Object + "'";
  switch (F.End) {
  case Ending::Statement:
    return F.OwnsElements ? "the elements of a temporary" : "a temporary";
  case Ending::Scope:
    if (F.OnDevice)
      return "the device memory of " + Name + ", which " + Owner + " frees";
    return (F.OwnsElements ? "the elements of " : "") + Name + Local + Owner;
  case Ending::Freed:
    return Name + ", which " + Owner + " frees";
  case Ending::Replaced:
    return "the device memory of " + Name + ", to which " + Owner +
           " assigns another";
  case Ending::Moved:
    return "the elements of " + Name + ", which " + Owner +
           " puts elsewhere when they grow";
  }
  return Name;
}

static std::string replayDoes(const Fact &F, const RuleContext &C) {
  std::string Bytes = F.Bytes ? std::to_string(*F.Bytes) +
                                    (*F.Bytes == 1 ? " byte of " : " bytes of ")
                              : "";
  bool Stack = F.End == Ending::Scope && !F.OwnsElements && !F.OnDevice;
  std::string Memory = Stack ? "the dead stack frame of " + C.called(F.OtherIn)
                       : F.OnDevice
                           ? "memory that is nobody's, or somebody else's"
                           : "memory that is freed";
  const char *Verb = F.Kept == KeptAs::Source        ? "read "
                     : F.Kept == KeptAs::Destination ? "write to "
                                                     : "use ";
  return "every replay will " + std::string(Verb) + Bytes + Memory;
}

std::optional<Finding> checkDanglingMemory(const Fact &F,
                                           const RuleContext &C) {
  bool Moves = F.Kind == FactKind::Grows && (!F.OnDevice || F.Rebinds);
  if (F.Kind != FactKind::Dangles && !Moves)
    return std::nullopt;
  Finding Result = C.start(F, "cudagraph-dangling-memory");
  Span End = F.Other;
  Fact Said = F;
  if (Moves) {
    // Said where the node is made; it grows elsewhere.
    Result.Loc = C.location(F.Other);
    Result.Function = C.function(F.OtherIn).Signature;
    End = F.Range;
    Said.OtherIn = F.Function;
    Said.End = F.Rebinds ? Ending::Replaced : Ending::Moved;
  }
  Result.Outcome.Kind = OutcomeKind::Dangling;
  Result.Message =
      nodeOf(Said) + memoryOf(Said, C) + "; " + replayDoes(Said, C);
  const char *Ends = "";
  switch (Said.End) {
  case Ending::Scope:
    Ends = Said.OnDevice ? "it is destroyed with this variable"
                         : "it goes out of scope with this variable";
    break;
  case Ending::Freed:
    Ends = "it is freed here";
    break;
  case Ending::Replaced:
    Ends = "it is given other memory here";
    break;
  case Ending::Moved:
    Ends = "the elements may move here";
    break;
  case Ending::Statement:
    break;
  }
  if (*Ends && C.location(End).valid())
    Result.Notes.push_back(
        {C.location(End), C.function(Said.OtherIn).Signature, Ends});
  const char *Advice =
      F.Rebinds ? "copy into the memory that the graph knows (copy_, "
                  "cudaMemcpyAsync), or capture the graph anew"
      : Said.OnDevice
          ? "free it after the graph is destroyed, or let the graph do so: "
            "cudaUserObjectCreate and cudaGraphRetainUserObject"
      : Said.Kept == KeptAs::Destination
          ? "copy to pinned memory that lives as long as the graph, and read "
            "it after the launch has completed"
      : Said.Kept == KeptAs::UserData
          ? "keep the data as long as the graph: in a member, or in a user "
            "object that the graph retains (cudaGraphRetainUserObject)"
          : "copy from memory that lives as long as the graph (a member, a "
            "pinned buffer, a user object that the graph retains), or pass the "
            "values to the kernel as arguments";
  C.advise(Result, F, Advice);
  if (F.StaticFix.Begin && Said.End == Ending::Scope) {
    Location L = C.location(F.StaticFix);
    L.EndLine = L.Line;
    L.EndColumn = L.Column;
    if (L.valid() && !C.inMacro(F.StaticFix))
      Result.Fixes.push_back({L, "static "});
  }
  return Result;
}

} // namespace cudagraph
