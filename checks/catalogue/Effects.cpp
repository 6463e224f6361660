//===- Effects.cpp - The effects of calls ---------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The columns of Effects.def as tables.
//
//===----------------------------------------------------------------------===//

#include "Effects.h"
#include <cstddef>
#include <cstdint>

namespace cudagraph::catalogue {

namespace {
/// See Effects.h.
enum Flag : uint16_t {
  None = 0,
  Node = 1,
  ForGraph = 2,
  DeviceWork = 4,
  Transfer = 8,
  Sized = 16,
  DeviceMemory = 32,
  Frees = 64,
  HostEffect = 128,
  Bounds = 256,
};

struct EffectInfo {
  std::string_view Spelling, Summary;
  uint16_t Flags;
};
} // namespace

static constexpr EffectInfo Infos[] = {
#define EFFECT(NAME, SPELLING, FLAGS, SUMMARY) {SPELLING, SUMMARY, FLAGS},
#include "Effects.def"
};

static const EffectInfo &infoOf(Effect E) {
  return Infos[static_cast<size_t>(E)];
}

static bool has(Effect E, Flag F) { return (infoOf(E).Flags & F) != 0; }

std::string_view spelling(Effect E) { return infoOf(E).Spelling; }
std::string_view summary(Effect E) { return infoOf(E).Summary; }

std::optional<Effect> parseEffect(std::string_view Spelling) {
  for (const EffectInfo &Info : Infos)
    if (Info.Spelling == Spelling)
      return static_cast<Effect>(&Info - Infos);
  return std::nullopt;
}

bool becomesNode(Effect E) { return has(E, Node); }
bool isForGraph(Effect E) { return has(E, ForGraph); }
bool isDeviceWork(Effect E) { return has(E, DeviceWork); }
bool isTransfer(Effect E) { return has(E, Transfer); }
bool isSized(Effect E) { return has(E, Sized); }
bool managesDeviceMemory(Effect E) { return has(E, DeviceMemory); }
bool freesMemory(Effect E) { return has(E, Frees); }
bool isHostEffect(Effect E) { return has(E, HostEffect); }
bool boundsCapture(Effect E) { return has(E, Bounds); }

} // namespace cudagraph::catalogue
