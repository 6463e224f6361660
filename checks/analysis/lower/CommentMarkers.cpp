//===- CommentMarkers.cpp - Comments that mark captures -------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommentMarkers.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace cudagraph {

/// Recognizes "cudagraph: begin-capture(stream)" and "cudagraph: end-capture"
/// in the text of a comment.
static bool parseMarker(StringRef Text, CommentMarker &M) {
  Text = Text.drop_front(2).ltrim("/*! \t");
  if (!Text.consume_front("cudagraph:"))
    return false;
  Text = Text.ltrim();
  if (Text.consume_front("begin-capture")) {
    M.Begin = true;
    Text = Text.ltrim();
    if (Text.consume_front("("))
      M.Stream = Text.take_front(Text.rfind(')')).trim().str();
    return true;
  }
  M.Begin = false;
  return Text.starts_with("end-capture");
}

std::vector<CommentMarker> findCommentMarkers(const SourceManager &SM,
                                              const LangOptions &Opts) {
  std::vector<CommentMarker> Markers;
  for (unsigned I = 1, E = SM.local_sloc_entry_size(); I != E; ++I) {
    const SrcMgr::SLocEntry &Entry = SM.getLocalSLocEntry(I);
    if (!Entry.isFile() ||
        SrcMgr::isSystem(Entry.getFile().getFileCharacteristic()))
      continue;
    FileID FID =
        SM.getFileID(SourceLocation::getFromRawEncoding(Entry.getOffset()));
    std::optional<StringRef> Buffer = SM.getBufferDataOrNone(FID);
    if (!Buffer || !Buffer->contains("cudagraph:"))
      continue;
    Lexer Lex(SM.getLocForStartOfFile(FID), Opts, Buffer->begin(),
              Buffer->begin(), Buffer->end());
    Lex.SetCommentRetentionState(true);
    Token Tok;
    while (!Lex.LexFromRawLexer(Tok)) {
      if (!Tok.is(tok::comment))
        continue;
      CommentMarker M;
      M.Loc = Tok.getLocation();
      StringRef Text(SM.getCharacterData(M.Loc), Tok.getLength());
      if (parseMarker(Text, M))
        Markers.push_back(std::move(M));
    }
  }
  return Markers;
}

} // namespace cudagraph
