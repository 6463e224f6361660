//===- InputBuffer.cpp - User files as buffers ----------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InputBuffer.h"
#include "Errors.h"
#include "support/Nesting.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/YAMLParser.h"
#include "llvm/Support/raw_ostream.h"
#include <unistd.h>

using namespace llvm;

namespace cudagraph::driver {
namespace {

/// Receives the tokens of LLVM's scanner from dumpTokens(): printing is the
/// only access to them that LLVM offers. The name of a token arrives in one
/// write, and its text, which points into the input, in another.
class DepthMeter : public raw_ostream {
public:
  explicit DepthMeter(StringRef Input)
      : raw_ostream(/*unbuffered=*/true), Input(Input) {}

  unsigned deepest() const { return Deepest; }

private:
  StringRef Input, Last;
  unsigned Depth = 0, Loose = 0, Deepest = 0;

  void write_impl(const char *Data, size_t Size) override {
    // The text of a token, which may look like a token name.
    if (Data >= Input.begin() && Data < Input.end())
      return;
    StringRef Name = StringRef(Data, Size).trim(" :\n");
    if (Name.empty())
      return;
    bool Opens = Name.ends_with("-Start") && !Name.starts_with("Stream") &&
                 !Name.starts_with("Document");
    bool Closes = Name == "Block-End" ||
                  (Name.ends_with("-End") && Name.starts_with("Flow-"));
    // `? ? ?` and `- - -` open levels without tokens where indentation does not
    // count, and their ends cannot be determined here.
    bool Nests = Name == "Key" || Name == "Block-Entry";
    if (Opens)
      ++Depth;
    else if (Closes && Depth)
      --Depth;
    else if (Nests &&
             (Last == "Key" || Last == "Block-Entry" || Last == "Value"))
      ++Loose;
    Deepest = std::max(Deepest, Depth + Loose);
    Last = known(Name);
  }
  uint64_t current_pos() const override { return 0; }

  /// \p Name with its own lifetime.
  static StringRef known(StringRef Name) {
    for (StringRef Each : {"Key", "Block-Entry", "Value"})
      if (Each == Name)
        return Each;
    return "";
  }
};

} // namespace

Expected<std::unique_ptr<MemoryBuffer>>
readBuffer(const std::string &Path, support::Bound Most, const Twine &What) {
  int Descriptor = -1;
  if (support::InputError E = support::openInput(Path, Most, Descriptor))
    return makeError("cannot read " + What + Path + ": " + E.message());
  auto Buffer = MemoryBuffer::getOpenFile(
      sys::fs::convertFDToNativeFile(Descriptor), Path, /*FileSize=*/-1);
  close(Descriptor);
  if (!Buffer)
    return makeError("cannot read " + What + Path + ": " +
                     Buffer.getError().message());
  return std::move(*Buffer);
}

std::unique_ptr<MemoryBuffer> tryReadBuffer(StringRef Path) {
  Expected<std::unique_ptr<MemoryBuffer>> Buffer =
      readBuffer(Path.str(), support::Bound::Data);
  if (Buffer)
    return std::move(*Buffer);
  consumeError(Buffer.takeError());
  return nullptr;
}

std::string checkYaml(StringRef Text) {
  if (support::InputError E =
          support::checkSize(Text.size(), support::Bound::Settings))
    return E.message();
  // Each level needs one of these characters. Usually there are few, and the
  // scanner, which prints errors in the text, is not needed.
  if (count_if(Text, [](char C) { return StringRef("[{-?:").contains(C); }) <=
      support::MaxNesting)
    return {};
  DepthMeter Meter(Text);
  yaml::dumpTokens(Text, Meter);
  if (Meter.deepest() > support::MaxNesting)
    return "it nests lists and mappings more than " +
           std::to_string(support::MaxNesting) +
           " levels deep; reduce the depth";
  return {};
}

} // namespace cudagraph::driver
