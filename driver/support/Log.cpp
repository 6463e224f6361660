//===- Log.cpp - Notices and progress -------------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Log.h"
#include "catalogue/Printable.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

/// The interval between progress lines.
constexpr std::chrono::milliseconds OnTerminal(100), Elsewhere(5000);

std::string timeLeft(double Seconds) {
  auto Whole = static_cast<uint64_t>(Seconds + 0.5);
  if (Whole >= 3600)
    return std::to_string(Whole / 3600) + " h " +
           std::to_string(Whole / 60 % 60) + " min";
  if (Whole >= 60)
    return std::to_string(Whole / 60) + " min " + std::to_string(Whole % 60) +
           " s";
  return std::to_string(Whole) + " s";
}

} // namespace

void Log::notice(const Twine &Text) {
  if (!Quiet && Said.insert(Text.str()).second)
    line("cudagraph-tidy: " + Text);
}

void Log::line(const Twine &Text) {
  clear();
  Out << printable(Text.str()) << "\n";
}

void Log::startProgress(size_t FromCache, ArrayRef<double> Last,
                        unsigned Jobs) {
  Total = FromCache + Last.size();
  Known = FromCache;
  Done = 0;
  Rest = TimeLeft(Last, Jobs);
  Newest.clear();
  Start = Shown = Clock::now();
}

static double secondsSince(std::chrono::steady_clock::time_point Start) {
  std::chrono::duration<double> Passed =
      std::chrono::steady_clock::now() - Start;
  return Passed.count();
}

void Log::unitDone(const std::string &File, double Last) {
  ++Done;
  Rest.unitDone(Last, secondsSince(Start));
  Newest = File;
  shorten(Newest);
}

void Log::tick() {
  size_t ToDo = Total - Known;
  if (Quiet || ToDo < 2 || Done == ToDo)
    return;
  bool Terminal = Out.is_displayed();
  Clock::time_point Now = Clock::now();
  if (Now - Shown < (Terminal ? OnTerminal : Elsewhere))
    return;
  Shown = Now;
  std::string Text = "[" + std::to_string(Known + Done) + "/" +
                     std::to_string(Total) + "] translation units";
  if (Known)
    Text += ", " + std::to_string(Known) + " unchanged";
  if (std::optional<double> Seconds = Rest.at(secondsSince(Start)))
    Text += ", about " + timeLeft(*Seconds) + " left";
  if (!Newest.empty())
    Text += "; read " + printable(Newest);
  if (!Terminal) {
    Out << "cudagraph-tidy: " << Text << "\n";
    return;
  }
  size_t Columns = sys::Process::StandardErrColumns();
  if (Columns > 1 && Text.size() >= Columns)
    Text.resize(Columns - 1);
  Out << '\r' << Text;
  if (Text.size() < Width)
    Out.indent(Width - Text.size());
  Out.flush();
  Width = Text.size();
}

void Log::clear() {
  if (!Width)
    return;
  Out << '\r';
  Out.indent(Width) << '\r';
  Width = 0;
}

void Log::shorten(std::string &Path) {
  static const std::string Here = [] {
    SmallString<256> Result;
    if (sys::fs::current_path(Result))
      return std::string();
    return Result == "/" ? "/" : (Result + "/").str();
  }();
  if (!Here.empty() && StringRef(Path).starts_with(Here))
    Path.erase(0, Here.size());
}

} // namespace cudagraph::driver
