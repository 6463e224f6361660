//===- Archive.h - Plain values as bytes ------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function template describes the fields of a type for both directions:
//
//   template <typename A> void fields(A &Ar, Place &P) {
//     Ar.text(P.File); Ar.num(P.Line); Ar.num(P.Column);
//   }
//
// Numbers are LEB128; strings are stored once in a table at the front. The
// bytes depend only on the values, so equal values have equal bytes.
//
// The bytes come from files that are not trusted. A reader accepts only the
// output of a writer: every count is checked before memory is reserved for it,
// every number must fit its type, and every enumerator must exist. Anything
// else makes the reader fail; it then returns zeros and empty strings. The
// caller checks that the values are consistent.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_IR_ARCHIVE_H
#define CUDAGRAPH_ANALYSIS_IR_ARCHIVE_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LEB128.h"
#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace cudagraph {

/// The last enumerator of an archived enumeration; enumerators are consecutive
/// and begin with 0. Each such enumeration has a specialization.
template <typename T> inline constexpr auto LastEnumerator = nullptr;

/// The maximum total length of all strings of one archive, counting each use.
inline constexpr size_t MaxArchivedText = size_t(64) << 20;

/// The maximum number of items for which a reader reserves memory before it has
/// read any of them.
inline constexpr size_t MostReserved = size_t(1) << 14;

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
    else if constexpr (std::is_signed_v<T>) { // zigzag: small numbers stay
                                              // small
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
    TextLength += S.size();
  }
  /// Writes a number whose largest value, "none", is frequent.
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
  /// The total length of all strings that were written. A reader accepts at
  /// most MaxArchivedText.
  size_t textLength() const { return TextLength; }

  /// The table of strings and the bytes written so far.
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
  size_t TextLength = 0;
};

/// Reads a number from the front of \p Bytes. Returns nothing and leaves \p
/// Bytes unchanged if they do not begin with a number.
inline std::optional<uint64_t> takeNumber(llvm::StringRef &Bytes) {
  unsigned Size = 0;
  const char *Error = nullptr;
  // Ten bytes are sufficient for every number. LLVM would continue to read
  // zeros, and shift by more bits than a number has.
  uint64_t N = llvm::decodeULEB128(Bytes.bytes_begin(), &Size,
                                   Bytes.take_front(10).bytes_end(), &Error);
  if (Error)
    return std::nullopt;
  Bytes = Bytes.drop_front(Size);
  return N;
}

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
    if (At != End && *At < 0x80) // most numbers are small
      return *At++;
    llvm::StringRef Left(reinterpret_cast<const char *>(At), End - At);
    std::optional<uint64_t> N = takeNumber(Left);
    if (!N)
      fail();
    else
      At = Left.bytes_begin();
    return N.value_or(0);
  }
  template <typename T> void num(T &N) {
    uint64_t V = raw();
    N = T();
    if constexpr (std::is_enum_v<T>) {
      static_assert(std::is_same_v<decltype(LastEnumerator<T>), const T>,
                    "the enumeration needs a LastEnumerator");
      if (V > static_cast<uint64_t>(LastEnumerator<T>))
        return fail();
      N = static_cast<T>(V);
    } else if constexpr (std::is_signed_v<T>) {
      int64_t Signed =
          static_cast<int64_t>(V >> 1) ^ -static_cast<int64_t>(V & 1);
      if (Signed < std::numeric_limits<T>::min() ||
          Signed > std::numeric_limits<T>::max())
        return fail();
      N = static_cast<T>(Signed);
    } else {
      if (V > std::numeric_limits<T>::max())
        return fail();
      N = static_cast<T>(V);
    }
  }
  void text(std::string &S) { S = textHere().str(); }
  void id(unsigned &N) {
    uint64_t V = raw();
    if (V > std::numeric_limits<uint32_t>::max())
      fail();
    N = static_cast<uint32_t>(V) - 1;
  }
  template <typename... T> void flags(T &...Each) {
    uint64_t Bits = raw(), Bit = 1;
    ((Each = (Bits & Bit) != 0, Bit <<= 1), ...);
    if (Bits >= Bit)
      fail();
  }
  template <typename T, typename Fn> void list(T &Values, Fn Each) {
    Values.clear();
    size_t N = count();
    Values.reserve(std::min(N, MostReserved)); // grows with the contents
    for (; N && !Bad; --N)
      Each(Values.emplace_back());
  }
  template <typename T, typename Fn>
  void maybe(std::optional<T> &Value, Fn Each) {
    uint64_t There = raw();
    if (There > 1)
      fail();
    if (There == 1)
      Each(Value.emplace());
    else
      Value.reset();
  }
  bool failed() const { return Bad; }
  /// True if all bytes were read.
  bool atEnd() const { return At == End; }
  /// The total length of all strings that were read. A string in the table may
  /// be used any number of times, so a few bytes can represent a large amount
  /// of text.
  size_t textLength() const { return TextLength; }

  /// The number of items that follow, each of at least one byte.
  size_t count() {
    uint64_t N = raw();
    if (N > static_cast<uint64_t>(End - At)) {
      fail();
      return 0;
    }
    return N;
  }
  /// The next \p N bytes.
  llvm::StringRef bytes(uint64_t N) {
    if (N > static_cast<uint64_t>(End - At)) {
      fail();
      return {};
    }
    llvm::StringRef Result(reinterpret_cast<const char *>(At), N);
    At += N;
    return Result;
  }

protected:
  /// The next string of the table.
  llvm::StringRef textHere() {
    uint64_t Id = raw();
    if (Id >= Strings.size()) {
      fail();
      return {};
    }
    TextLength += Strings[Id].size();
    if (TextLength > MaxArchivedText) {
      fail();
      return {};
    }
    return Strings[Id];
  }

  /// Stops reading: after a failure, there is nothing more to read.
  void fail() {
    Bad = true;
    At = End;
  }

private:
  const uint8_t *At, *End;
  std::vector<llvm::StringRef> Strings;
  size_t TextLength = 0;
  bool Bad = false;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_IR_ARCHIVE_H
