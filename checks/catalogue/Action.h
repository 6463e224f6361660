//===- Action.h - Descriptions of calls -------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In catalogue files, the last words of an action are in brackets if they
// mention the event or the stream of the call: "records [an event] [on
// stream]". A message with a known name replaces them: "records an event on
// stream 's'", "waits for event 'e'". The parser splits the action once; no
// other code parses its text.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_CATALOGUE_ACTION_H
#define CUDAGRAPH_CATALOGUE_ACTION_H

#include <string>
#include <string_view>

namespace cudagraph::catalogue {

/// The words that follow the action in a message.
enum class Naming {
  Nothing,       ///< no name: "copies memory on a stream"
  Name,          ///< 's': "copies memory on stream"
  OnStream,      ///< on stream 's': "copies memory"
  DefaultStream, ///< the legacy default stream: "copies memory on"
  Event,         ///< 'e': "waits for event"
};

/// An action and its mentions, without the brackets. A missing mention is
/// empty.
struct ActionText {
  std::string Does;      ///< the words before the mentions: "records"
  std::string Event;     ///< the mention of the event: "an event"
  std::string EventNoun; ///< its form before a name: "event"
  std::string Stream;    ///< the mention of the stream: "on stream"
  /// The form of the mention before "the legacy default stream": "on". Empty if
  /// the stream is the object of the verb: "queries [stream]".
  std::string StreamLink;

  /// The whole action: "records an event on a stream".
  std::string text() const { return before(Naming::Nothing); }
  /// The form of the action before \p Next.
  std::string before(Naming Next) const;
};

/// Splits \p Marked, an action in the form of catalogue files. Returns an empty
/// string, or the error and the remedy.
std::string parseAction(std::string_view Marked, ActionText &Result);

} // namespace cudagraph::catalogue

#endif // CUDAGRAPH_CATALOGUE_ACTION_H
