//===- Names.cpp - Function names of analysis and debugger ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Names.h"
#include <algorithm>
#include <array>
#include <cctype>

namespace cudagraph::confirm {
namespace {

constexpr char Arguments = '\1'; ///< stands for a list of parameters

bool isWord(char C) {
  return std::isalnum(static_cast<unsigned char>(C)) || C == '_' || C == '$';
}

/// Returns the index after the bracket that closes the one at \p At.
size_t skipGroup(std::string_view Text, size_t At) {
  constexpr std::string_view Open = "(<[{", Close = ")>]}";
  std::string Expected;
  for (; At < Text.size(); ++At) {
    char C = Text[At];
    if (size_t Kind = Open.find(C); Kind != Open.npos)
      Expected += Close[Kind];
    else if (C == '>' && At && Text[At - 1] == '-')
      continue; // an arrow
    else if (!Expected.empty() && C == Expected.back())
      Expected.pop_back();
    if (Expected.empty())
      return At + 1;
  }
  return Text.size();
}

/// Returns the name of the operator whose symbol or type begins at \p At, and
/// moves \p At past it.
std::string operatorName(std::string_view Text, size_t &At) {
  std::string Name = "operator";
  while (At < Text.size() && Text[At] == ' ')
    ++At;
  if (Text.substr(At, 2) == "()" || Text.substr(At, 2) == "[]") {
    Name += Text.substr(At, 2);
    At += 2;
    return Name;
  }
  // A symbol or a type; both end where the parameters begin.
  bool Symbol = At < Text.size() && !isWord(Text[At]);
  while (At < Text.size() && Text[At] != '(' &&
         !(Symbol && (isWord(Text[At]) || Text[At] == ' '))) {
    if (Text[At] != ' ')
      Name += Text[At];
    ++At;
  }
  return Name;
}

/// Removes all bracketed groups, and replaces lists of parameters with a mark.
std::string withoutGroups(std::string_view Text) {
  constexpr std::string_view Operator = "operator";
  std::string Result;
  for (size_t At = 0; At < Text.size();) {
    bool Starts = Result.empty() || !isWord(Result.back());
    if (Starts && Text.substr(At, Operator.size()) == Operator &&
        (At + Operator.size() == Text.size() ||
         !isWord(Text[At + Operator.size()]))) {
      At += Operator.size();
      Result += operatorName(Text, At);
      continue;
    }
    char C = Text[At];
    if (C == '(' || C == '<' || C == '[' || C == '{') {
      bool Scope = Result.empty() || Result.back() == ':' ||
                   Result.back() == ' ' || Result.back() == '\'';
      if (C == '(' && !Scope)
        Result += Arguments;
      At = skipGroup(Text, At);
      continue;
    }
    Result += C;
    ++At;
  }
  return Result;
}

bool startsWith(std::string_view Text, std::string_view Prefix) {
  return Text.substr(0, Prefix.size()) == Prefix;
}

bool isUpper(std::string_view Text, size_t At) {
  return At < Text.size() && std::isupper(static_cast<unsigned char>(Text[At]));
}

} // namespace

std::vector<std::string> componentsOf(std::string_view Signature) {
  std::string Text = withoutGroups(Signature);
  // Qualifiers of a function that contains another function.
  for (std::string_view Word : {" const", " volatile", " &&", " &"})
    for (size_t At = 0; (At = Text.find(Arguments, At)) != Text.npos; ++At)
      if (Text.compare(At + 1, Word.size(), Word) == 0)
        Text.erase(At + 1, Word.size());
  // The text after the parameters is the scope of a lambda, or qualifiers.
  if (size_t Last = Text.rfind(Arguments); Last != Text.npos)
    if (Text.compare(Last + 1, 2, "::") != 0)
      Text.resize(Last);
  std::erase(Text, Arguments);
  while (!Text.empty() && Text.back() == ' ')
    Text.pop_back();
  if (size_t Space = Text.rfind(' '); Space != Text.npos)
    Text.erase(0, Space + 1);
  std::vector<std::string> Result;
  for (size_t At = 0; At <= Text.size();) {
    size_t End = std::min(Text.find("::", At), Text.size());
    std::string Part = Text.substr(At, End - At);
    At = End + 2;
    while (!Part.empty() && (Part[0] == '*' || Part[0] == '&'))
      Part.erase(0, 1);
    // 'lambda', $_0, and .isra.0 are the compilers' own names.
    Part.resize(std::min(Part.find('.'), Part.size()));
    if (!Part.empty() && Part[0] != '\'' && Part[0] != '$' && Part[0] != '@')
      Result.push_back(Part);
  }
  return Result;
}

std::string baseName(std::string_view Signature) {
  std::vector<std::string> All = componentsOf(Signature);
  return All.empty() ? "" : All.back();
}

bool namesAgree(std::string_view A, std::string_view B) {
  std::vector<std::string> Long = componentsOf(A), Short = componentsOf(B);
  if (Long.empty() || Short.empty() || Long.back() != Short.back())
    return false;
  if (Long.size() < Short.size())
    std::swap(Long, Short);
  // Only one of the spellings contains inline namespaces.
  size_t Next = 0;
  for (const std::string &Part : Long)
    if (Next < Short.size() && Part == Short[Next])
      ++Next;
  return Next == Short.size();
}

std::string publicName(std::string_view Api) {
  std::string Name = baseName(Api);
  for (bool More = true; More;) {
    More = false;
    for (std::string_view Suffix : {"_ptsz", "_ptds"})
      if (Name.size() > Suffix.size() && Name.ends_with(Suffix)) {
        Name.resize(Name.size() - Suffix.size());
        More = true;
      }
    size_t At = Name.rfind("_v");
    if (At != Name.npos && At && At + 2 < Name.size() &&
        std::all_of(Name.begin() + At + 2, Name.end(),
                    [](unsigned char C) { return std::isdigit(C); })) {
      Name.resize(At);
      More = true;
    }
  }
  return Name;
}

bool isCudaApi(std::string_view Callee) {
  if (Callee.find("::") != Callee.npos)
    return false;
  std::string Name = publicName(Callee);
  return (startsWith(Name, "cuda") && isUpper(Name, 4)) ||
         (startsWith(Name, "cu") && isUpper(Name, 2));
}

const std::vector<std::string> &launchFunctions() {
  static const std::vector<std::string> Names = {
      "cuLaunchCooperativeKernel",   "cuLaunchKernel",   "cuLaunchKernelEx",
      "cudaLaunchCooperativeKernel", "cudaLaunchKernel", "cudaLaunchKernelExC"};
  return Names;
}

bool isLaunch(std::string_view Api) {
  std::string Name = publicName(Api);
  const std::vector<std::string> &All = launchFunctions();
  return Name == "cudaLaunchKernelEx" || Name == "__cudaLaunchKernel" ||
         std::find(All.begin(), All.end(), Name) != All.end();
}

std::vector<std::string> runNames(std::string_view Callee) {
  // Overloads in cuda_runtime.h that call another function.
  static constexpr std::array<std::array<std::string_view, 2>, 5> Overloads = {{
      {"cudaMallocHost", "cudaHostAlloc"},
      {"cudaMallocAsync", "cudaMallocFromPoolAsync"},
      {"cudaEventCreate", "cudaEventCreateWithFlags"},
      {"cudaLaunchKernelEx", "cudaLaunchKernelExC"},
      {"cudaGraphInstantiate", "cudaGraphInstantiateWithFlags"},
  }};
  std::vector<std::string> Result = {publicName(Callee)};
  for (const auto &[Name, Called] : Overloads)
    if (Result.front() == Name)
      Result.emplace_back(Called);
  return Result;
}

std::vector<std::string> librariesOf(std::string_view Callee) {
  static constexpr std::array<std::string_view, 8> Prefixes = {
      "cublas", "cusolver", "cusparse", "cufft",
      "curand", "cudnn",    "nccl",     "cutensor"};
  for (std::string_view Prefix : Prefixes)
    if (startsWith(Callee, Prefix))
      return {"lib" + std::string(Prefix)};
  for (std::string_view Scope : {"at::", "c10::", "torch::"})
    if (startsWith(Callee, Scope))
      return {"libtorch", "libc10"};
  return {};
}

} // namespace cudagraph::confirm
