//===- Details.h - What only some facts have --------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Facts.def says which kinds of facts have which of these.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_FACTS_DETAILS_H
#define CUDAGRAPH_ANALYSIS_FACTS_DETAILS_H

#include "analysis/ir/FlowGraph.h"
#include "catalogue/Catalogue.h"
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace cudagraph {

/// One combination of what is not known, and what CUDA then does.
struct Situation {
  catalogue::StreamRelation Relation = catalogue::StreamRelation::None;
  catalogue::StreamKind Capturing = catalogue::StreamKind::Blocking;
  catalogue::Cell ByMode[3];
  const catalogue::OutcomeRow *Row = nullptr; ///< null: not of the catalogue
};

using NoDetails = std::monostate;

/// A call that the catalogue knows. Ranges are empty where the source has
/// nothing to point to.
struct CallDetails {
  std::vector<Situation> Situations; ///< all that are possible
  bool HasStream = false; ///< the call takes a stream, given or defaulted
  bool IsEvent = false;   ///< the relation is that of an event
  bool Discarded = false; ///< nothing checks what the call returns
  Span StreamText;        ///< the stream or event argument
  Span EventText;         ///< the event argument, beside a stream
  Span Name, CloseParen;
  std::vector<Span> Args;     ///< the explicit arguments, for fix-its
  unsigned NumConfigArgs = 0; ///< of a launch: the explicit <<<>>> arguments
  /// Name, valid at the call, of a variable that holds the origin stream.
  std::string StreamInScope;
  /// Stream parameter of the enclosing function that the call ignores.
  std::string UnusedStreamParam;
};

/// Work that the origin has not waited for.
struct LeftWork {
  struct Work {
    Span Call, StreamText;
    FunctionId In = None;
    using Place = std::pair<Span, FunctionId>;
    std::vector<Place> By{};    ///< the calls that lead there, from within
    std::vector<Place> Early{}; ///< where events were recorded before it
    /// Where the event behind it is recorded again, before anybody has waited.
    std::vector<Place> Again{};
  };
  std::vector<Work> Left;
  std::vector<Situation> Situations;
};

/// A return or a throw while the stream captures.
struct OpenReturn {
  std::string Keyword;   ///< "return", "throw", "branch"
  bool Unwalked = false; ///< on a path that only failures take
  bool ByItself = false; ///< the failure is not one of CUDA's
  Span Branch;           ///< the condition that leads there on a failure
  Span Thrown;           ///< where what leaves is thrown, if that is elsewhere
  FunctionId ThrownIn = None;
  std::vector<Situation> Situations;
};

/// A member or global that the region changes.
struct HostChange {
  std::string Variable;
  /// The qualified name, if the change is a step of a counter.
  std::string Counter;
};

/// Why a value is not the same on every replay.
enum class Variation : uint8_t {
  DeviceRead, ///< read back from the device
  Clock,      ///< differs from call to call
  Random,     ///< drawn by a generator on the host
  HostState,  ///< a member or global that a function changes step by step
  Setter,     ///< a member or global that a function sets between replays
  Changed,    ///< assigned between the capture and a launch of the graph
  Parameter,  ///< a parameter of the function that keeps the graph
  Passed,     ///< a parameter of a function that others call in a capture
};

/// What a node does with a value it has kept.
enum class KeptAs : uint8_t {
  Source,
  Destination,
  UserData,
  Argument,
  Scalar, ///< a number given by address: alpha, beta
  Size,
  Config,
  Branch, ///< the condition of a branch
};

/// How a node uses what it has kept.
struct KeptUse {
  KeptAs As = KeptAs::Argument;
  bool IsPointer = false;
  bool OnDevice = false;        ///< an address of device memory
  std::optional<int64_t> Bytes; ///< how much of the memory is used
};

/// A number or an address that a node keeps, or that decides a branch.
struct VaryingValue {
  KeptUse Kept;
  Variation Why = Variation::HostState;
  std::optional<std::string> Argument; ///< its name; none: a size, a condition
  /// Of a launch: "grid", "block", "shared memory". Of a branch: "loop",
  /// "switch"; where no condition decides: "function", "kernel", as what is
  /// chosen. Empty if it is not known.
  std::string Part;
  std::string Name;     ///< of the variable or parameter that it comes from
  bool Seeds = false;   ///< it seeds a generator of random numbers
  Span Where;           ///< where that is read, set or launched
  FunctionId In = None; ///< the function of Where
};

/// How memory that a node uses comes to its end.
enum class Ending : uint8_t {
  Scope,     ///< the variable goes out of scope
  Statement, ///< a temporary
  Freed,     ///< freed or deleted
  Moved,     ///< the container has put its elements elsewhere
  Replaced,  ///< freed, and another buffer takes its place
  Unseen,    ///< it is a caller's, whom nobody sees
};

/// Memory that a node uses after its end.
struct MemoryEnd {
  KeptUse Kept;
  Ending How = Ending::Scope;
  std::string Object;        ///< its name, or the argument as written
  bool IsParam = false;      ///< a parameter of the function that ends it
  bool OwnsElements = false; ///< memory of a container
  bool Rebinds = false;      ///< an owner is assigned anew
  Span StaticFix; ///< the declaration of a variable that may be static
  /// Dangles: where it ends. Grows: the call that makes the node; the fact is
  /// where the memory is replaced.
  Span Where;
  FunctionId In = None; ///< the function of Where
};

/// The work of the two arms of an is-capturing test, as lists in words.
struct ArmWork {
  std::string Capturing, Otherwise;
};

/// Work that happens on the first call only.
struct FirstWork {
  std::string Flag; ///< the variable that says whether it is done
  std::string Work; ///< what it does first
};

/// What somebody has written about the callee.
struct Reason {
  std::string Text;
};

/// A generator of random numbers.
struct Generator {
  int64_t Type = 0; ///< as the library numbers them
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_FACTS_DETAILS_H
