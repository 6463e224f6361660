//===- Catalogue.h - The effect of each API on a capture --------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The catalogue answers one question: what happens when this function is called
// while a stream captures? Its data is checks/catalogue/data/*.json, embedded
// at build time as sorted arrays; users add files with --catalogue.
//
// Rule of thumb: facts about an API belong here, never in a rule or in the
// analysis. This header includes only the standard library, because the runtime
// probe links it without Clang.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_CATALOGUE_CATALOGUE_H
#define CUDAGRAPH_CATALOGUE_CATALOGUE_H

#include "Action.h"
#include "Effects.h"
#include "Roles.h"
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudagraph::catalogue {

/// Capture modes in the order of cudaStreamCaptureMode's enumerators, so that
/// static_cast from the CUDA value is valid.
enum class Mode { Global = 0, ThreadLocal = 1, Relaxed = 2 };

/// How the capturing stream was created: with cudaStreamNonBlocking or not.
enum class StreamKind { Blocking, NonBlocking };

/// The relation of the stream named by a call to the active capture. For a call
/// that names an event, the stream is the one on which the event was last
/// recorded: Origin or Joined for an event of the capture, Other for any other
/// event.
enum class StreamRelation {
  Origin,    ///< the stream on which the capture began
  Joined,    ///< forked into the capture by an event
  Other,     ///< a known stream outside the capture
  Legacy,    ///< the legacy default stream
  PerThread, ///< the per-thread default stream
  None,      ///< the call has no stream
};

/// The outcome of one call in one situation.
struct Cell {
  enum Kind {
    Error,    ///< CUDA returns Code
    Captured, ///< success; the work becomes part of the graph
    Escapes,  ///< success; the work runs at capture, outside the graph
    Succeeds, ///< success; no device work is involved
  };
  Kind What = Succeeds;
  int Code = 0; ///< cudaError_t, for Error only
  /// Error: the call is refused and the capture continues without it. Any other
  /// error invalidates the capture.
  bool Survives = false;
  bool operator==(const Cell &O) const {
    return What == O.What && Code == O.Code && Survives == O.Survives;
  }
};

/// The conditions of an outcome; see Conditions.def.
enum class Condition : uint8_t {
#define CONDITION(NAME, SPELLING, TEXT, OTHERWISE) NAME,
#include "Conditions.def"
};

struct Entry;
/// Returns \p C, a condition of \p E, in words that follow "if".
std::string_view inWords(Condition C, const Entry &E);
/// Returns the opposite of \p C in words that follow "if".
std::string_view otherwise(Condition C);

/// Properties of an entry other than the effect; see Traits.def.
enum class Trait : uint8_t {
#define TRAIT(NAME, SPELLING, SUMMARY) NAME,
#include "Traits.def"
};

/// One row of an outcome profile. Rows are tried in order; the first whose
/// conditions hold applies.
struct OutcomeRow {
  std::vector<StreamRelation> Streams; ///< empty: any
  std::optional<StreamKind> Capturing; ///< kind of the capturing stream
  std::vector<Condition> When;         ///< all of these hold
  Cell ByMode[3];                      ///< indexed by Mode

  bool covers(StreamRelation Stream, StreamKind Kind) const;
};

/// Everything known about one function.
struct Entry {
  std::string Name;    ///< canonical qualified name: "cudaMalloc",
                       ///< "at::Tensor::item"
  std::string Library; ///< "cuda-runtime", "cuda-driver", "host", ...
  catalogue::Effect Does = Effect::Neutral;
  /// Argument positions by role. Roles: "stream", "event", "out" (pointer that
  /// receives the created object), "flags", "mode", "status" (pointer that
  /// receives the capture status), "kind" (cudaMemcpyKind), "dst", "src",
  /// "size", "callable", "choice" (selects the called function), "handle",
  /// "config" (pointer to a launch configuration whose member `stream` names
  /// the stream), "ptr" (memory that is freed, registered, or prefetched),
  /// "data" (user data of a callback), "func" (the kernel or host function),
  /// "graph", "buffer" (null: the call only computes its size), "alpha" and
  /// "beta" (pointers to the scalars of a BLAS call), "params" (array of
  /// pointers to the arguments of a kernel), "shared" (like "out", for memory
  /// that both host and device can access), "object" (user object that a graph
  /// retains), "storage" (container whose elements may move), "room" (container
  /// with reserved capacity after the call), "adds" (container with more
  /// elements after the call, which do not move), "removes" (container with
  /// fewer elements after the call), "value" (the value to which memory is
  /// set). The position counts the parameters of the declaration, or
  /// ImplicitObject.
  std::map<std::string, int, std::less<>> Args;
  /// The role, if any, whose argument is the last one in every overload and
  /// every version of CUDA, while Args has its position in the current header
  /// ("stream" of cudaMemPrefetchAsync, which had four parameters before 13.0).
  std::string LastRole;
  std::vector<OutcomeRow> Outcomes;
  std::string Like;   ///< while data is read: the entry with the same outcomes
  std::string Action; ///< the action in the third person: "waits for all work
                      ///< on the device"
  ActionText ActionWords; ///< the same, for messages that contain a name
  std::string Advice;     ///< the remedy, imperative
  std::string Reason;     ///< users' entries only: the reason for the entry
  /// Direction of a copy, if the function name determines it: "d2h", "h2d",
  /// "d2d"; "" otherwise.
  std::string Direction;
  /// The kind of value that accessors return: "status" (0 is success),
  /// "capture-status", "bool-capturing" (true while capturing), "device-value"
  /// (read from device memory), "varying" (differs from call to call), "".
  std::string Returns;
  uint32_t Traits = 0; ///< one bit for each Trait
  std::vector<Evidence> Sources;
  /// The first version of the library that supports captures, in the format of
  /// its header and in words; 0 if all known versions do.
  int Since = 0;
  std::string SinceText;

  static constexpr int ImplicitObject = -1; ///< the object of a method

  bool has(Trait T) const {
    return (Traits >> static_cast<unsigned>(T) & 1) != 0;
  }
  /// Returns the position of \p Role, or std::nullopt.
  std::optional<int> arg(std::string_view Role) const;
  /// Returns the position of \p Role in a call to an overload with \p NumArgs
  /// parameters, or std::nullopt if that overload has no such parameter. Prefer
  /// this form, which uses LastRole.
  std::optional<int> arg(std::string_view Role, unsigned NumArgs) const;
  /// Appends to \p Result the rows that may apply for this stream and kind, in
  /// order; the last one certainly applies if the earlier ones do not. \p Holds
  /// evaluates a condition: true, false, or std::nullopt if it is unknown.
  void rows(StreamRelation Stream, StreamKind Capturing,
            const std::function<std::optional<bool>(Condition)> &Holds,
            std::vector<const OutcomeRow *> &Result) const;
  /// Returns the outcome in the given situation if no condition holds;
  /// std::nullopt if the catalogue has no row for it.
  std::optional<Cell> outcome(StreamRelation Stream, StreamKind Capturing,
                              Mode M) const;
};

/// Strips ABI and version suffixes from names of the runtime, the driver, and
/// cuBLAS: `_v2`, `_v3`, `_ptsz`, and `_ptds`, in any combination that CUDA
/// uses, and `_64` for cuBLAS. "cuMemcpyHtoDAsync_v2_ptsz" becomes
/// "cuMemcpyHtoDAsync". Other names are returned unchanged.
std::string canonicalName(std::string_view Name);

/// The operator that a function or method of libtorch calls, with its name in
/// native_functions.yaml: "aten::nonzero" for "at::nonzero",
/// "at::Tensor::nonzero", "at::nonzero_out", and "at::symint::nonzero", and
/// "aten::linalg_svd" for "torch::linalg::svd"; empty for other names.
std::string operatorName(std::string_view Name);

/// True if \p Name carries a per-thread default stream suffix.
bool hasPerThreadSuffix(std::string_view Name);

/// Returns the name that \p Name, a function with a stream argument, has if
/// default streams are per-thread.
std::string perThreadName(std::string_view Name);

/// Returns the name of an error that calls in captures return, such as
/// "cudaErrorStreamCaptureUnsupported" for 900; an empty string for other
/// codes.
std::string_view errorName(int Code);
/// Returns the documented meaning of a capture error in one sentence.
std::string_view errorMeaning(int Code);

/// An immutable set of entries, which are found by canonical name, and of names
/// with roles.
class Catalogue {
public:
  /// The embedded data. Thread-safe; lives as long as the process. To add
  /// users' entries, copy the catalogue and call add() on the copy, which is
  /// cheap.
  static const Catalogue &builtin();

  Catalogue() = default;

  /// Returns the entry for \p QualifiedName (any ABI suffix), or nullptr.
  const Entry *lookup(std::string_view QualifiedName) const;

  /// All entries, sorted by name.
  std::vector<const Entry *> entries() const;

  /// The roles of \p Name, which is of kind \p Kind. \p Spell, if given,
  /// returns the spelling of a type with template arguments.
  RoleSet roles(NameKind Kind, std::string_view Name,
                const std::function<std::string()> &Spell = {}) const;
  /// True if \p Name has role \p R, regardless of the spelling of the type. In
  /// hot code, store the result of roles().
  bool is(Role R, std::string_view Name) const;
  /// The numbers of the names with role \p R.
  std::vector<int64_t> values(Role R) const;
  /// True if \p Value is one of these numbers.
  bool isValue(Role R, std::optional<int64_t> Value) const;
  /// The value of role \p R for \p Name; empty if \p Name does not have that
  /// role. \p Spelling, if given, is the spelling of a type.
  std::string_view as(Role R, std::string_view Name,
                      std::string_view Spelling = {}) const;
  /// The text that matches the first star in the pattern that gives \p Name
  /// role \p R; std::nullopt if \p Name does not have that role.
  std::optional<std::string_view> part(Role R, std::string_view Name) const;
  /// The names with role \p R, those of users first.
  std::vector<const NamedRole *> names(Role R) const;

  /// Adds or replaces entries, and adds names, from \p JsonText; \p FileName is
  /// its name in messages. Returns an empty string, or a message with the file,
  /// the JSON pointer, the reason, and the remedy; on error, nothing is added.
  /// With \p RequireReason, each entry must contain a non-empty "reason".
  std::string add(std::string_view JsonText, std::string_view FileName,
                  bool RequireReason);

  /// Reads \p Path and calls add() with RequireReason.
  std::string addFile(const std::string &Path);

  /// A hash of the added texts, which distinguishes catalogues with different
  /// user entries.
  uint64_t textHash() const { return TextHash; }
  /// Distinguishes catalogues with different user names; 0 if there are none.
  uint64_t namesHash() const { return NamesHash; }

private:
  uint64_t TextHash = 0, NamesHash = 0;
  bool WithBuiltin = false; ///< the embedded entries are also visible
  std::map<std::string, Entry, std::less<>>
      ByName; ///< users' entries; they take precedence
  /// Users' names, or null. Copies share them.
  std::shared_ptr<const RoleTable> OwnNames;
};

} // namespace cudagraph::catalogue

#endif // CUDAGRAPH_CATALOGUE_CATALOGUE_H
