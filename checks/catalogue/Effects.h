//===- Effects.h - The effects of calls -------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The effects in Effects.def and the properties that all calls with one of them
// share. Code that needs a group of effects calls these functions. A new effect
// is one line in Effects.def.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_CATALOGUE_EFFECTS_H
#define CUDAGRAPH_CATALOGUE_EFFECTS_H

#include <optional>
#include <string_view>

namespace cudagraph::catalogue {

/// The effect of a call on a capture. The spellings in the JSON data are in
/// Effects.def.
enum class Effect {
#define EFFECT(NAME, SPELLING, FLAGS, SUMMARY) NAME,
#include "Effects.def"
};

/// Returns the spelling of \p E in the data files ("sync-stream").
std::string_view spelling(Effect E);
/// Returns the one-line description of \p E.
std::string_view summary(Effect E);
/// Parses a spelling; std::nullopt if there is no such effect.
std::optional<Effect> parseEffect(std::string_view Spelling);

// The flags of Effects.def.

/// Node: the call becomes a node of its stream's capture.
bool becomesNode(Effect E);
/// ForGraph: the purpose of the call is an effect of the graph.
bool isForGraph(Effect E);
/// DeviceWork: the call starts device work, immediately or in stream order.
bool isDeviceWork(Effect E);
/// Transfer: the call copies or sets memory.
bool isTransfer(Effect E);
/// Sized: the argument "size" is the size of the memory.
bool isSized(Effect E);
/// DeviceMemory: the call allocates, frees, or maps device memory.
bool managesDeviceMemory(Effect E);
/// Frees: the call frees the argument "ptr".
bool freesMemory(Effect E);
/// HostEffect: the effect occurs once, on the host, at capture; no replay
/// repeats it.
bool isHostEffect(Effect E);
/// Bounds: the call begins or ends a capture.
bool boundsCapture(Effect E);

} // namespace cudagraph::catalogue

#endif // CUDAGRAPH_CATALOGUE_EFFECTS_H
