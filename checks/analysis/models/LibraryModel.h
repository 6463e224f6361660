//===- LibraryModel.h - Library handles -------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library handle records its stream, the location of its scalars, and whether
// it was used: the first call may allocate.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_MODELS_LIBRARYMODEL_H
#define CUDAGRAPH_ANALYSIS_MODELS_LIBRARYMODEL_H

#include "Model.h"

namespace cudagraph {

class LibraryModel : public Model {
public:
  using Model::Model;

  Then apply(Call &C, State &S) override;
  void after(Call &C, State &S) override;

  /// Handles a call in a capture that this version of the library does not
  /// support.
  void noteAge(Call &C, State &S);

private:
  Then call(Call &C, State &S);
  LocId in(Slot Which, ValueId Handle);
  ValueId streamOf(const State &S, ValueId Handle);
  void make(State &S, ValueId Out, const Call &C);
  void setStream(State &S, ValueId Handle, const Call &C);
  bool isShared(const State &S, ValueId Handle, LocId Except) const;
  ValueId givenStream(const State &S, ValueId Handle);
  void noteRepeats(Call &C, State &S);
  void noteRederived(const Call &C, const State &S);
  bool isUpdated(const Call &C, State &S);
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_LIBRARYMODEL_H
