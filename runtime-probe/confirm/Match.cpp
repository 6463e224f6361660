//===- Match.cpp - Whether a call of the run is a finding -----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Match.h"
#include "Names.h"
#include <algorithm>
#include <filesystem>
#include <string_view>

namespace fs = std::filesystem;

namespace cudagraph::confirm {
namespace {

constexpr unsigned OneFile = 1000; ///< more than any path has parts
constexpr std::string_view Stub = "__device_stub__";

bool contains(const std::vector<std::string> &All, const std::string &One) {
  return std::find(All.begin(), All.end(), One) != All.end();
}

/// How many lines \p Line is off the range, or none if it is too far.
std::optional<unsigned> linesOff(unsigned Line, const Position &At) {
  unsigned End = std::max(At.Line, At.EndLine);
  unsigned Off = Line < At.Line ? At.Line - Line : Line > End ? Line - End : 0;
  if (!Line || !At.Line || Off > MostLinesOff)
    return std::nullopt;
  return Off;
}

std::string_view fileName(std::string_view Path) {
  return Path.substr(Path.rfind('/') + 1);
}

/// Whether the frame may be at the finding. Most are not, and names cost more
/// than numbers.
bool mayBeAt(const StaticFinding &F, const Frame &Seen) {
  auto Near = [&](const Position &At) {
    return linesOff(Seen.Line, At) && fileName(At.File) == fileName(Seen.File);
  };
  return Near(F.At) ||
         std::any_of(F.Expansions.begin(), F.Expansions.end(), Near);
}

/// CUDA's own headers, and what nvcc generates.
bool isCudaFile(const std::string &File) {
  std::string Name = fs::path(File).filename().string();
  return Name == "cuda_runtime.h" || Name == "cuda_runtime_api.h" ||
         Name == "host_runtime.h" || Name == "cuda.h" ||
         Name.ends_with(".stub.c");
}

/// One call against one finding.
class CallMatcher {
public:
  CallMatcher(const StaticFinding &F, const Event &E)
      : F(F), E(E), Api(publicName(E.Api)), Callee(publicName(F.Callee)),
        Launch(isLaunch(E.Api)), Libraries(librariesOf(F.Callee)) {}

  /// Whether the function that was called is the callee.
  bool sameCall() const {
    if (contains(runNames(F.Callee), Api))
      return true;
    if (!Launch || !Libraries.empty() || F.Check == "cudagraph-host-logic")
      return false;
    return F.Callee == "<<<>>>" || isLaunch(F.Callee) ||
           (!isCudaApi(F.Callee) && stubsAgree());
  }

  /// Whether the frame is between the place of a call and the call.
  bool isBetween(size_t I) const {
    const Frame &Seen = E.Stack[I];
    std::string Base = baseName(Seen.Function), Public = publicName(Base);
    if (Seen.File.empty() || isCudaFile(Seen.File) || Public == Api ||
        (!Public.empty() && Public == Callee) || Base.starts_with(Stub))
      return true;
    return Launch && I && isStubOf(E.Stack[I - 1], Base);
  }

  /// Whether the frame just inside \p I is the callee's, or its library's.
  bool callsCallee(size_t I) const {
    if (!I)
      return false;
    const Frame &Inside = E.Stack[I - 1];
    if (namesAgree(Inside.Function, F.Callee) ||
        (!Callee.empty() && publicName(Inside.Function) == Callee))
      return true;
    if (Libraries.empty())
      return false;
    std::string Module = fs::path(Inside.Module).filename().string();
    for (const std::string &Library : Libraries)
      if (Module.starts_with(Library))
        return true;
    // Linked statically, and without debug information.
    return std::all_of(E.Stack.begin(), E.Stack.begin() + long(I),
                       [](const Frame &Seen) {
                         return Seen.File.empty() && Seen.Function.empty();
                       });
  }

private:
  const StaticFinding &F;
  const Event &E;
  std::string Api, Callee;
  bool Launch;
  std::vector<std::string> Libraries;

  /// Whether \p Seen is the stub of the kernel \p Base: plain or mangled.
  static bool isStubOf(const Frame &Seen, const std::string &Base) {
    std::string Name = baseName(Seen.Function);
    if (Base.empty() || !Name.starts_with(Stub))
      return false;
    Name.erase(0, Stub.size());
    return Name == Base ||
           Name.find(std::to_string(Base.size()) + Base) != std::string::npos;
  }

  /// Whether the stubs on the stack, if there are any, are the callee's.
  bool stubsAgree() const {
    bool Any = false;
    for (const Frame &Seen : E.Stack) {
      if (!baseName(Seen.Function).starts_with(Stub))
        continue;
      if (isStubOf(Seen, baseName(F.Callee)))
        return true;
      Any = true;
    }
    return !Any;
  }
};

/// The frame against all that is known of the finding's place.
std::optional<Match> place(const StaticFinding &F, const Frame &Seen,
                           FileTable &Files) {
  std::optional<Match> Best = matchPlace(F.At, F.Function, Seen, Files);
  auto Try = [&](const Position &At, const std::string &Function, bool Exact) {
    std::optional<Match> M = matchPlace(At, Function, Seen, Files);
    if (M && (!Exact || !M->LinesOff) &&
        (!Best || M->LinesOff < Best->LinesOff))
      Best = M;
  };
  for (const Position &At : F.Expansions)
    Try(At, F.Function, /*Exact=*/true);
  // Without information on inlining, the frame is named after a caller.
  if (!Seen.Inlined)
    for (const CallSite &Site : F.Chain)
      Try(F.At, Site.Function, /*Exact=*/true);
  return Best;
}

} // namespace

const FileTable::Path &FileTable::find(const std::string &Name) {
  auto [It, New] = Known.try_emplace(Name);
  Path &P = It->second;
  if (!New)
    return P;
  std::error_code EC;
  fs::path Real = fs::canonical(Name, EC);
  if (!EC)
    P.Real = Real.string();
  fs::path Normal = fs::path(Name).lexically_normal();
  P.Absolute = Normal.is_absolute();
  for (const fs::path &Part : Normal.relative_path())
    P.Parts.push_back(Part.string());
  return P;
}

unsigned FileTable::agreement(const std::string &A, const std::string &B) {
  if (A.empty() || B.empty())
    return 0;
  if (A == B)
    return OneFile;
  const Path &First = find(A), &Second = find(B);
  if (!First.Real.empty() && !Second.Real.empty())
    return First.Real == Second.Real ? OneFile : 0;
  size_t Most = std::min(First.Parts.size(), Second.Parts.size()), Common = 0;
  while (Common < Most && First.Parts[First.Parts.size() - 1 - Common] ==
                              Second.Parts[Second.Parts.size() - 1 - Common])
    ++Common;
  // All of a relative path, or the file and its directory.
  bool Whole = Common == Most && !(First.Absolute && Second.Absolute);
  bool Enough = Common >= 2 && First.Absolute && Second.Absolute;
  return Common && (Whole || Enough) ? unsigned(Common) : 0;
}

std::optional<Match> matchPlace(const Position &At, const std::string &Function,
                                const Frame &Seen, FileTable &Files) {
  std::optional<unsigned> Off = linesOff(Seen.Line, At);
  if (!Off)
    return std::nullopt;
  bool Unnamed = Function.empty() || Seen.Function.empty();
  if (Unnamed ? *Off != 0 : !namesAgree(Function, Seen.Function))
    return std::nullopt;
  unsigned File = Files.agreement(At.File, Seen.File);
  if (!File)
    return std::nullopt;
  return Match{0, *Off, File};
}

std::optional<Match> match(const StaticFinding &F, const Event &E,
                           FileTable &Files) {
  auto MayBe = [&](const Frame &Seen) { return mayBeAt(F, Seen); };
  if (std::none_of(E.Stack.begin(), E.Stack.end(), MayBe))
    return std::nullopt;
  CallMatcher Call(F, E);
  bool Same = Call.sameCall(), Direct = true;
  for (size_t I = 0; I < E.Stack.size(); ++I) {
    if (MayBe(E.Stack[I]) && ((Same && Direct) || Call.callsCallee(I)))
      if (std::optional<Match> M = place(F, E.Stack[I], Files)) {
        M->Frame = unsigned(I);
        return M;
      }
    Direct &= Call.isBetween(I);
  }
  return std::nullopt;
}

} // namespace cudagraph::confirm
