//===- NvccArgs.cpp - A build's command line in Clang's words -------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NvccArgs.h"
#include "clang/Basic/OffloadArch.h"
#include "clang/Options/Options.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

enum class Arity { None, Bool, Value, Letter };
enum class HostArity { Exact, Prefix, Next };
enum class Action {
  Drop,
  Rename,
  Separate,
  Define,
  OptionsFile,
  HostOptions,
  Language,
  DefaultStream,
  Architecture,
};

struct NvccOption {
  StringRef Long, Short;
  Arity Takes;
  Action Does;
  const char *Clang;
};
struct HostOption {
  StringRef Spelling;
  HostArity Takes;
};

constexpr NvccOption NvccOptions[] = {
#define NVCC(LONG, SHORT, ARITY, ACTION, CLANG)                                \
  {LONG, SHORT, Arity::ARITY, Action::ACTION, CLANG},
#include "NvccArgs.def"
};
constexpr HostOption HostOptions[] = {
#define HOST(SPELLING, ARITY) {SPELLING, HostArity::ARITY},
#include "NvccArgs.def"
};

/// An option of nvcc, recognised, with its value if that is in the same
/// argument.
struct Match {
  const NvccOption *Option = nullptr;
  std::optional<StringRef> Joined;
};

Match findNvccOption(StringRef Arg) {
  for (const NvccOption &O : NvccOptions) {
    for (StringRef Spelling : {O.Long, O.Short}) {
      if (!Arg.starts_with(Spelling))
        continue;
      StringRef Rest = Arg.drop_front(Spelling.size());
      if (Rest.empty())
        return {&O, std::nullopt};
      if (O.Takes != Arity::None && Rest.consume_front("="))
        return {&O, Rest};
    }
  }
  // Joined values last: -odir is not -o, -lineinfo is not -l.
  for (const NvccOption &O : NvccOptions)
    if (O.Takes == Arity::Letter && Arg.starts_with(O.Short))
      return {&O, Arg.drop_front(O.Short.size())};
  return {};
}

/// Splits the value of -Xcompiler at commas outside double quotes and takes
/// away the quotes that build systems leave in: ''-fPIC''.
std::vector<std::string> splitHostOptions(StringRef Value) {
  std::vector<std::string> Result(1);
  bool Quoted = false;
  for (size_t I = 0; I < Value.size(); ++I) {
    char C = Value[I];
    if (C == '\\' && I + 1 < Value.size() &&
        StringRef("\\,\"").contains(Value[I + 1]))
      Result.back() += Value[++I];
    else if (C == '"')
      Quoted = !Quoted;
    else if (C == '\'')
      continue;
    else if ((C == ',' || isSpace(C)) && !Quoted)
      Result.emplace_back();
    else
      Result.back() += C;
  }
  llvm::erase(Result, std::string());
  return Result;
}

/// True if Clang's own option table knows \p Arg, so that its driver will not
/// refuse it. \p TakesNext says whether a value follows.
bool clangKnows(StringRef Arg, bool &TakesNext) {
  std::string Text = Arg.str();
  // A second argument, so that an option with a separate value parses.
  const char *Argv[] = {Text.c_str(), "value"};
  opt::InputArgList Args(Argv, Argv + 2);
  unsigned Index = 0;
  std::unique_ptr<opt::Arg> Parsed = clang::getDriverOptTable().ParseOneArg(
      Args, Index, opt::Visibility(clang::options::ClangOption));
  TakesNext = Index == 2;
  return Parsed && Parsed->getOption().getKind() != opt::Option::UnknownClass &&
         !Parsed->getOption().hasFlag(clang::options::Unsupported);
}

bool isLauncher(StringRef Program) {
  StringRef Stem = sys::path::stem(Program);
  return is_contained({"ccache", "sccache", "distcc", "icecc", "gomacc",
                       "buildcache", "env", "nice", "time"},
                      Stem);
}

class Translator {
public:
  Translator(FileReader ReadFile) : ReadFile(ReadFile) {}

  Translation run(ArrayRef<std::string> CommandLine) {
    CommandLine = skipLaunchers(CommandLine);
    if (CommandLine.empty())
      return std::move(Out);
    StringRef Compiler = CommandLine.front();
    if (sys::path::filename(Compiler).contains("nvcc")) {
      Out.Nvcc = Compiler.str();
      Out.Args.push_back("clang++");
      translate(CommandLine.drop_front(), /*Depth=*/0);
    } else {
      hostCompiler(Compiler);
      for (CommandLine = CommandLine.drop_front(); !CommandLine.empty();) {
        if (CommandLine.front() == "--") {
          append_range(Out.Args, CommandLine);
          break;
        }
        hostOption(CommandLine);
      }
    }
    return std::move(Out);
  }

private:
  FileReader ReadFile;
  Translation Out;

  void note(const Twine &Text) {
    std::string Note = Text.str();
    if (!is_contained(Out.Notes, Note))
      Out.Notes.push_back(std::move(Note));
  }

  void add(const Twine &Arg) {
    std::string Text = Arg.str();
    // One --offload-arch, one -D: repeated gencodes say nothing new.
    if ((StringRef(Text).starts_with("--offload-arch=") ||
         StringRef(Text).starts_with("-D__CUDACC_")) &&
        is_contained(Out.Args, Text))
      return;
    Out.Args.push_back(std::move(Text));
  }

  static ArrayRef<std::string> skipLaunchers(ArrayRef<std::string> Command) {
    while (Command.size() > 1 && isLauncher(Command.front())) {
      Command = Command.drop_front();
      // `env A=b`, `nice -n 5`: what precedes the compiler.
      while (Command.size() > 1 &&
             (StringRef(Command.front()).contains('=') ||
              StringRef(Command.front()).starts_with("-") ||
              isDigit(Command.front().front())))
        Command = Command.drop_front();
    }
    return Command;
  }

  void translate(ArrayRef<std::string> Args, unsigned Depth) {
    while (!Args.empty()) {
      StringRef Arg = Args.front();
      if (Arg.starts_with("@")) {
        optionsFile(Arg.drop_front(), Depth);
        Args = Args.drop_front();
        continue;
      }
      if (Arg == "--") {
        append_range(Out.Args, Args);
        return;
      }
      Match M = Arg.size() > 1 && Arg.starts_with("-") ? findNvccOption(Arg)
                                                       : Match();
      if (!M.Option) {
        hostOption(Args);
        continue;
      }
      Args = Args.drop_front();
      std::string Value = M.Joined.value_or("").str();
      bool Wants =
          M.Option->Takes == Arity::Value || M.Option->Takes == Arity::Letter;
      bool TakesBool = M.Option->Takes == Arity::Bool && !Args.empty() &&
                       (Args.front() == "true" || Args.front() == "false");
      if (!M.Joined && (Wants || TakesBool)) {
        if (Args.empty()) {
          note(Arg + " has no value: ignored");
          return;
        }
        Value = Args.front();
        Args = Args.drop_front();
      }
      apply(*M.Option, Value, Depth);
    }
  }

  void apply(const NvccOption &O, StringRef Value, unsigned Depth) {
    switch (O.Does) {
    case Action::Drop:
      return;
    case Action::Rename:
      return add(O.Clang + Value);
    case Action::Separate:
      add(O.Clang);
      return add(Value);
    case Action::Define:
      if (Value != "false")
        add(O.Clang);
      return;
    case Action::OptionsFile:
      return optionsFile(Value, Depth);
    case Action::HostOptions: {
      std::vector<std::string> Split = splitHostOptions(Value);
      for (ArrayRef<std::string> Rest = Split; !Rest.empty();)
        hostOption(Rest);
      return;
    }
    case Action::Language:
      add("-x");
      return add(Value == "cu" ? "cuda" : Value);
    case Action::DefaultStream:
      // -fgpu-default-stream=per-thread would not define it for CUDA.
      if (Value == "per-thread")
        add("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
      return;
    case Action::Architecture:
      return architectures(Value);
    }
  }

  void optionsFile(StringRef Paths, unsigned Depth) {
    SmallVector<StringRef> Files;
    Paths.split(Files, ',', -1, /*KeepEmpty=*/false);
    for (StringRef Path : Files) {
      std::optional<std::string> Text;
      if (Depth < 16)
        Text = ReadFile(Path);
      if (!Text) {
        note("cannot read the options file '" + Path +
             "': what it says is not known");
        continue;
      }
      BumpPtrAllocator Memory;
      StringSaver Saver(Memory);
      SmallVector<const char *> Words;
      cl::TokenizeGNUCommandLine(*Text, Saver, Words);
      std::vector<std::string> Args(Words.begin(), Words.end());
      translate(Args, Depth + 1);
    }
  }

  /// `sm_80`, `compute_80,sm_80`, `arch=compute_80,code=[compute_80,sm_80]`.
  /// __CUDA_ARCH_LIST__ follows arch=, so that decides.
  void architectures(StringRef Value) {
    size_t Start = Value.find("arch=");
    if (Start != StringRef::npos) {
      Value = Value.drop_front(Start + strlen("arch="));
      Value = Value.take_until([](char C) { return C == ','; });
    }
    SmallVector<StringRef> Names;
    Value.split(Names, ',', -1, /*KeepEmpty=*/false);
    for (StringRef Name : Names) {
      Name = Name.trim("[]\"' ");
      std::string Known = clangArchitecture(Name);
      StringRef Number = Name.substr(Name.find('_') + 1);
      if (Known.empty()) {
        note("architecture '" + Name + "' depends on the machine: sm_75 used");
        Known = "sm_75";
      } else if (StringRef(Known).drop_front(3) != Number) {
        note("architecture '" + Name + "' is not known to Clang: " + Known +
             " used");
      }
      add("--offload-arch=" + Known);
    }
  }

  /// Adds Clang's name for \p Compiler: `g++-12` is clang++, and so the command
  /// can be run by hand; `aarch64-linux-gnu-g++` names a target.
  void hostCompiler(StringRef Compiler) {
    StringRef Name = sys::path::filename(Compiler);
    Name = Name.rtrim("0123456789.").rtrim('-');
    for (auto [Gcc, Clang] :
         {std::pair("g++", "clang++"), {"c++", "clang++"}, {"gcc", "clang"}}) {
      StringRef Target = Name;
      if (!Target.consume_back(Gcc) ||
          !(Target.empty() || Target.consume_back("-")))
        continue;
      add(Clang);
      if (!Target.empty())
        add("--target=" + Target);
      return;
    }
    add(Name == "cc" ? "clang" : Compiler);
  }

  /// Handles the option at the front of \p Args, with its value, as one of the
  /// host compiler.
  void hostOption(ArrayRef<std::string> &Args) {
    StringRef Arg = Args.front();
    Args = Args.drop_front();
    if (Arg.size() < 2 || !Arg.starts_with("-"))
      return add(Arg); // an input
    for (const HostOption &O : HostOptions) {
      if (O.Takes == HostArity::Prefix ? Arg.starts_with(O.Spelling)
                                       : Arg == O.Spelling) {
        if (O.Takes == HostArity::Next && !Args.empty())
          Args = Args.drop_front();
        return;
      }
      // -MFfile and -ofile
      if (O.Takes == HostArity::Next && Arg.starts_with(O.Spelling) &&
          (O.Spelling == "-o" || O.Spelling.starts_with("-M")))
        return;
    }
    bool TakesNext = false;
    if (!clangKnows(Arg, TakesNext))
      return note("unknown option '" + Arg + "': ignored");
    add(Arg);
    if (TakesNext && !Args.empty()) {
      add(Args.front());
      Args = Args.drop_front();
    }
  }
};

} // namespace

std::string clangArchitecture(StringRef Arch) {
  size_t Underscore = Arch.find('_');
  StringRef Number =
      Underscore == StringRef::npos ? Arch : Arch.drop_front(Underscore + 1);
  std::string Exact = ("sm_" + Number).str();
  if (clang::IsNVIDIAOffloadArch(clang::StringToOffloadArch(Exact)))
    return Exact;
  // A suffix (a: this chip only, f: this family) that Clang has not heard of,
  // or a newer chip.
  unsigned Wanted = 0;
  if (Number.consumeInteger(10, Wanted))
    return "";
  for (; Wanted >= 50; --Wanted) {
    std::string Older = "sm_" + std::to_string(Wanted);
    if (clang::IsNVIDIAOffloadArch(clang::StringToOffloadArch(Older)))
      return Older;
  }
  return "sm_52";
}

Translation translateCommand(ArrayRef<std::string> CommandLine,
                             FileReader ReadFile) {
  return Translator(ReadFile).run(CommandLine);
}

} // namespace cudagraph::driver
