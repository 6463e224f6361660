//===- Session.cpp - Requests that clangd does not answer -----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "Lenses.h"
#include "OnlyCaptures.h"
#include "Outcomes.h"
#include "driver/options/ProjectFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"
#include <cstdio>

using namespace llvm;
using clang::clangd::JSONStreamStyle;
using clang::clangd::Transport;

namespace cudagraph::driver {

CUDAGRAPH_WRAP(std::unique_ptr<Transport>, NewTransport,
               "_ZN5clang6clangd16newJSONTransportEP8_IO_FILERN4llvm11raw_"
               "ostreamEPS4_bNS0_15JSONStreamStyleE",
               (std::FILE * In, raw_ostream &Out, raw_ostream *Mirror,
                bool Pretty, JSONStreamStyle Style))

std::unique_ptr<Transport> wrapNewTransport(std::FILE *In, raw_ostream &Out,
                                            raw_ostream *Mirror, bool Pretty,
                                            JSONStreamStyle Style) {
  return std::make_unique<Session>(
      realNewTransport(In, Out, Mirror, Pretty, Style));
}

namespace {

std::mutex CurrentLock;
Session *Current = nullptr;

/// The prefix of the IDs of this program's requests. IDs of clangd are numbers.
constexpr StringRef OwnId = "cudagraph-";

std::string textOf(const json::Value &V) { return formatv("{0}", V).str(); }

/// Returns the object at the end of \p Path; empty if there is none.
const json::Object &at(const json::Object &From,
                       std::initializer_list<StringRef> Path) {
  static const json::Object None;
  const json::Object *Here = &From;
  for (StringRef Name : Path)
    if (!(Here = Here->getObject(Name)))
      return None;
  return *Here;
}

StringRef uriIn(const json::Object &Params) {
  return at(Params, {"textDocument"}).getString("uri").value_or("");
}

const json::Object &objectOf(const json::Value &V) {
  static const json::Object None;
  const json::Object *O = V.getAsObject();
  return O ? *O : None;
}

bool namesProjectFile(const json::Object &Document) {
  StringRef Uri = Document.getString("uri").value_or("");
  return sys::path::filename(pathOf(Uri)) == ProjectFile::Name;
}

} // namespace

/// Handles the messages from the client to clangd.
class Session::Incoming : public Transport::MessageHandler {
public:
  Incoming(Session &S, MessageHandler &Clangd) : S(S), Clangd(Clangd) {}

  bool onNotify(StringRef Method, json::Value Params) override {
    const json::Object &P = objectOf(Params);
    std::string Uri = uriIn(P).str();
    bool Configured = false;
    {
      std::lock_guard<std::mutex> Guard(S.Lock);
      if (Method == "textDocument/didOpen" ||
          Method == "textDocument/didChange") {
        S.Latest = Uri;
        S.Versions[Uri] =
            at(P, {"textDocument"}).getInteger("version").value_or(0);
      } else if (Method == "textDocument/didClose") {
        S.Versions.erase(Uri);
        S.Shown.erase(Uri);
        Views::all().forget(pathOf(Uri));
      } else if (Method == "workspace/didChangeWatchedFiles") {
        if (const json::Array *Changes = P.getArray("changes"))
          Configured = any_of(*Changes, [](const json::Value &Each) {
            return namesProjectFile(objectOf(Each));
          });
      } else if (Method == "textDocument/didSave") {
        Configured = namesProjectFile(at(P, {"textDocument"}));
      }
    }
    if (!Clangd.onNotify(Method, std::move(Params)))
      return false;
    return !Configured || rebuildAll();
  }

  bool onCall(StringRef Method, json::Value Params, json::Value ID) override {
    const json::Object &P = objectOf(Params);
    if (Method == "initialize")
      S.readAbilities(P);
    if (Method == "workspace/executeCommand" &&
        P.getString("command").value_or("") == ShowRegion) {
      json::Value Result = S.showRegion(P);
      std::lock_guard<std::mutex> Guard(S.Sending);
      S.Client->reply(std::move(ID), std::move(Result));
      return true;
    }
    bool Lens = Method == "textDocument/codeLens";
    if (Lens || Method == "initialize" || Method == "textDocument/hover" ||
        Method == "textDocument/inlayHint" ||
        Method == "textDocument/codeAction") {
      std::lock_guard<std::mutex> Guard(S.Lock);
      S.Open.insert_or_assign(textOf(ID), Request{Method.str(), Params});
    }
    return Clangd.onCall(Lens ? "textDocument/documentLink" : Method,
                         std::move(Params), std::move(ID));
  }

  bool onReply(json::Value ID, Expected<json::Value> Result) override {
    if (auto Id = ID.getAsString(); Id && Id->starts_with(OwnId)) {
      // An old client that does not support the request loses nothing.
      if (!Result)
        consumeError(Result.takeError());
      return true;
    }
    return Clangd.onReply(std::move(ID), std::move(Result));
  }

private:
  Session &S;
  MessageHandler &Clangd;

  /// Analyzes all open files again, because a project file has changed.
  bool rebuildAll() {
    std::map<std::string, int64_t> Documents;
    {
      std::lock_guard<std::mutex> Guard(S.Lock);
      Documents = S.Versions;
    }
    for (const auto &[Uri, Version] : Documents)
      if (!Clangd.onNotify(
              "textDocument/didChange",
              json::Object{{"textDocument",
                            json::Object{{"uri", Uri}, {"version", Version}}},
                           {"contentChanges", json::Array{}},
                           {"forceRebuild", true}}))
        return false;
    return true;
  }
};

Session::Session(std::unique_ptr<Transport> Client)
    : Client(std::move(Client)) {
  std::lock_guard<std::mutex> Guard(CurrentLock);
  Current = this;
}

Session::~Session() {
  std::lock_guard<std::mutex> Guard(CurrentLock);
  Current = nullptr;
}

Error Session::loop(MessageHandler &Clangd) {
  Incoming Handler(*this, Clangd);
  return Client->loop(Handler);
}

void Session::send(StringRef Method, json::Value Params) {
  std::lock_guard<std::mutex> Guard(Sending);
  Client->notify(Method, std::move(Params));
}

void Session::ask(StringRef Method, json::Value Params) {
  std::lock_guard<std::mutex> Guard(Sending);
  Client->call(Method, std::move(Params), (OwnId + Twine(++Asked)).str());
}

void Session::notify(StringRef Method, json::Value Params) {
  std::string Uri;
  if (Method == "textDocument/publishDiagnostics") {
    Uri = objectOf(Params).getString("uri").value_or("").str();
    std::lock_guard<std::mutex> Guard(Lock);
    if (json::Object *P = Params.getAsObject(); P && Can.Only)
      if (json::Array *All = P->getArray("diagnostics"))
        keepOwnDiagnostics(*All);
  }
  send(Method, std::move(Params));
  if (Uri.empty())
    return;
  // A header may have changed, and with it the counts of a lens.
  bool Stale = false;
  {
    std::lock_guard<std::mutex> Guard(Lock);
    auto It = Shown.find(Uri);
    if (It != Shown.end() && Can.RefreshesLenses)
      Views::all().read(pathOf(Uri), [&](const UnitView &View) {
        Stale = lensesOf(View, Uri) != It->second;
      });
    if (Stale) // once
      Shown.erase(It);
  }
  if (Stale)
    ask("workspace/codeLens/refresh", nullptr);
}

void Session::call(StringRef Method, json::Value Params, json::Value ID) {
  std::lock_guard<std::mutex> Guard(Sending);
  Client->call(Method, std::move(Params), std::move(ID));
}

void Session::reply(json::Value ID, Expected<json::Value> Result) {
  std::optional<Request> Of;
  {
    std::lock_guard<std::mutex> Guard(Lock);
    if (auto It = Open.find(textOf(ID)); It != Open.end()) {
      Of = std::move(It->second);
      Open.erase(It);
    }
  }
  if (Of && Result)
    Result = changed(*Of, std::move(*Result));
  std::lock_guard<std::mutex> Guard(Sending);
  Client->reply(std::move(ID), std::move(Result));
}

void Session::readAbilities(const json::Object &Params) {
  std::lock_guard<std::mutex> Guard(Lock);
  const json::Object &Document = at(Params, {"capabilities", "textDocument"});
  Can.Lenses = Document.getObject("codeLens");
  Can.Hints = Document.getObject("inlayHint");
  if (const json::Array *Formats =
          at(Document, {"hover"}).getArray("contentFormat"))
    Can.Markdown = is_contained(*Formats, json::Value("markdown"));
  Can.RefreshesLenses = at(Params, {"capabilities", "workspace", "codeLens"})
                            .getBoolean("refreshSupport")
                            .value_or(false);
  const json::Object &Wants = at(Params, {"initializationOptions"});
  Can.Pages = Wants.getBoolean("cudagraphPages").value_or(false);
  Can.Only = Wants.getBoolean("cudagraphOnly").value_or(false);
}

json::Value Session::changed(const Request &Of, json::Value Result) {
  const json::Object &Params = objectOf(Of.Params);
  std::string Uri = uriIn(Params).str();
  if (Of.Method == "initialize")
    return initialized(std::move(Result));
  if (Of.Method == "textDocument/hover")
    return hover(Params, std::move(Result));
  std::lock_guard<std::mutex> Guard(Lock);
  if (Of.Method == "textDocument/codeAction") {
    if (json::Array *Actions = Result.getAsArray(); Actions && Can.Only)
      keepOwnActions(*Actions);
    return Result;
  }
  Views::all().read(pathOf(Uri), [&](const UnitView &View) {
    if (Of.Method == "textDocument/codeLens") {
      Result = lensesOf(View, Uri);
      Shown.insert_or_assign(Uri, Result);
    } else if (json::Array *Hints = Result.getAsArray();
               Hints && Can.Hints && !Can.Lenses) {
      const json::Object &Range = at(Params, {"range"});
      addHints(*Hints, View, Units,
               at(Range, {"start"}).getInteger("line").value_or(0),
               at(Range, {"end"}).getInteger("line").value_or(INT32_MAX));
    }
  });
  return Result;
}

/// Adds the features that this server has in addition to clangd's.
json::Value Session::initialized(json::Value Result) {
  json::Object *Answer = Result.getAsObject();
  json::Object *Does = Answer ? Answer->getObject("capabilities") : nullptr;
  if (!Does)
    return Result;
  std::lock_guard<std::mutex> Guard(Lock);
  if (Can.Only)
    keepOwnCapabilities(*Does);
  (*Does)["codeLensProvider"] = json::Object{{"resolveProvider", false}};
  json::Value &Commands = (*Does)["executeCommandProvider"];
  if (!Commands.getAsObject())
    Commands = json::Object{};
  json::Value &Names = (*Commands.getAsObject())["commands"];
  if (!Names.getAsArray())
    Names = json::Array{};
  Names.getAsArray()->push_back(ShowRegion);
  Units = encodingNamed(
      Answer->getString("offsetEncoding")
          .value_or(Does->getString("positionEncoding").value_or("utf-16")));
  return Result;
}

json::Value Session::hover(const json::Object &Params, json::Value Result) {
  const json::Object &Where = at(Params, {"position"});
  std::string Ours;
  std::lock_guard<std::mutex> Guard(Lock);
  Views::all().read(pathOf(uriIn(Params)), [&](const UnitView &View) {
    Ours = hoverAt(View, Units, Where.getInteger("line").value_or(-1),
                   Where.getInteger("character").value_or(-1));
  });
  if (Can.Only)
    Result = nullptr;
  if (Ours.empty())
    return Result;
  json::Object *Known = Result.getAsObject();
  json::Object *Contents = Known ? Known->getObject("contents") : nullptr;
  bool Markdown = Contents
                      ? Contents->getString("kind").value_or("") == "markdown"
                      : Can.Markdown;
  if (!Markdown)
    Ours = plainText(Ours);
  if (!Contents)
    return json::Object{
        {"contents", json::Object{{"kind", Markdown ? "markdown" : "plaintext"},
                                  {"value", Ours}}}};
  std::string Text = Contents->getString("value").value_or("").str();
  (*Contents)["value"] = Text + (Markdown ? "\n\n---\n" : "\n\n") + Ours;
  return Result;
}

/// Returns the page of a region to a client that shows pages; others receive a
/// summary as a message.
json::Value Session::showRegion(const json::Object &Params) {
  const json::Array *Arguments = Params.getArray("arguments");
  const json::Object &Argument = Arguments && !Arguments->empty()
                                     ? objectOf(Arguments->front())
                                     : objectOf(nullptr);
  std::string Uri = uriIn(Argument).str();
  bool Pages;
  {
    std::lock_guard<std::mutex> Guard(Lock);
    if (Uri.empty())
      Uri = Latest;
    Pages = Can.Pages;
  }
  int64_t Line = at(Argument, {"position"}).getInteger("line").value_or(-1) + 1;
  json::Value Result = nullptr;
  Views::all().read(pathOf(Uri), [&](const UnitView &View) {
    auto Id = Argument.getInteger("region").value_or(0);
    if (Id > 0 && Id <= static_cast<int64_t>(View.Regions.size()) &&
        View.lineOf(View.Regions[Id - 1]) == Line)
      Result = pageOf(View, View.Regions[Id - 1]);
    else if (const Region *G = regionAt(View, std::max<int64_t>(Line, 0)))
      Result = pageOf(View, *G);
  });
  if (!Pages) {
    std::string Text = "no capture region in this file";
    if (const json::Object *Found = Result.getAsObject())
      Text = Found->getString("title").value_or("").str() + "\n" +
             Found->getString("text").value_or("").str();
    send("window/showMessage", json::Object{{"type", 3}, {"message", Text}});
    return nullptr;
  }
  return Result;
}

void showProblem(StringRef File, StringRef Problem) {
  int64_t Line = 1, Column = 1;
  StringRef Text = Problem;
  if (Text.consume_front(File) && Text.consume_front(":") &&
      !Text.consumeInteger(10, Line) && Text.consume_front(":") &&
      !Text.consumeInteger(10, Column) && Text.consume_front(": "))
    Problem = Text;
  json::Object Start{{"line", Line - 1}, {"character", Column - 1}};
  json::Object End{{"line", Line}, {"character", 0}};
  json::Array All;
  if (!Problem.empty())
    All.push_back(json::Object{
        {"range",
         json::Object{{"start", std::move(Start)}, {"end", std::move(End)}}},
        {"severity", 1},
        {"source", "cudagraph-tidy"},
        {"message",
         json::isUTF8(Problem) ? Problem.str() : json::fixUTF8(Problem)}});
  std::lock_guard<std::mutex> Guard(CurrentLock);
  if (Current)
    Current->notify(
        "textDocument/publishDiagnostics",
        json::Object{{"uri", uriOf(File)}, {"diagnostics", std::move(All)}});
}

} // namespace cudagraph::driver
