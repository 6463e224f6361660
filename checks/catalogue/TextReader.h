//===- TextReader.h - Texts, words, and locations in a file -----*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common part of all readers of catalogue files: they track the location in
// the file, read words from closed lists, and describe the first error. A read
// function returns false after it has called fail(). Internal to the parser.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_CATALOGUE_TEXTREADER_H
#define CUDAGRAPH_CATALOGUE_TEXTREADER_H

#include "Catalogue.h"
#include "ParseSupport.h"
#include "support/JsonSyntax.h"
#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <nlohmann/json.hpp>

namespace cudagraph::catalogue {

using nlohmann::json;

/// The current location in a file, and the error, if any.
struct Cursor {
  std::string_view FileName;
  std::string Pointer; ///< JSON pointer of the value
  std::string Error;   ///< from the first read function that returned false
};

class TextReader {
protected:
  explicit TextReader(Cursor &At) : At(At) {}

  /// Moves the readers to a member or an element during its lifetime.
  class Step {
  public:
    Step(TextReader &R, std::string_view Token)
        : Pointer(R.At.Pointer), Length(Pointer.size()) {
      support::appendToken(Pointer, Token);
    }
    Step(TextReader &R, size_t Index) : Step(R, std::to_string(Index)) {}
    ~Step() { Pointer.resize(Length); }
    Step(const Step &) = delete;
    Step &operator=(const Step &) = delete;

  private:
    std::string &Pointer;
    size_t Length;
  };

  bool fail(const std::string &Problem);
  bool wrongType(const json &Got, const char *Expected);
  /// \p J must be an object whose keys are all in \p Allowed.
  bool checkKeys(const json &J,
                 std::initializer_list<std::string_view> Allowed);
  /// \p Word must be one of \p Words; \p What describes them.
  template <typename List>
  bool checkWord(const std::string &Word, const List &Words, const char *What) {
    if (std::find(std::begin(Words), std::end(Words), Word) != std::end(Words))
      return true;
    return fail(std::string("unknown ") + What + " " + inQuotes(Word) + "; " +
                suggest(Word, {std::begin(Words), std::end(Words)}));
  }
  /// Reads one of \p Words, which spell the enumerators of \p Enum in order.
  template <typename List, typename Enum>
  bool readWord(const json &J, const List &Words, const char *What,
                Enum &Result) {
    std::string Word;
    if (!readText(J, Word) || !checkWord(Word, Words, What))
      return false;
    Result =
        static_cast<Enum>(std::find(std::begin(Words), std::end(Words), Word) -
                          std::begin(Words));
    return true;
  }
  bool readText(const json &J, std::string &Text);
  /// Reads an array of strings without duplicates.
  bool readTexts(const json &J, std::vector<std::string> &Texts);
  /// Reads "action" of an entry or a group of names.
  bool readAction(const json &J, ActionText &Words);
  bool readEvidence(const json &J, std::vector<Evidence> &Sources);

  Cursor &At;
};

} // namespace cudagraph::catalogue

#endif // CUDAGRAPH_CATALOGUE_TEXTREADER_H
