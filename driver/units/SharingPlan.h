//===- SharingPlan.h - The parts that are parsed once -----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The leading parts of all units form a tree: each part continues a shorter
// one. A part that is parsed once saves its weight in each unit that uses it
// and costs about as much as one and a half parses. A unit uses the longest
// part in the plan. The plan with the lowest cost is chosen.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_UNITS_SHARINGPLAN_H
#define CUDAGRAPH_DRIVER_UNITS_SHARINGPLAN_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cudagraph::driver {

class SharingPlan {
public:
  static constexpr size_t None = ~size_t(0);

  /// A part is worth parsing if at least \p Fewest units use it.
  explicit SharingPlan(size_t Fewest) : Fewest(Fewest) {}

  /// Adds a part that continues \p Parent, or None; returns its number. \p
  /// Exists is true if the part was parsed before.
  size_t addPart(size_t Parent, uint64_t Weight, bool Exists);
  /// Adds a unit whose longest part is \p Part. \p Often is true if the unit
  /// will be parsed again, so that even parts that no other unit has are worth
  /// parsing.
  void addUnit(size_t Part, bool Often);

  /// For each part: true if the units for which it is the longest of these
  /// parts use it.
  std::vector<bool> used();

private:
  /// The cost of the units that begin with a part, relative to parsing all of
  /// them.
  struct Costs {
    double Cost = 0;
    /// The units that use a shorter part instead.
    size_t Users = 0;
    bool Often = false;
    bool Use = false; ///< this part
  };
  struct Part {
    size_t Parent = None, Depth = 1;
    double Weight = 0;
    bool Exists = false;
    size_t Users = 0;      ///< units for which it is the longest
    double Parses = 0;     ///< of these
    bool Often = false;    ///< one of these is
    std::vector<Costs> By; ///< by the depth of the part that is used instead
    std::vector<Costs> Longer; ///< the sum of By of the parts that continue it
  };
  void decide(Part &P);

  size_t Fewest;
  std::vector<Part> Parts; ///< each after its parent
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_UNITS_SHARINGPLAN_H
