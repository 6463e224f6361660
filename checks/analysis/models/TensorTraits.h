//===- TensorTraits.h - Facts about tensors ---------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The effect of a libtorch operator on a capture depends on its arguments. A
// value is read from a device tensor, not from one in host memory, and indexing
// requests a size only if an index is a mask. Therefore, tensors, options, and
// devices carry the facts about them, from the call that created them or the
// condition that tested them. Nothing is known about most of them; the
// parameters of a registered operator are assumed to be on the device.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_MODELS_TENSORTRAITS_H
#define CUDAGRAPH_ANALYSIS_MODELS_TENSORTRAITS_H

#include "Call.h"
#include "StreamView.h"

namespace cudagraph {

/// Traits of a tensor, of the options for one, or of a device. Each is a bit,
/// so that a set of traits is a number.
namespace traits {
inline constexpr unsigned OnHost = 1, OnDevice = 2;
inline constexpr unsigned Mask = 4;   ///< its elements are boolean
inline constexpr unsigned NoMask = 8; ///< they are not
inline constexpr unsigned PinnedHost = 16;
/// Options. If they do not name a device, the tensor is on the host.
inline constexpr unsigned FromScratch = 32;
inline constexpr unsigned Supposed = 64; ///< OnDevice is an assumption
inline constexpr unsigned Places = OnHost | OnDevice | Supposed;
inline constexpr unsigned Types = Mask | NoMask;
} // namespace traits

/// The result of a function of a tensor library.
enum class Makes {
  Unknown,
  Tensor,    ///< the location of its tensors
  Same,      ///< like the first tensor, in type and location
  Like,      ///< like the first tensor, unless options specify otherwise
  Converted, ///< the first tensor, with the location and type of the arguments
  FromNothing,
  Comparison,
};
Makes whatMakes(const catalogue::RoleSet &Roles);

/// The traits \p Old, except those that \p New replaces.
unsigned overridden(unsigned Old, unsigned New);

class TensorTraits : Part {
public:
  TensorTraits(Walk &W, const StreamView &Streams)
      : Part(W), Streams(Streams) {}

  /// The facts about the tensor, options, or device \p V, or the target of the
  /// address \p V: a set of traits.
  unsigned of(const State &S, ValueId V, unsigned Depth = 0) const;

  /// True if one of the tensors was found to be on the host: the code also
  /// handles the others.
  bool isHostPath(const State &S) const;

  /// Whether condition \p X holds for the arguments of operator \p C, which are
  /// in the order of the function `at::NAME(self, ...)`. A tensor without known
  /// facts is assumed to be on the device, as most are, but this is not
  /// evidence.
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
