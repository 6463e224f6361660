//===- ReplayModel.h - Launches of graphs that end or overlap ---*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy of the handle of an executable graph may be launched after the graph
// was destroyed. Graphs that are launched on two streams run at the same time:
// one must not write to memory that the other uses, unless the launches are
// ordered. CUDA orders the launches of one executable graph.
//
// A line that instantiates a graph or allocates memory may run for several
// objects. Facts about such objects are recorded at the end of the walk, when
// the names that stand for several objects are known.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_MODELS_REPLAYMODEL_H
#define CUDAGRAPH_ANALYSIS_MODELS_REPLAYMODEL_H

#include "Model.h"
#include "NodeTable.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace cudagraph {

class ReplayModel : public Model {
public:
  ReplayModel(Services &Use, NodeTable &Nodes) : Model(Use), Nodes(Nodes) {}

  void after(Call &C, State &S) override;

  /// Records the facts about objects with names of their own.
  void conclude();

private:
  /// The end of an executable graph.
  struct End {
    Span Where;
    FunctionId In = None;
    CaptureId Capture = 0;
  };
  struct Launch {
    Span Where;
    FunctionId In = None;
    bool operator==(const Launch &O) const {
      return Where.Begin == O.Where.Begin && In == O.In;
    }
  };
  /// Memory that a node uses.
  struct Touch {
    ValueId Address = None;
    bool Writes = false;
    bool Whole = false; ///< see CallArg
    unsigned Arg = 0;
    Span Call;
    FunctionId In = None, Kernel = None;
    CaptureId Capture = 0;
    Span Text;                                   ///< the argument
    std::vector<std::optional<int64_t>> Numbers; ///< the other arguments
  };
  /// A call, and the calls that lead to it, innermost first.
  using Path = std::vector<unsigned>;
  struct Pending {
    Fact What;
    llvm::SmallVector<ValueId, 3> Names; ///< of the objects that it concerns
    Path By;             ///< for the launch of a destroyed graph
    ValueId Each = None; ///< a name that must stand for several graphs
  };

  void created(const Call &C, State &S);
  void destroyed(const Call &C, State &S);
  void launched(const Call &C, State &S);
  std::optional<unsigned> endOf(const State &S, ValueId Exec) const;
  ValueId execOf(ValueId V) const;
  LocId placeOf(const Call &C, State &S, const char *Role);
  static Path pathTo(const Call &C);

  // Overlaps.cpp
  void touched(const Call &C, const State &S);
  void ordered(const Call &C, State &S);
  void orderEach(State &S, ValueId Before, ValueId After);
  void overlaps(const Call &C, State &S, ValueId Exec);
  void overlapsEach(const Call &C, State &S, ValueId G);
  void report(const Call &C, const State &S, CaptureId Of, const Launch &By,
              const Touch &T, llvm::ArrayRef<ValueId> Names);
  unsigned numberOf(const Launch &Mine);
  ValueId streamOf(const Call &C) const;
  const Touch *shared(ValueId Exec, ValueId Other,
                      llvm::function_ref<bool(const Touch &)> Counts) const;
  const Touch *
  sharedByElements(const State &S, ValueId G, ValueId H, ValueId &Each,
                   llvm::function_ref<bool(const Touch &)> Counts) const;
  LocId sourceOf(const Call &C, State &S, unsigned Arg) const;
  bool isShared(const Touch &A, const Touch &B) const;
  bool isOneObject(CaptureId C, const Touch &T) const;

  NodeTable &Nodes;
  std::vector<End> Ends;
  std::vector<Launch> Launches;
  std::map<CaptureId, std::vector<Touch>> Touches;
  std::vector<Pending> Found;
  /// Launches of graphs that exist in some state.
  std::set<Path> Alive;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_REPLAYMODEL_H
