//===- Archive.h - Plain values to bytes and back ---------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function template describes the fields of a type and serves both ways:
//
//   template <typename A> void fields(A &Ar, Place &P) {
//     Ar.text(P.File); Ar.num(P.Line); Ar.num(P.Column);
//   }
//
// Numbers are LEB128, strings are kept once in a table in front. The bytes
// depend on the values alone, so that equal bytes mean equal values. Readers
// check bounds: damaged bytes give a reader that has failed, never a crash.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_ARCHIVE_H
#define CUDAGRAPH_ANALYSIS_ARCHIVE_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LEB128.h"
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace cudagraph {

/// Appends \p N to \p Out.
inline void putNumber(std::string &Out, uint64_t N) {
  uint8_t Bytes[10];
  unsigned Size = llvm::encodeULEB128(N, Bytes);
  Out.append(reinterpret_cast<const char *>(Bytes), Size);
}

class ArchiveWriter {
public:
  static constexpr bool Reading = false;

  void raw(uint64_t N) { putNumber(Body, N); }
  template <typename T> void num(const T &N) {
    if constexpr (std::is_enum_v<T>)
      raw(static_cast<uint64_t>(N));
    else if constexpr (std::is_signed_v<T>) { // zigzag: small stays small
      int64_t V = N;
      raw(static_cast<uint64_t>(V) << 1 ^ static_cast<uint64_t>(V >> 63));
    } else
      raw(N);
  }
  void text(const std::string &S) {
    auto [It, New] = Ids.try_emplace(S, Ids.size());
    if (New)
      Order.push_back(It->getKey());
    raw(It->second);
  }
  /// A number of which the largest value, "none", is frequent.
  void id(unsigned N) { raw(static_cast<uint32_t>(N + 1)); }
  template <typename... T> void flags(T &...Each) {
    uint64_t Bits = 0, Bit = 1;
    ((Bits |= Each ? Bit : 0, Bit <<= 1), ...);
    raw(Bits);
  }
  template <typename T, typename Fn> void list(T &Values, Fn Each) {
    raw(Values.size());
    for (auto &V : Values)
      Each(V);
  }
  template <typename T, typename Fn>
  void maybe(std::optional<T> &Value, Fn Each) {
    raw(Value.has_value());
    if (Value)
      Each(*Value);
  }
  bool failed() const { return false; }

  /// The table of strings and what was written so far.
  std::string take() {
    std::string Result;
    putNumber(Result, Order.size());
    for (llvm::StringRef S : Order) {
      putNumber(Result, S.size());
      Result += S;
    }
    return Result + Body;
  }

private:
  std::string Body;
  llvm::StringMap<unsigned> Ids;
  std::vector<llvm::StringRef> Order;
};

class ArchiveReader {
public:
  static constexpr bool Reading = true;

  /// \p Bytes must outlive the reader.
  explicit ArchiveReader(llvm::StringRef Bytes)
      : At(Bytes.bytes_begin()), End(Bytes.bytes_end()) {
    for (uint64_t N = count(); N && !Bad; --N)
      Strings.push_back(bytes(raw()));
  }

  uint64_t raw() {
    unsigned Size = 0;
    const char *Error = nullptr;
    // Ten bytes hold every number; LLVM would read on through zeros.
    const uint8_t *Last = At + std::min<ptrdiff_t>(End - At, 10);
    uint64_t N = llvm::decodeULEB128(At, &Size, Last, &Error);
    if (Error) {
      Bad = true;
      At = End;
      return 0;
    }
    At += Size;
    return N;
  }
  template <typename T> void num(T &N) {
    uint64_t V = raw();
    if constexpr (!std::is_enum_v<T> && std::is_signed_v<T>)
      N = static_cast<T>(static_cast<int64_t>(V >> 1) ^
                         -static_cast<int64_t>(V & 1));
    else
      N = static_cast<T>(V);
  }
  void text(std::string &S) {
    uint64_t Id = raw();
    if (Id < Strings.size())
      S = Strings[Id].str();
    else
      Bad = true;
  }
  void id(unsigned &N) { N = static_cast<uint32_t>(raw()) - 1; }
  template <typename... T> void flags(T &...Each) {
    uint64_t Bits = raw(), Bit = 1;
    ((Each = (Bits & Bit) != 0, Bit <<= 1), ...);
  }
  template <typename T, typename Fn> void list(T &Values, Fn Each) {
    Values.resize(count());
    for (auto &V : Values)
      Each(V);
  }
  template <typename T, typename Fn>
  void maybe(std::optional<T> &Value, Fn Each) {
    if (raw())
      Each(Value.emplace());
  }
  bool failed() const { return Bad; }

  /// A number of things that follow, each of a byte at least.
  size_t count() {
    uint64_t N = raw();
    if (N > static_cast<uint64_t>(End - At)) {
      Bad = true;
      return 0;
    }
    return N;
  }
  /// The next \p N bytes.
  llvm::StringRef bytes(uint64_t N) {
    if (N > static_cast<uint64_t>(End - At)) {
      Bad = true;
      return {};
    }
    llvm::StringRef Result(reinterpret_cast<const char *>(At), N);
    At += N;
    return Result;
  }

private:
  const uint8_t *At, *End;
  std::vector<llvm::StringRef> Strings;
  bool Bad = false;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_ARCHIVE_H
