//===- Access.cpp - Memory accesses of nodes ------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "Symbolizer.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace cudagraph::probe {
namespace {

/// The types of the parameters of "void scale<int>(float*, int)".
std::vector<StringRef> parametersOf(StringRef Signature) {
  std::vector<StringRef> Types;
  size_t Close = Signature.rfind(')');
  if (Close == StringRef::npos)
    return Types;
  // Searches backward for the parenthesis that opens the list.
  int Depth = 0;
  size_t Open = Close + 1;
  while (Open-- > 0) {
    char C = Signature[Open];
    Depth += C == ')';
    Depth -= C == '(';
    if (!Depth)
      break;
  }
  StringRef List = Signature.slice(Open + 1, Close);
  size_t Begin = 0;
  Depth = 0;
  for (size_t I = 0; I <= List.size(); ++I) {
    char C = I < List.size() ? List[I] : ',';
    Depth += C == '(' || C == '<' || C == '[';
    Depth -= C == ')' || C == '>' || C == ']';
    if (C == ',' && Depth <= 0) {
      Types.push_back(List.slice(Begin, I).trim());
      Begin = I + 1;
    }
  }
  return Types;
}

uint64_t number(StringRef Text) {
  uint64_t Value = 0;
  if (Text.consume_front("0x"))
    Text.getAsInteger(16, Value);
  else
    Text.getAsInteger(10, Value);
  return Value;
}

/// The words of an argument, which is hexadecimal in memory order.
std::vector<uint64_t> words(StringRef Hex) {
  std::vector<uint64_t> Result;
  std::string Bytes;
  if (!tryGetFromHex(Hex, Bytes))
    return Result;
  for (size_t At = 0; At + 8 <= Bytes.size(); At += 8) {
    uint64_t Word = 0;
    for (size_t I = 8; I-- > 0;)
      Word = Word << 8 | static_cast<unsigned char>(Bytes[At + I]);
    Result.push_back(Word);
  }
  return Result;
}

} // namespace

Access::Mode modeOf(StringRef Mangled, unsigned Index) {
  // A name without parameters provides no information: extern "C" and Triton.
  if (!Mangled.starts_with("_Z"))
    return Access::Unknown;
  std::string Signature = demangled(Mangled);
  std::vector<StringRef> Types = parametersOf(Signature);
  if (Index >= Types.size())
    return Access::Unknown;
  StringRef Type = Types[Index];
  for (StringRef Last : {" const", "__restrict__", "*"})
    if (Type.consume_back(Last))
      Type = Type.rtrim();
    else if (Last == "*")
      return Access::Unknown;
  return Type.ends_with(" const") ? Access::Reads : Access::MayWrite;
}

std::vector<Access> accessesOf(ArrayRef<TraceNode> Nodes,
                               ArrayRef<TraceRange> Memory) {
  std::vector<Access> Result;
  auto Add = [&](Access A) {
    auto Holds = [&](const TraceRange &R) { return R.holds(A.Address); };
    if (A.Address && (Memory.empty() || any_of(Memory, Holds)))
      Result.push_back(std::move(A));
  };
  for (size_t I = 0; I < Nodes.size(); ++I) {
    const TraceNode &N = Nodes[I];
    if (N.Type == "kernel") {
      for (unsigned Index = 0; Index < N.Args.size(); ++Index)
        for (uint64_t Word : words(N.Args[Index]))
          Add({Word, 1,
               N.Args[Index].size() == 16 ? modeOf(N.Name, Index)
                                          : Access::Unknown,
               I, "argument " + std::to_string(Index)});
    } else if (N.Type == "memcpy") {
      uint64_t Bytes = std::max<uint64_t>(N.Bytes, 1);
      Add({number(N.Source), Bytes, Access::Reads, I, "source"});
      Add({number(N.Destination), Bytes, Access::Writes, I, "destination"});
    } else if (N.Type == "memset") {
      Add({number(N.Destination), std::max<uint64_t>(N.Bytes, 1),
           Access::Writes, I, "destination"});
    } else if (N.Type == "host") {
      Add({number(N.Data), 1, Access::Unknown, I, "user data"});
    } else if (!N.Event.empty()) {
      Add({number(N.Event), 1, Access::Unknown, I, "event"});
    }
    for (uint64_t Address : N.Addresses)
      Add({Address, 8, Access::MayWrite, I, "address"});
  }
  return Result;
}

std::vector<Access> accessesOf(const TraceEvent &Work) {
  std::vector<Access> Result;
  for (const TraceRange &R : Work.Reading)
    Result.push_back(
        {R.Base, std::max<uint64_t>(R.Bytes, 1), Access::Reads, 0, ""});
  for (const TraceRange &R : Work.Writing)
    Result.push_back(
        {R.Base, std::max<uint64_t>(R.Bytes, 1), Access::Writes, 0, ""});
  for (const TraceWord &W : Work.Words)
    Result.push_back({W.Value, 1, modeOf(Work.Name, W.Param), 0, ""});
  return Result;
}

std::string described(const TraceNode &N, size_t Index) {
  std::string Text = "node " + std::to_string(Index) + ", " + N.Type;
  if (!N.Name.empty())
    Text += " '" + demangled(N.Name) + "'";
  return Text;
}

} // namespace cudagraph::probe
