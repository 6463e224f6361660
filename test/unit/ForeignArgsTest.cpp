//===- ForeignArgsTest.cpp - Compiler options from untrusted origins ------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks Clang's whole table of options, with each spelling, as in a compile
// database, and shows that nothing is written, loaded, or run.
//
//===----------------------------------------------------------------------===//

#include "driver/translation/ForeignArgs.h"
#include "driver/database/EntryCommand.h"
#include "driver/units/Frontend.h"
#include "driver/units/WorkerPool.h"
#include "versions/ClangVersions.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <set>

using namespace cudagraph::driver;
using namespace llvm;

namespace {

using Words = std::vector<std::string>;

Words words(StringRef Text) {
  SmallVector<StringRef> Parts;
  Text.split(Parts, ' ', -1, /*KeepEmpty=*/false);
  return Words(Parts.begin(), Parts.end());
}

std::string kept(StringRef Args) {
  return join(keepHarmless(words(Args), "a.cu").Args, " ");
}

std::string heldBack(StringRef Args) {
  return join(keepHarmless(words(Args), "a.cu").HeldBack, ", ");
}

TEST(ForeignArgs, WhatChangesTheParseStays) {
  for (const char *Same :
       {"-DA=1 -UB -I inc -Iinc -isystem /s -iquote q -idirafter d a.cu",
        "-include p.h -imacros m.h -std=c++20 -x cuda a.cu",
        "-O2 -g -fPIC -pthread -march=native -mavx2 -m64 -fopenmp a.cu",
        "-fno-exceptions -fno-rtti -fvisibility=hidden -fsanitize=address a.cu",
        "--target=aarch64-linux-gnu --sysroot=/s --gcc-toolchain=/g a.cu",
        "-nostdinc -nostdinc++ -stdlib=libc++ -resource-dir /r a.cu",
        "--cuda-path=/c --cuda-host-only --offload-arch=sm_90 -nocudalib a.cu",
        "-DA -Xclang -fwchar-type=short -- a.cu",
        "-Xarch_host -DA -Xarch_device -O1 a.cu"})
    EXPECT_EQ(kept(Same), Same);
}

TEST(ForeignArgs, WhatWritesLoadsOrRunsIsHeldBackAndNamed) {
  EXPECT_EQ(kept("-fplugin=p.so -DA a.cu"), "-DA a.cu");
  EXPECT_EQ(heldBack("-fplugin=p.so -fpass-plugin=p.so -DA a.cu"),
            "-fplugin=, -fpass-plugin=");
  EXPECT_EQ(kept("-fplugin=p.so -fplugin-arg-p-x -specs=s a.cu"), "a.cu");
  EXPECT_EQ(kept("-Xclang -load -DA -Xclang p.so a.cu"), "-DA a.cu");
  EXPECT_EQ(heldBack("-Xclang -load -DA -Xclang p.so a.cu"), "-Xclang -load");
  EXPECT_EQ(heldBack("-Xarch_host -fplugin=p.so a.cu"),
            "-Xarch_host -fplugin=");
  EXPECT_EQ(heldBack("-ivfsoverlay o.yaml --config=c.cfg -ftime-trace a.cu"),
            "-ivfsoverlay, --config=, -ftime-trace");
  EXPECT_EQ(kept("-x ir -x ast --offload-arch=native a.cu"), "a.cu");
  EXPECT_EQ(heldBack("-cc1 a.cu"), "-cc1");
  // The option would hide errors.
  EXPECT_EQ(heldBack("-Xclang -verify a.cu"), "-Xclang -verify");
}

TEST(ForeignArgs, WhatOnlyABuildNeedsIsLeftOutWithoutAWord) {
  const char *Args =
      "-c -o a.o -MD -MF a.d -MJ a.json -Wall -lm -L/l -fuse-ld=x "
      "-gsplit-dwarf -B/b -save-temps a.cu";
  EXPECT_EQ(kept(Args), "a.cu");
  EXPECT_EQ(heldBack(Args), "");
}

TEST(ForeignArgs, ValuesAreNoOptions) {
  EXPECT_EQ(kept("-D -fplugin=p.so a.cu"), "-D -fplugin=p.so a.cu");
  EXPECT_EQ(kept("-o -fplugin=p.so a.cu"), "a.cu");
  EXPECT_EQ(kept("-mllvm -DA b.cu a.cu -I"), "a.cu");
}

TEST(ForeignArgs, TheNoticeIsOneLine) {
  HeldBackOptions All;
  EXPECT_EQ(All.notice("x"), "");
  All.add({});
  All.add({"-fplugin="});
  EXPECT_EQ(All.notice("the compile database"),
            "1 option of the compile database is not passed on: -fplugin= (1 "
            "translation unit); to pass one on, use --extra-arg=<option>");
  All.add({"-fplugin=", "-Xclang -load"});
  EXPECT_EQ(All.notice("a file", /*OfUnits=*/false),
            "2 options of a file are not passed on: -Xclang -load, -fplugin=; "
            "to pass one on, use --extra-arg=<option>");
}

TEST(ForeignArgs, TheUsersOwnOptionsLoseTheirOutputs) {
  EXPECT_EQ(join(withoutOutputs(words("clang++ -DA -o a.o -MJ a.json -MD "
                                      "-MFa.d -fplugin=p.so -- -o")),
                 " "),
            "clang++ -DA -fplugin=p.so -- -o");
}

/// A directory with all inputs that Clang could be made to read.
class Walk : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("walk", Root));
    ASSERT_FALSE(sys::fs::create_directory(path("bin")));
    make("a.cpp", "int x;\n");
    std::string Script = "#!/bin/sh\n: > " + path("ran") + "\n";
    for (const char *Name :
         {"run", "bin/nvptx-arch", "bin/amdgpu-arch", "bin/offload-arch",
          "bin/gcc", "bin/ld", "bin/as", "bin/clang", "bin/clang++"}) {
      make(Name, Script);
      ASSERT_FALSE(sys::fs::setPermissions(path(Name), sys::fs::all_all));
    }
    set("HOME", path("home"));
    set("TMPDIR", Root.str().str());
    set("XDG_CACHE_HOME", path("cache"));
    set("PATH", path("bin"));
    set("COMPILER_PATH", path("bin"));
    set("CUDAGRAPH_TEST_LOADED", path("loaded"));
  }

  void TearDown() override {
    for (const auto &[Name, Value] : Before)
      Value ? setenv(Name.c_str(), Value->c_str(), 1) : unsetenv(Name.c_str());
    (void)sys::fs::remove_directories(Root);
  }

  std::string path(StringRef Name) { return (Root + "/" + Name).str(); }

  void make(StringRef Name, StringRef Text) {
    std::error_code EC;
    raw_fd_ostream(path(Name), EC) << Text;
  }

  void set(const std::string &Name, const std::string &Value) {
    const char *Old = getenv(Name.c_str());
    Before[Name] = Old ? std::optional<std::string>(Old) : std::nullopt;
    setenv(Name.c_str(), Value.c_str(), 1);
  }

  std::set<std::string> files() {
    std::set<std::string> Result;
    std::error_code EC;
    for (sys::fs::recursive_directory_iterator I(Root, EC), End;
         I != End && !EC; I.increment(EC)) {
      uint64_t Size = 0;
      (void)sys::fs::file_size(I->path(), Size);
      Result.insert(I->path() + " " + std::to_string(Size));
    }
    return Result;
  }

  /// The result of a database's command with \p Args.
  Words translated(StringRef Program, const Words &Args) {
    DbEntry Entry{
        path("a.cpp"), Root.str().str(), {Program.str()}, EntryKind::Source};
    llvm::append_range(Entry.Args, Args);
    llvm::append_range(Entry.Args, words("-c"));
    Entry.Args.push_back(path("a.cpp"));
    return translateEntry(Entry).Args;
  }

  /// The spellings of option \p Id with \p Value.
  static std::vector<Words> spellings(unsigned Id, const std::string &Value) {
    const opt::OptTable &Table = clang::getDriverOptTable();
    opt::Option O = Table.getOption(Id);
    std::string Name = Table.getOptionPrefixedName(Id).str();
    Words Several(1 + std::max(1u, O.getNumArgs()), Value);
    Several.front() = Name;
    switch (O.getKind()) {
    case opt::Option::GroupClass:
    case opt::Option::InputClass:
    case opt::Option::UnknownClass:
      return {};
    case opt::Option::FlagClass:
      return {{Name}};
    case opt::Option::JoinedClass:
    case opt::Option::CommaJoinedClass:
      return {{Name + Value}};
    case opt::Option::JoinedAndSeparateClass:
      return {{Name + Value, Value}};
    case opt::Option::JoinedOrSeparateClass:
      return {{Name + Value}, {Name, Value}};
    default:
      return {Several};
    }
  }

  /// The ways to pass \p Option to a compiler, by program.
  static std::vector<std::pair<const char *, Words>>
  wrappings(const Words &Option) {
    auto Each = [&](const char *Wrapper) {
      Words Result;
      for (const std::string &Word : Option)
        Result.insert(Result.end(), {Wrapper, Word});
      return Result;
    };
    return {{"clang++", Option},
            {"nvcc", Option},
            {"clang++", Each("-Xclang")},
            {"clang++", Each("-Xpreprocessor")},
            {"clang++", Each("-Xarch_host")},
            {"clang++", Each("-Xarch_x86_64")},
            {"clang++", {"-Wp," + join(Option, ",")}},
            {"nvcc", Each("-Xcompiler")},
            {"nvcc", {"-Xcompiler=" + join(Option, ",")}}};
  }

  /// Runs \p Commands in groups of \p AtOnce, with one process per group.
  /// Returns the commands of the processes that crashed.
  std::vector<Words> runSome(const std::vector<Words> &Commands,
                             size_t AtOnce) {
    std::vector<Words> Crashed;
    PoolLimits Limits;
    Limits.Jobs = 2;
    Limits.TimeoutSeconds = 120;
    auto Of = [&](size_t Task) {
      ArrayRef<Words> All(Commands);
      return All.drop_front(Task * AtOnce).take_front(AtOnce);
    };
    runTasks((Commands.size() + AtOnce - 1) / AtOnce, Limits,
             [&](size_t Task) {
               for (Words Args : Of(Task)) {
                 Args.insert(find(Args, "--"), {"-fsyntax-only", "-w"});
                 (void)parseUnit(Args, Root.str().str(), "", "");
               }
               return std::string();
             },
             [&](size_t Task, TaskResult Got) {
               if (!Got.Bytes)
                 llvm::append_range(Crashed, Of(Task));
             },
             [] {});
    return Crashed;
  }

  /// Runs each of \p Commands. Clang may crash on one of them. The unit is then
  /// incomplete, and the later commands still run.
  void runAll(const std::set<Words> &Commands) {
    (void)runSome(runSome({Commands.begin(), Commands.end()}, 40), 1);
  }

  SmallString<128> Root;
  std::map<std::string, std::optional<std::string>> Before;
};

TEST_F(Walk, SeesWhatItLooksFor) {
  std::set<std::string> Start = files();
  Words Args = {"clang++", "-fsyntax-only", "-MJ", path("written"),
                path("a.cpp")};
  auto Files =
      llvm::makeIntrusiveRefCnt<clang::FileManager>(clang::FileSystemOptions());
  clang::tooling::ToolInvocation(
      Args, std::make_unique<clang::SyntaxOnlyAction>(), Files.get())
      .run();
  EXPECT_EQ(files().size(), Start.size() + 1);
  EXPECT_FALSE(sys::DynamicLibrary::getPermanentLibrary(CUDAGRAPH_TEST_MARKER)
                   .getOSSpecificHandle() == nullptr);
  EXPECT_EQ(files().size(), Start.size() + 2);
  sys::ExecuteAndWait(path("bin/nvptx-arch"), {path("bin/nvptx-arch")});
  EXPECT_EQ(files().size(), Start.size() + 3);
}

TEST_F(Walk, NoOptionOfADatabaseWritesLoadsOrRunsAnything) {
  std::set<std::string> Start = files();
  std::set<Words> Commands = {translated("clang++", {}),
                              translated("nvcc", {})};
  const std::set<Words> Plain = Commands;
  unsigned Options = 0;
  for (unsigned Id = 1, Last = clang::getDriverOptTable().getNumOptions();
       Id <= Last; ++Id) {
    bool Passed = true;
    for (const std::string &Value :
         {path("written"), path("run"), std::string(CUDAGRAPH_TEST_MARKER)}) {
      // Other values of an option that is omitted need no test.
      if (!Passed)
        break;
      Passed = false;
      for (const Words &Option : spellings(Id, Value))
        for (const auto &[Program, Args] : wrappings(Option)) {
          Words Command = translated(Program, Args);
          Passed |= !Plain.count(Command);
          Commands.insert(std::move(Command));
          ++Options;
        }
    }
  }
  EXPECT_GT(Options, 20000u);
  EXPECT_GT(Commands.size(), 500u);
  runAll(Commands);
  EXPECT_EQ(files(), Start);
}

TEST_F(Walk, TheUsersOwnOptionsLeaveNothingBeside) {
  std::set<std::string> Start = files();
  std::set<Words> Commands;
  for (unsigned Id = 1, Last = clang::getDriverOptTable().getNumOptions();
       Id <= Last; ++Id)
    for (const Words &Option : spellings(Id, path("written")))
      for (size_t Wrapped : {0, 2}) {
        Words Command = {"clang++"};
        llvm::append_range(Command, wrappings(Option)[Wrapped].second);
        Command.push_back(path("a.cpp"));
        // Other options are harmless in any file.
        if (!keepHarmless(ArrayRef(Command).drop_front()).HeldBack.empty())
          Commands.insert(withoutOutputs(Command));
      }
  runAll(Commands);
  EXPECT_EQ(files(), Start);
}

} // namespace
