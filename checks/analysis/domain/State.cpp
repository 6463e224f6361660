//===- State.cpp - The state at a point of the program --------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Comparisons of states, field by field.
//
//===----------------------------------------------------------------------===//

#include "State.h"
#include "Marks.h"
#include <string_view>

namespace cudagraph {

/// True if states that differ in a field are not merged.
static constexpr bool distinguishes(std::string_view Join) {
  return Join == "distinguished";
}

bool State::sameKey(const State &O) const {
  return true
#define FIELD(TYPE, NAME, INITIAL, JOIN, KEY, ENTER, LEAVE)                    \
  &&(!distinguishes(#JOIN) || NAME == O.NAME)
#include "State.def"
      ;
}

bool State::sameButChanges(const State &O) const {
  return !Unsettled == !O.Unsettled && !Graphs == !O.Graphs
#define FIELD(TYPE, NAME, INITIAL, JOIN, KEY, ENTER, LEAVE)                    \
  &&(!distinguishes(#JOIN) || llvm::StringRef(#NAME) == "Unsettled" ||         \
     llvm::StringRef(#NAME) == "Graphs" || NAME == O.NAME)
#include "State.def"
      ;
}

bool State::operator==(const State &O) const {
  return true
#define FIELD(TYPE, NAME, INITIAL, JOIN, KEY, ENTER, LEAVE) &&NAME == O.NAME
#include "State.def"
      ;
}

void blurUnjoined(const Domain &D, FactMap &Unjoined, ValueId Stream) {
  for (const FactMap::Item &I : FactMap(Unjoined)) {
    UnjoinedWork L = UnjoinedWork::decode(I.Data);
    if (L.How == UnjoinedWork::None || (Stream != None && D[I.Key].A != Stream))
      continue;
    L.How = UnjoinedWork::Maybe;
    Unjoined.set(I.Key, L.encode());
  }
}

} // namespace cudagraph
