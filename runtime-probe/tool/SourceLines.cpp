//===- SourceLines.cpp - The addresses of source lines --------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SourceLines.h"
#include "confirm/Match.h"
#include "format/JsonFields.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

using namespace llvm;

namespace cudagraph::probe {
namespace {

/// More locations would slow down the program.
constexpr size_t MostPlaces = 64;

struct Place {
  std::string Module;
  uint64_t Offset = 0;
};

struct Wanted {
  confirm::Position At;
  unsigned Agreement = 0; ///< of the best file so far
  std::vector<Place> Places;
};

class LineFinder {
public:
  explicit LineFinder(ArrayRef<confirm::Position> Lines) {
    for (const confirm::Position &At : Lines)
      All.push_back({At, 0, {}});
  }

  void readProgram(const std::string &Executable) {
    std::vector<std::string> Files = {Executable};
    for (size_t I = 0; I < Files.size() && I < 256; ++I)
      for (std::string &Library : read(Files[I]))
        if (!is_contained(Files, Library))
          Files.push_back(std::move(Library));
  }

  std::vector<Wanted> All;

private:
  confirm::FileTable Files;

  /// Reads the lines of \p Path; returns the libraries that it names.
  std::vector<std::string> read(StringRef Path) {
    SmallString<256> Real;
    if (sys::fs::real_path(Path, Real))
      return {};
    auto Binary = object::ObjectFile::createObjectFile(Real);
    if (!Binary) { // a script
      consumeError(Binary.takeError());
      return {};
    }
    object::ObjectFile &Object = *Binary->getBinary();
    std::unique_ptr<DWARFContext> Context = DWARFContext::create(Object);
    for (const auto &Unit : Context->compile_units())
      if (const auto *Table = Context->getLineTableForUnit(Unit.get()))
        readTable(*Table, Unit->getCompilationDir(), Real.str());
    if (auto *Elf = dyn_cast<object::ELF64LEObjectFile>(&Object))
      return neededBy(*Elf, sys::path::parent_path(Real));
    return {};
  }

  void readTable(const DWARFDebugLine::LineTable &Table, const char *Directory,
                 StringRef Module) {
    std::map<uint64_t, std::vector<Wanted *>> ByFile;
    auto WantedIn = [&](uint64_t Index) -> std::vector<Wanted *> & {
      auto [It, New] = ByFile.try_emplace(Index);
      std::string Name;
      if (New &&
          Table.getFileNameByIndex(
              Index, Directory ? Directory : "",
              DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath, Name))
        for (Wanted &W : All)
          if (sys::path::filename(Name) == sys::path::filename(W.At.File) &&
              better(W, Name))
            It->second.push_back(&W);
      return It->second;
    };
    const DWARFDebugLine::Row *Before = nullptr;
    for (const DWARFDebugLine::Row &Row : Table.Rows) {
      bool Begins = !Before || Before->EndSequence ||
                    Before->Line != Row.Line || Before->File != Row.File;
      Before = &Row;
      if (!Begins || Row.EndSequence || !Row.IsStmt || !Row.Address.Address)
        continue;
      for (Wanted *W : WantedIn(Row.File))
        if (Row.Line >= W->At.Line &&
            Row.Line <= std::max(W->At.Line, W->At.EndLine) &&
            W->Places.size() <= MostPlaces)
          W->Places.push_back({Module.str(), Row.Address.Address});
    }
  }

  /// True if no other file agrees better; a file that agrees less is dropped.
  bool better(Wanted &W, const std::string &Name) {
    unsigned Agreement = Files.agreement(W.At.File, Name);
    if (!Agreement || Agreement < W.Agreement)
      return false;
    if (Agreement > W.Agreement)
      W.Places.clear();
    W.Agreement = Agreement;
    return true;
  }

  /// The libraries outside the system's folders; those inside contain no user
  /// code.
  static std::vector<std::string>
  neededBy(const object::ELF64LEObjectFile &Object, StringRef Origin) {
    std::vector<std::string> Result;
    auto Entries = Object.getELFFile().dynamicEntries();
    if (!Entries) {
      consumeError(Entries.takeError());
      return Result;
    }
    uint64_t Strings = 0;
    for (const auto &E : *Entries)
      if (E.getTag() == ELF::DT_STRTAB)
        Strings = E.getPtr();
    auto Mapped = Object.getELFFile().toMappedAddr(Strings);
    if (!Strings || !Mapped) {
      consumeError(Mapped.takeError());
      return Result;
    }
    const char *Table = reinterpret_cast<const char *>(*Mapped);
    const char *End = reinterpret_cast<const char *>(Object.getELFFile().end());
    auto TextAt = [&](uint64_t Offset) {
      if (Offset >= size_t(End - Table))
        return StringRef();
      return StringRef(Table + Offset,
                       strnlen(Table + Offset, size_t(End - Table) - Offset));
    };
    SmallVector<StringRef, 8> Folders, Names;
    std::string Paths;
    for (const auto &E : *Entries) {
      if (E.getTag() == ELF::DT_NEEDED)
        Names.push_back(TextAt(E.getVal()));
      if (E.getTag() == ELF::DT_RUNPATH || E.getTag() == ELF::DT_RPATH)
        Paths += (TextAt(E.getVal()) + ":").str();
    }
    if (auto Users = sys::Process::GetEnv("LD_LIBRARY_PATH"))
      Paths += *Users;
    StringRef(Paths).split(Folders, ':', -1, /*KeepEmpty=*/false);
    for (StringRef Name : Names)
      for (StringRef Folder : Folders) {
        std::string In = Folder.str();
        for (StringRef Word : {"$ORIGIN", "${ORIGIN}"})
          if (size_t At = In.find(Word.str()); At != std::string::npos)
            In.replace(At, Word.size(), Origin.str());
        SmallString<256> Path(In);
        sys::path::append(Path, Name);
        if (!Name.empty() && sys::fs::exists(Path)) {
          Result.push_back(Path.str().str());
          break;
        }
      }
    return Result;
  }
};

} // namespace

Error writeSourceLines(ArrayRef<confirm::Position> Lines,
                       const std::string &Executable, const std::string &File) {
  LineFinder Found(Lines);
  Found.readProgram(Executable);
  Json List = Json::array();
  for (const Wanted &W : Found.All) {
    Json L = {{"file", W.At.File}, {"line", W.At.Line}};
    Json Places = Json::array();
    if (W.Places.size() > MostPlaces)
      L["problem"] =
          "its code is in more than " + std::to_string(MostPlaces) + " places";
    else
      for (const Place &P : W.Places)
        Places.push_back({P.Module, P.Offset});
    if (W.Places.empty())
      L["problem"] =
          "the program has no code with debug information for that line";
    L["places"] = std::move(Places);
    List.push_back(std::move(L));
  }
  std::error_code EC;
  raw_fd_ostream Out(File, EC);
  if (EC)
    return createStringError(EC, "'" + File + "': " + EC.message());
  Out << List.dump(-1, ' ', false, Json::error_handler_t::replace);
  return Error::success();
}

} // namespace cudagraph::probe
