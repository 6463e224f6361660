//===- FlatMap.h - A sorted map in one block of memory ----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// States are copied at every branch and compared at every join; with tens to
// hundreds of entries, this is several times faster than trees.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_DOMAIN_FLATMAP_H
#define CUDAGRAPH_ANALYSIS_DOMAIN_FLATMAP_H

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace cudagraph {

/// A map from numbers to numbers.
class FlatMap {
public:
  struct Item {
    unsigned Key, Data;
    unsigned getKey() const { return Key; }
    unsigned getData() const { return Data; }
    bool operator==(const Item &O) const {
      return Key == O.Key && Data == O.Data;
    }
  };
  /// Returns the result by value, so that it survives changes to the map.
  std::optional<unsigned> lookup(unsigned Key) const {
    auto It = find(Key);
    if (It != Items.end() && It->Key == Key)
      return It->Data;
    return std::nullopt;
  }
  bool contains(unsigned Key) const { return lookup(Key).has_value(); }
  void set(unsigned Key, unsigned Data) {
    auto It = Items.begin() + (find(Key) - Items.begin());
    if (It != Items.end() && It->Key == Key)
      It->Data = Data;
    else
      Items.insert(It, {Key, Data});
  }
  void erase(unsigned Key) {
    auto It = Items.begin() + (find(Key) - Items.begin());
    if (It != Items.end() && It->Key == Key)
      Items.erase(It);
  }
  /// Erases the keys in \p Out and sets the items in \p In; both are sorted.
  template <typename Range> void replace(const Range &Out, const Range &In) {
    std::vector<Item> Result;
    Result.reserve(Items.size() + In.size());
    auto O = Out.begin();
    auto I = In.begin();
    for (const Item &Each : Items) {
      for (; I != In.end() && I->first < Each.Key; ++I)
        Result.push_back({I->first, I->second});
      while (O != Out.end() && O->first < Each.Key)
        ++O;
      if (I != In.end() && I->first == Each.Key)
        continue; // comes next
      if (O == Out.end() || O->first != Each.Key)
        Result.push_back(Each);
    }
    for (; I != In.end(); ++I)
      Result.push_back({I->first, I->second});
    Items = std::move(Result);
  }
  template <typename Predicate> void eraseIf(Predicate P) {
    std::erase_if(Items, P);
  }
  void clear() { Items.clear(); }
  bool empty() const { return Items.empty(); }
  size_t size() const { return Items.size(); }
  auto begin() const { return Items.begin(); }
  auto end() const { return Items.end(); }
  bool operator==(const FlatMap &O) const { return Items == O.Items; }

private:
  std::vector<Item>::const_iterator find(unsigned Key) const {
    return std::lower_bound(
        Items.begin(), Items.end(), Key,
        [](const Item &I, unsigned K) { return I.Key < K; });
  }
  std::vector<Item> Items;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_DOMAIN_FLATMAP_H
