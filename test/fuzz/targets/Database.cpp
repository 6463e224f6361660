//===- Database.cpp - Compile databases -----------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "driver/database/EntryCommand.h"
#include "driver/database/ShellCommand.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  using namespace cudagraph::driver;
  fuzz::File Database(fuzz::text(Data, Size));
  llvm::Expected<std::vector<DbEntry>> Entries = loadDatabase(Database.path());
  if (!Entries) {
    llvm::consumeError(Entries.takeError());
    return 0;
  }
  for (const DbEntry &Entry : *Entries) {
    Translation Command = translateEntry(Entry);
    (void)languageOfCommand(Command.Args, Entry.File);
    (void)quoteForShell(Command.Args);
  }
  (void)inferCommands(*Entries, "/src/other.cu");
  return 0;
}
