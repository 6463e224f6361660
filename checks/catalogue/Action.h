//===- Action.h - What a call does, in words --------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Catalogue files put the last words of an action into brackets where they
// mention the event or the stream of the call: "records [an event] [on
// stream]". A message that knows the name says it instead: "records an event
// on stream 's'", "waits for event 'e'". The parser takes the action apart
// once; nobody else looks into its text.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_CATALOGUE_ACTION_H
#define CUDAGRAPH_CATALOGUE_ACTION_H

#include <string>
#include <string_view>

namespace cudagraph::catalogue {

/// What a message says right after the action.
enum class Naming {
  Nothing,       ///< no name, or 's' alone: "copies memory on stream"
  OnStream,      ///< on stream 's': "copies memory"
  DefaultStream, ///< the legacy default stream: "copies memory on"
  Event,         ///< 'e': "waits for event"
};

/// An action and its mentions, without the brackets. A mention that the action
/// does not have is empty.
struct ActionText {
  std::string Does;      ///< what comes before the mentions: "records"
  std::string Event;     ///< the mention of the event: "an event"
  std::string EventNoun; ///< what it becomes before a name: "event"
  std::string Stream;    ///< the mention of the stream: "on stream"
  /// What it becomes before "the legacy default stream": "on". Empty where the
  /// stream is the object of the verb: "queries [stream]".
  std::string StreamLink;

  /// The whole action: "records an event on stream".
  std::string text() const { return before(Naming::Nothing); }
  /// The action as it stands before \p Next.
  std::string before(Naming Next) const;
};

/// Takes \p Marked, an action as catalogue files have it, apart. Returns an
/// empty string, or what is wrong with it and the remedy.
std::string parseAction(std::string_view Marked, ActionText &Result);

} // namespace cudagraph::catalogue

#endif // CUDAGRAPH_CATALOGUE_ACTION_H
