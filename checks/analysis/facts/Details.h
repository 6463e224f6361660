//===- Details.h - Details of particular kinds of facts ---------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Facts.def defines the details of each kind of fact.
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

/// One combination of unknowns, and its outcome in CUDA.
struct Situation {
  catalogue::StreamRelation Relation = catalogue::StreamRelation::None;
  catalogue::StreamKind Capturing = catalogue::StreamKind::Blocking;
  catalogue::Cell ByMode[3];
  const catalogue::OutcomeRow *Row = nullptr; ///< null: not in the catalogue
};

using NoDetails = std::monostate;

/// A catalogued call. Ranges are empty if the source has no text for them.
struct CallDetails {
  std::vector<Situation> Situations; ///< all possible situations
  bool HasStream =
      false; ///< the call has a stream argument, explicit or by default
  bool IsEvent = false;   ///< the relation is that of an event
  bool Discarded = false; ///< nothing checks the result of the call
  Span StreamText;        ///< the stream or event argument
  Span EventText;         ///< the event argument, in addition to a stream
  Span Name, CloseParen;
  std::vector<Span> Args;     ///< the explicit arguments, for fix-its
  unsigned NumConfigArgs = 0; ///< for a launch: the explicit <<<>>> arguments
  /// The name of a variable that holds the origin stream and is in scope at the
  /// call.
  std::string StreamInScope;
  /// The stream parameter of the enclosing function, which the call ignores.
  std::string UnusedStreamParam;
  /// The origin of the default stream that the call receives, and the function
  /// that contains it.
  Span StreamFrom;
  FunctionId StreamFromIn = None;
};

/// Unjoined work.
struct LeftWork {
  struct Work {
    Span Call, StreamText;
    FunctionId In = None;
    using Place = std::pair<Span, FunctionId>;
    std::vector<Place> By{};    ///< the calls that lead to it, innermost first
    std::vector<Place> Early{}; ///< where events were recorded before it
    /// Where the event after it is recorded again, before any wait.
    std::vector<Place> Again{};
  };
  std::vector<Work> Left;
  std::vector<Situation> Situations;
};

/// Work that other work of the same capture should have waited for.
struct EarlierWork {
  Span Call, StreamText;
  FunctionId In = None;
  std::string Name;      ///< of the kernel or the function
  bool IsKernel = false; ///< Name is that of a kernel
  bool Wrote = false;    ///< it writes to the memory
  bool Writes = false;   ///< the later work does
  std::string Memory;    ///< the argument of the later work, as spelled
  /// Where the event is recorded, too early, for which the later work waits;
  /// empty if it waits for none.
  Span Recorded;
  FunctionId RecordedIn = None;
};

/// The end of an executable graph that is launched afterwards.
struct GraphEnd {
  Span Where;
  FunctionId In = None;
  bool Cleared = false; ///< the launched handle is null
};

/// A launch of an executable graph that retains the old parameters of a node.
struct LaterLaunch {
  Span Where;
  FunctionId In = None;
};

/// A launch of a graph on another stream. It may overlap the launch of a graph
/// that uses the same memory.
struct OtherLaunch {
  Span Launch;
  FunctionId In = None;
  Span Writer; ///< the captured call that writes to the memory
  FunctionId WriterIn = None;
  std::string Kernel; ///< its name
  std::string Memory; ///< the argument, as spelled there
};

/// A return or a throw while the stream captures.
struct OpenReturn {
  std::string Keyword;   ///< "return", "throw", "goto", "branch"
  bool Unwalked = false; ///< on a path that only failures take
  bool ByItself = false; ///< the failure is not from CUDA
  Span Branch;           ///< the condition or `goto` that leads to it
  Span Thrown;           ///< where the exception is thrown, if elsewhere
  FunctionId ThrownIn = None;
  std::vector<Situation> Situations;
};

/// The exchange of a thread's capture mode, and the result.
struct OtherMode {
  Span Exchange;
  int Mode = -1; ///< a catalogue::Mode, or -1: unknown
};

/// A member or global that the region changes.
struct HostChange {
  std::string Variable;
  /// The qualified name, if the change is a step of a counter.
  std::string Counter;
};

/// Why a value differs between replays.
enum class Variation : uint8_t {
  DeviceRead, ///< read back from the device
  Clock,      ///< differs from call to call
  Random,     ///< drawn by a generator on the host
  HostState,  ///< a member or global that a function changes step by step
  Setter,     ///< a member or global that a function sets between replays
  Changed,    ///< assigned between the capture and a launch of the graph
  Parameter,  ///< a parameter of the function that stores the graph
  Passed,     ///< a parameter of a function that others call in a capture
};

/// How a node uses a retained value.
enum class RetainedAs : uint8_t {
  Source,
  Destination,
  UserData,
  Argument,
  Scalar, ///< a number passed by address: alpha, beta
  Size,
  Config,
  Branch, ///< the condition of a branch
};

/// How a node uses a retained value.
struct RetainedUse {
  RetainedAs As = RetainedAs::Argument;
  bool IsPointer = false;
  bool OnDevice = false;        ///< an address of device memory
  std::optional<int64_t> Bytes; ///< the size of the memory that is used
  /// Nothing shows whether the stream is part of the capture.
  bool Guessed = false;
};

/// A number or an address that a node retains, or that determines a branch.
struct VaryingValue {
  RetainedUse Use;
  Variation Why = Variation::HostState;
  std::optional<std::string>
      Argument; ///< its name; none for a size or a condition
  /// For a launch: "grid", "block", "shared memory". For a branch: "loop",
  /// "switch"; without a condition: "function" or "kernel", the selected
  /// object. Empty if unknown.
  std::string Part;
  std::string Name;     ///< of the variable or parameter that it comes from
  bool Seeds = false;   ///< it seeds a random number generator
  Span Where;           ///< where it is read, set, or changed
  FunctionId In = None; ///< the function that contains Where
  /// If Where is in a method: a call to it for the object that contains the
  /// value, outside of captures, and the function that makes the call.
  Span Call;
  FunctionId CallIn = None;
  /// For Variation::Changed: the launch that follows, and its function.
  Span Launch;
  FunctionId LaunchIn = None;
};

/// How the lifetime of memory that a node uses ends.
enum class Ending : uint8_t {
  Scope,     ///< the variable goes out of scope
  Statement, ///< a temporary
  Freed,     ///< freed or deleted
  Moved,     ///< the container has moved its elements
  Replaced,  ///< freed, and another buffer replaces it
  Recycled,  ///< returned to a pool of the program
  Unseen,    ///< it belongs to a caller that is not visible
};

/// Memory that a node uses after the end of its lifetime.
struct MemoryEnd {
  RetainedUse Use;
  Ending How = Ending::Scope;
  std::string Object;        ///< its name, or the argument as written
  bool IsParam = false;      ///< a parameter of the function that ends it
  bool OwnsElements = false; ///< memory of a container
  bool Rebinds = false;      ///< an owner is assigned a new object
  bool IfCaptured = false;   ///< only if the stream of the call captures
  Span StaticFix; ///< the declaration of a variable that may be static
  /// For Dangles: where the lifetime ends. For Grows: the call that creates the
  /// node; the fact is located where the memory is replaced.
  Span Where;
  FunctionId In = None; ///< the function that contains Where
  /// The call, in ByIn, that passes the memory to the function that frees it.
  Span By;
  FunctionId ByIn = None;
};

/// The work of the two branches of an is-capturing test, as lists in text form.
struct BranchWork {
  std::string Capturing, Otherwise;
};

/// Work that happens on the first call only.
struct FirstWork {
  std::string Flag; ///< the variable that records whether it is done
  std::string Work; ///< the first work
};

/// A call that a thread makes.
struct ThreadCall {
  std::string Name;
  Span Where;
  FunctionId In = None;
  std::string Class; ///< the class whose objects each have such a thread
};

/// The annotation of the callee.
struct Reason {
  std::string Text;
};

/// A random number generator.
struct Generator {
  int64_t Type = 0; ///< the number in the library
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_FACTS_DETAILS_H
