//===- TensorTraits.h - What is known of tensors ----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an operator of libtorch does to a capture depends on its arguments: a
// value is read from a tensor of the device, not from one in host memory, and
// indexing asks for a size only if an index is a mask. So tensors, options and
// devices carry what is known of them, from the call that made them or the
// condition that tested them. Nothing is known of most; the parameters of a
// registered operator are supposed to be on the device.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_MODELS_TENSORTRAITS_H
#define CUDAGRAPH_ANALYSIS_MODELS_TENSORTRAITS_H

#include "Call.h"
#include "StreamView.h"

namespace cudagraph {

/// Traits of a tensor, of the options for one, or of a device. They are
/// numbers, because sets of them are.
namespace traits {
inline constexpr unsigned OnHost = 1, OnDevice = 2;
inline constexpr unsigned Mask = 4;   ///< its elements are boolean
inline constexpr unsigned NoMask = 8; ///< they are not
inline constexpr unsigned PinnedHost = 16;
/// Options that name no device: the host's.
inline constexpr unsigned FromScratch = 32;
inline constexpr unsigned Supposed = 64; ///< OnDevice is a supposition
inline constexpr unsigned Places = OnHost | OnDevice | Supposed;
inline constexpr unsigned Types = Mask | NoMask;
} // namespace traits

/// What a function of a tensor library returns.
enum class Makes {
  Unknown,
  Tensor,    ///< where its tensors are
  Same,      ///< as the first tensor, in type and place
  Like,      ///< as the first tensor, unless options say otherwise
  Converted, ///< the first tensor, where and as the arguments say
  FromNothing,
  Comparison,
};
Makes whatMakes(const catalogue::RoleSet &Roles);

/// The traits \p Old, but for those that \p New says.
unsigned overridden(unsigned Old, unsigned New);

class TensorTraits : Part {
public:
  TensorTraits(Walk &W, const StreamView &Streams)
      : Part(W), Streams(Streams) {}

  /// What is known of the tensor, options or device \p V, or of what it is the
  /// address of: a set of traits.
  unsigned of(const State &S, ValueId V, unsigned Depth = 0) const;

  /// True where one of the tensors was found to be on the host: the code is for
  /// the others, too.
  bool isHostPath(const State &S) const;

  /// What the arguments of operator \p C, in the order of the function
  /// `at::NAME(self, ...)`, say to \p X. Where nothing is known of a tensor, it
  /// is taken to be on the device, as most are; that is no proof.
  std::optional<bool> holds(const Call &C, const State &S,
                            catalogue::Condition X) const;

private:
  unsigned traitsOf(const State &S, ValueId V, unsigned Depth) const;
  unsigned placeOf(int64_t Number) const;
  unsigned target(const Call &C, const State &S) const;
  unsigned ofRole(const Call &C, const State &S, const char *Role) const;
  std::optional<bool> anyIndex(const Call &C, const State &S, unsigned Wanted,
                               unsigned Against) const;
  std::optional<bool> configured(const Call &C, const State &S) const;

  const StreamView &Streams;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_TENSORTRAITS_H
