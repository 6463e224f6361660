//===- Session.h - Requests that clangd does not answer ---------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Mediates between clangd and the client. clangd does not support code lenses,
// so a request for them reaches it as a request for links. clangd answers it
// once the current syntax tree of the document has been built and analyzed.
// This program replaces only the contents of the answer; clangd handles order,
// cancellation, and errors. Likewise, this program answers requests for hovers
// and hints after clangd has answered them.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_EDITOR_SESSION_H
#define CUDAGRAPH_DRIVER_EDITOR_SESSION_H

#include "Clangd.h"
#include "Positions.h"
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

namespace cudagraph::driver {

/// The capabilities of the client, from its `initialize`.
struct ClientAbilities {
  bool Lenses = false, Hints = false, Markdown = false;
  bool RefreshesLenses = false;
  bool Pages = false; ///< it shows the result of ShowRegion
  bool Only = false;  ///< it has another server; see OnlyCaptures.h
};

class Session : public clang::clangd::Transport {
public:
  explicit Session(std::unique_ptr<Transport> Client);
  ~Session() override;

  void notify(llvm::StringRef Method, llvm::json::Value Params) override;
  void call(llvm::StringRef Method, llvm::json::Value Params,
            llvm::json::Value ID) override;
  void reply(llvm::json::Value ID,
             llvm::Expected<llvm::json::Value> Result) override;
  llvm::Error loop(MessageHandler &Clangd) override;

private:
  class Incoming;
  struct Request {
    std::string Method;
    llvm::json::Value Params;
  };

  llvm::json::Value changed(const Request &Of, llvm::json::Value Result);
  llvm::json::Value initialized(llvm::json::Value Result);
  llvm::json::Value hover(const llvm::json::Object &Params,
                          llvm::json::Value Result);
  llvm::json::Value showRegion(const llvm::json::Object &Params);
  void readAbilities(const llvm::json::Object &Params);
  /// Sends one of this program's messages.
  void send(llvm::StringRef Method, llvm::json::Value Params);
  void ask(llvm::StringRef Method, llvm::json::Value Params);

  std::unique_ptr<Transport> Client;
  std::mutex Sending; ///< clangd and this program send from several threads
  std::mutex Lock;    ///< of all below
  std::map<std::string, Request> Open; ///< by id, as text
  ClientAbilities Can;
  Encoding Units = Encoding::Utf16;
  std::map<std::string, llvm::json::Value> Shown; ///< lenses by URI
  std::map<std::string, int64_t> Versions;        ///< of open documents, by URI
  std::string Latest; ///< URI of the document that was opened or edited last
  unsigned Asked = 0;
};

/// Shows \p Problem, "line:column: ...", in the project file \p File; an empty
/// \p Problem removes the previous one. Does nothing if there is no client.
void showProblem(llvm::StringRef File, llvm::StringRef Problem);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_EDITOR_SESSION_H
