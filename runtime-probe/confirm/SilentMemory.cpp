//===- SilentMemory.cpp - The result for memory that a graph outlives -----===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUDA reports the release of memory that it manages, and the C library that of
// heap memory. For other memory, the result depends on the lines that release
// it.
//
//===----------------------------------------------------------------------===//

#include "Names.h"
#include "Silent.h"
#include "Wording.h"
#include "catalogue/Cues.h"

namespace cudagraph::confirm {

/// True if the nodes are known to use memory, and only of these kinds.
bool SilentVerdict::isMemory(std::initializer_list<const char *> Kinds) const {
  bool Any = false;
  for (const Recorded *R : Calls)
    for (const std::string &Kind : R->Memory) {
      Any = true;
      if (std::find(Kinds.begin(), Kinds.end(), Kind) == Kinds.end())
        return false;
    }
  return Any;
}

/// True if a node is known to use memory that CUDA does not manage.
bool SilentVerdict::ofHost() const {
  return std::any_of(Calls.begin(), Calls.end(), [](const Recorded *R) {
    return std::any_of(R->Memory.begin(), R->Memory.end(),
                       [](const std::string &Kind) {
                         return Kind == "stack" || Kind == "heap" ||
                                Kind == "static" || Kind == "host";
                       });
  });
}

/// True if all of the nodes' memory that CUDA does not manage is of \p Kind.
bool SilentVerdict::isHostMemory(const char *Kind) const {
  return ofHost() && isMemory({Kind, "device", "managed", "pinned", "array"});
}

bool SilentVerdict::hasReturned(const std::string &Function) const {
  return std::any_of(Calls.begin(), Calls.end(), [&](const Recorded *R) {
    return std::any_of(
        R->Returned.begin(), R->Returned.end(),
        [&](const std::string &Name) { return namesAgree(Name, Function); });
  });
}

/// The release of the memory before a launch, as CUDA or the C library reports
/// it.
bool SilentVerdict::ended(Confirmation &C) const {
  for (const Recorded *R : Calls)
    for (const Ending &E : R->Endings) {
      if (!E.Launches)
        continue;
      std::string By = "'" + E.How + "'", At = atPlace(E.At);
      C.Stack = E.Stack;
      C.Recorded = R->Call.Stack;
      set(C, Status::Confirmed,
          (E.How == "returned"
               ? "the function whose stack holds its memory returned"
           : E.How == "unmapped" ? "its memory was unmapped"
           : E.How == "realloc"  ? By + " moved its memory" + At
           : E.How == "munmap"   ? By + " unmapped its memory" + At
                                 : By + " freed its memory" + At) +
              ", and " + counted(E.Launches, "launch") + " followed");
      return true;
    }
  return false;
}

bool SilentVerdict::endedLater() const {
  return std::any_of(Calls.begin(), Calls.end(),
                     [](const auto *R) { return !R->Endings.empty(); });
}

/// For memory that is released without an observed call: lines that ran before
/// a launch, and functions that had returned.
bool SilentVerdict::endedByLine(Confirmation &C) const {
  for (const WatchedLine *L : Lines) {
    unsigned After = launchesAfter(*L), During = ranInCapture(*L);
    if (!After && !During)
      continue;
    set(C, Status::Confirmed,
        spelled(L->At.File, L->At.Line) + " ran" +
            (After ? "" : " in " + counted(During, "capture")) + ", and " +
            counted(After ? After : Launches, "launch") + " followed");
    return true;
  }
  // A temporary is destroyed when its function returns, at the latest.
  const Note *Scope = noteOf(F, {cue::Scope});
  bool Temporary = F.Message.find(cue::Temporary) != std::string::npos;
  const std::string &Owner = Scope ? Scope->Function : F.Function;
  if ((!Scope && !Temporary) || !hasReturned(Owner))
    return false;
  set(C, Status::Confirmed,
      "'" + baseName(Owner) + "' had returned when the graph was launched");
  return true;
}

void SilentVerdict::dangling(Confirmation &C) const {
  if (ended(C))
    return;
  if (!Launches)
    return notLaunched(C);
  bool OfCuda = isMemory({"device", "managed", "pinned", "array"});
  // The calls that release such memory are observed.
  bool OfHeap = Seen.Heap && isHostMemory("heap");
  // No call shows that memory returns to a pool of the program.
  bool Pool = noteOf(F, {cue::Recycled});
  if ((Pool || (ofHost() && !OfHeap)) && endedByLine(C))
    return;
  bool Ran = std::any_of(Lines.begin(), Lines.end(), [&](const auto *L) {
    return launchesAfter(*L) || ranInCapture(*L);
  });
  bool LinesKnown = !Lines.empty() && Lines.size() >= linesOf(F).size() &&
                    std::all_of(Lines.begin(), Lines.end(), [](const auto *L) {
                      return L->Problem.empty();
                    });
  // Another run may launch the graph after the memory is freed. A pool may have
  // taken the memory back before that.
  if (complete() && !Ran && (OfCuda || OfHeap) && endedLater())
    return set(C, Status::NotReproduced,
               "its memory was freed after the last of " +
                   counted(Launches, "launch") +
                   ", while the graph could still be launched");
  for (const WatchedLine *L : Lines)
    if (!Ran && ranAfterAll(*L))
      return set(C, Status::NotReproduced,
                 spelled(L->At.File, L->At.Line) + " ran after the last of " +
                     counted(Launches, "launch"));
  bool Scope = noteOf(F, {cue::Scope});
  bool Freed =
      noteOf(F, {cue::Freed, cue::Replaced, cue::Recycled, cue::Moved});
  if (complete() && (Freed || !Scope) && LinesKnown && !Ran)
    return set(C, Status::Refuted,
               spelled(Lines.front()->At.File, Lines.front()->At.Line) +
                   " did not run before any of " + counted(Launches, "launch"));
  if (complete() && OfHeap && !Ran && linesOf(F).empty())
    return set(C, Status::Refuted,
               "its memory was not freed before any of " +
                   counted(Launches, "launch"));
  if (complete() && isHostMemory("stack") &&
      std::none_of(Calls.begin(), Calls.end(),
                   [](const auto *R) { return R->OtherThread; }))
    return set(
        C, Status::Refuted,
        "the function whose stack holds its memory was active at each of " +
            counted(Launches, "launch"));
  set(C, Status::NotWatched,
      counted(Launches, "launch") + " observed, but " +
          whyNot(
              OfCuda || OfHeap
                  ? std::string(
                        "the run did not show whether its memory, which was ") +
                        (endedLater() ? "freed after them" : "not freed") +
                        ", went back to a pool"
              : ofHost() ? "the run did not show when the lifetime of its "
                           "memory ends: CUDA "
                           "does not manage it"
                         : "the run did not show which memory it uses"));
}

} // namespace cudagraph::confirm
