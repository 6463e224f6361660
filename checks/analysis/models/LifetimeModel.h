//===- LifetimeModel.h - The lifetime of graph memory -----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph is launched after its capture, often much later. It uses memory after
// the end of its lifetime if the lifetime ends while the capture is active,
// before a launch, or while the graph is stored where it outlives the function.
// If a variable changes in between, the node contains the old number.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_MODELS_LIFETIMEMODEL_H
#define CUDAGRAPH_ANALYSIS_MODELS_LIFETIMEMODEL_H

#include "Model.h"
#include "Slots.h"

namespace cudagraph {

class LifetimeModel : public Model {
public:
  LifetimeModel(Services &Use, NodeTable &Nodes)
      : Model(Use), Lent(Use, Nodes), Nodes(Nodes) {}

  Slots Lent;

  Then apply(Call &C, State &S) override;
  void after(Call &C, State &S) override;

  /// Called after a capture has begun. Drops retained values of an earlier
  /// iteration.
  void forgetTurn(const Frame &F, State &S);

  /// Called after a capture has ended in \p F.
  void endTemporaries(const Frame &F, State &S);

  /// Called when the variable or temporary \p Var of this function goes out of
  /// scope.
  void endLife(Frame &F, State &S, LocId Var, Span Where);

  /// Called when an activation of \p F and its variables end in state \p S.
  void endActivation(Frame &F, State &S);

  /// Handles \p O, which frees the target of \p Pointer.
  void freed(Frame &F, const Op &O, State &S, ValueId Pointer);

  /// Handles \p O, which frees the memory of the elements of the container at
  /// \p L.
  void replaced(Frame &F, const Op &O, State &S, LocId L) {
    moved(F, O, S, D.value(ValueKind::Addr, 0, L), Ending::Freed);
  }

  /// Handles \p C, which removes an element from \p Container. If the container
  /// is a pool, the local variable that receives the element now has the name
  /// of the memory.
  void takenOut(const Call &C, State &S, LocId Container);

  /// Handles the call \p C, which adds its arguments to \p Container.
  void addedTo(const Call &C, State &S, LocId Container);

  /// Handles \p O, which adds \p Pointer to the container \p Container.
  void recycled(const Frame &F, const Op &O, State &S, LocId Container,
                ValueId Pointer);

  /// Handles \p O, which stores \p New in \p Place, before it changes the
  /// state: it may return a slot to its pool.
  void stored(const Frame &F, const Op &O, State &S, LocId Place, ValueId New) {
    returned(F, O, S, Lent.returnedBy(F, Place, New));
  }

  /// Distinguishes the memory and the executable graphs that the call at \p O
  /// has created from those of another call to the same function. \p Before:
  /// the state before the call;
  /// \p Roots: its arguments.
  void rename(const Frame &F, const Op &O, const State &Before,
              llvm::ArrayRef<ValueId> Roots, State &After, ValueId &Returned);

  /// Does the same for the objects of `new`. Calls \p Ended for each older
  /// object whose name a new object receives.
  void renameObjects(const Frame &F, const Op &O, const State &Before,
                     llvm::ArrayRef<ValueId> Roots, State &After,
                     ValueId &Returned, llvm::function_ref<void(LocId)> Ended);

  /// Handles the passing of \p V to a function without source, or to a library,
  /// which may free graph memory or store its address.
  void escapes(const State &S, ValueId V);

  /// Handles, after the whole walk, the graph memory that is never freed: CUDA
  /// refuses the second launch of its graph.
  void conclude();

private:
  void noteSeveral(const Frame &F, const State &Before, const State &After);
  /// Records the captures whose graphs use \p Memory, which \p F frees or gives
  /// to other users while the program keeps these graphs.
  void noteFreedEarly(const Frame &F, const State &S, ValueId Memory);
  void returned(const Frame &F, const Op &O, State &S,
                llvm::ArrayRef<ValueId> Returned);
  void freedInCallback(Frame &F, const Op &O, State &S, ValueId Pointer);
  ValueId nameMade(const Frame &F, ValueId Memory);
  void noteMade(const Frame &F, ValueId Memory, ValueId Out);
  void copied(Call &C, State &S);
  void moved(Frame &F, const Op &O, State &S, ValueId Container,
             Ending How = Ending::Moved);
  void noteGone(const Frame &F, State &S, unsigned Key, Span Where, Ending How,
                ValueId Freed = None, LocId Pool = None);
  bool outlives(const Frame &F, const State &S, CaptureId C,
                bool *OnAllPaths = nullptr, bool AfterMain = false,
                FunctionId *Caller = nullptr);
  bool handedOn(const Frame &F, const State &S, LocId Root,
                bool Within = false);
  void noteGraphs(const Frame &F, const State &S);

  bool mayCapture(const Call &C, const State &S) const;
  void noteCached(const Frame &F, const State &S);
  void noteFreed(ValueId Pointer, bool Ordered);
  void noteFreesItself(const Call &C, const State &S);
  void noteLaunch(const Call &C, const State &S);
  void noteStored(const Frame &F, const State &S);
  void mayEnd(ValueId V);

  NodeTable &Nodes;
  std::map<ValueId, Fact> Allocated; ///< graph memory: its allocation
  /// Memory that is graph memory if the stream of its allocation captures.
  std::map<ValueId, Fact> MayAllocate;
  /// Memory that the initializer of a static variable allocates.
  llvm::DenseSet<ValueId> OfStatics;
  /// Allocations (Span::Begin) of all captures whose memory may be freed.
  llvm::DenseSet<unsigned> MayEnd;
  bool AnyMayEnd = false;         ///< unknown memory is freed
  std::set<CaptureId> FreeItself; ///< graphs that free their memory at a launch
  /// For each graph that may have been launched before another launch, the
  /// location of that launch.
  std::map<CaptureId, std::pair<Span, FunctionId>> Relaunched;
  std::map<std::pair<std::array<unsigned, 3>, llvm::SmallVector<FunctionId, 8>>,
           unsigned>
      DepartureIds;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_LIFETIMEMODEL_H
