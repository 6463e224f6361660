//===- DanglingMemory.cpp - cudagraph-dangling-memory ---------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy node retains the addresses of its source and destination, a host node
// retains the address of its data, and a kernel node retains its pointer
// arguments. None of them keeps the memory alive. CUDA cannot detect when the
// lifetime of the memory ends: the capture succeeds, and each replay uses the
// current contents of the address.
//
//===----------------------------------------------------------------------===//

#include "Rule.h"
#include "catalogue/Cues.h"

namespace cudagraph {

/// The node's use of the memory whose lifetime has ended.
static std::string nodeOf(const Fact &F, RetainedAs As) {
  std::string Call = "'" + F.Callee + "'";
  switch (As) {
  case RetainedAs::Source:
    return Call + " copies from ";
  case RetainedAs::Destination:
    return Call + " copies to ";
  case RetainedAs::UserData:
    return "the host function of " + Call + " uses ";
  default:
    return (F.Api && F.Api->Name != "<<<>>>" ? Call : "kernel " + Call) +
           " uses ";
  }
}

static std::string memoryOf(const MemoryEnd &M, const RuleContext &C) {
  std::string Owner = C.called(M.In);
  const char *Local =
      M.IsParam ? ", a parameter of " : ", a local variable of ";
  std::string Name = M.Object.empty() ? "memory" : "'" + M.Object + "'";
  switch (M.How) {
  case Ending::Statement:
    return (M.OwnsElements ? "the elements of " : "") +
           std::string(cue::Temporary);
  case Ending::Scope:
    if (M.Use.OnDevice)
      return "the device memory of " + Name + ", which " + Owner + " frees";
    return (M.OwnsElements ? "the elements of " : "") + Name + Local + Owner;
  case Ending::Freed:
    return Name + ", which " + Owner + " frees";
  case Ending::Replaced:
    return "the device memory of " + Name + ", which " + Owner + " replaces";
  case Ending::Recycled:
    return Name + ", which " + Owner + " returns to a pool";
  case Ending::Unseen:
    return "host memory that callers of " + Owner + " pass as parameter " +
           Name;
  case Ending::Moved:
    return "the elements of " + Name + ", which " + Owner +
           " may move when the container grows";
  }
  return Name;
}

static std::string replayDoes(const MemoryEnd &M, const RuleContext &C) {
  if (M.How == Ending::Unseen)
    return "every replay will read it again, if it still exists";
  if (M.How == Ending::Recycled)
    return "every replay will use it, although it may have another user";
  std::string Bytes = M.Use.Bytes
                          ? std::to_string(*M.Use.Bytes) +
                                (*M.Use.Bytes == 1 ? " byte of " : " bytes of ")
                          : "";
  bool Stack = M.How == Ending::Scope && !M.OwnsElements && !M.Use.OnDevice;
  std::string Memory = Stack ? "the stack frame of " + C.called(M.In)
                       : M.Use.OnDevice
                           ? "freed memory that may have been reallocated"
                           : "freed memory";
  const char *Verb = M.Use.As == RetainedAs::Source        ? "read "
                     : M.Use.As == RetainedAs::Destination ? "write to "
                                                           : "use ";
  return "every replay will " + std::string(Verb) + Bytes + Memory +
         (M.Use.Guessed ? " if the stream is part of the capture; otherwise, "
                          "the copy is not in the graph"
                        : "");
}

/// A launch of a destroyed executable graph.
static Finding launchAfterEnd(const Fact &F, const GraphEnd &End,
                              const RuleContext &C) {
  Finding Result = C.start(F, "cudagraph-dangling-memory");
  Result.Outcome.Kind = OutcomeKind::Dangling;
  Result.Outcome.Evidence = "measured: H200, driver 580.159.04, CUDA 13.0: "
                            "launches of a null and of a destroyed executable "
                            "graph";
  std::string Graph =
      "the executable graph captured on " + C.quoted(C.capture(F));
  Result.Sentence =
      End.Cleared
          ? "'" + F.Callee + "' launches a null handle, because " +
                C.called(End.In) + " has destroyed " + Graph + "; " +
                RuleContext::errorText(1)
          : "'" + F.Callee + "' launches " + Graph + ", which " +
                C.called(End.In) +
                " has destroyed; the launch fails, or uses freed memory";
  if (C.location(End.Where).valid())
    Result.Chain.push_back({C.location(End.Where), C.function(End.In).Signature,
                            cue::GraphDestroyed});
  C.advise(Result, F,
           "capture and instantiate the graph again before the launch, or "
           "destroy it after its last launch");
  return Result;
}

std::optional<Finding> checkDanglingMemory(const Fact &F,
                                           const RuleContext &C) {
  if (const auto *End = F.as<FactKind::Destroyed>())
    return launchAfterEnd(F, *End, C);
  const auto *Memory = F.details<MemoryEnd>();
  bool Moves = F.Kind == FactKind::Grows;
  if (!Memory || F.Kind == FactKind::Cached || F.Kind == FactKind::Unfreed ||
      (Moves && Memory->Use.OnDevice && !Memory->Rebinds))
    return std::nullopt; // cudagraph-growing-workspace
  Finding Result = C.start(F, "cudagraph-dangling-memory");
  MemoryEnd Said = *Memory;
  if (Moves) {
    // The finding is reported where the node is created; the buffer grows
    // elsewhere.
    Result.Loc = C.location(Memory->Where);
    Result.Function = C.function(Memory->In).Signature;
    Said.Where = F.Range;
    Said.In = F.Function;
    Said.How = Memory->Rebinds                   ? Ending::Replaced
               : Memory->How == Ending::Replaced ? Ending::Freed
                                                 : Memory->How;
  }
  Result.Outcome.Kind = OutcomeKind::Dangling;
  Result.Sentence =
      nodeOf(F, Said.Use.As) + memoryOf(Said, C) + "; " + replayDoes(Said, C);
  const char *Ends = "";
  switch (Said.How) {
  case Ending::Scope:
    Ends = Said.Use.OnDevice ? cue::Destroyed : cue::Scope;
    break;
  case Ending::Freed:
    Ends = cue::Freed;
    break;
  case Ending::Replaced:
    Ends = cue::Replaced;
    break;
  case Ending::Moved:
    Ends = cue::Moved;
    break;
  case Ending::Recycled:
    Ends = cue::Recycled;
    break;
  case Ending::Statement:
  case Ending::Unseen:
    break;
  }
  if (*Ends && C.location(Said.Where).valid())
    Result.Chain.push_back(
        {C.location(Said.Where), C.function(Said.In).Signature, Ends});
  if (Said.By.Begin && C.location(Said.By).valid())
    Result.Chain.push_back(
        {C.location(Said.By), C.function(Said.ByIn).Signature, cue::FreedBy});
  const char *Advice =
      Said.Rebinds ? "copy into the memory that the graph uses (copy_, "
                     "cudaMemcpyAsync), or capture the graph again"
      : Said.How == Ending::Recycled
          ? "return it after the graph is destroyed: store the lease with the "
            "graph, or let the graph release it with cudaUserObjectCreate and "
            "cudaGraphRetainUserObject"
      : Said.Use.OnDevice
          ? "free it after the graph is destroyed, or let the graph do so: "
            "cudaUserObjectCreate and cudaGraphRetainUserObject"
      : Said.Use.As == RetainedAs::Destination
          ? "copy to pinned memory that lives as long as the graph, and read "
            "it after the launch completes"
      : Said.Use.As == RetainedAs::UserData
          ? "keep the data alive as long as the graph exists: in a member, or "
            "in a user object that the graph retains "
            "(cudaGraphRetainUserObject)"
          : "copy from memory that lives as long as the graph (a member, a "
            "pinned buffer, a user object that the graph retains), or pass the "
            "values to the kernel as arguments";
  C.advise(Result, F, Advice);
  if (Said.StaticFix.Begin && Said.How == Ending::Scope) {
    Location L = C.location(Said.StaticFix);
    L.EndLine = L.Line;
    L.EndColumn = L.Column;
    if (L.valid() && !C.inMacro(Said.StaticFix))
      Result.Fixes.push_back({L, "static "});
  }
  return Result;
}

} // namespace cudagraph
