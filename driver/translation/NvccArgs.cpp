//===- NvccArgs.cpp - Translates a build's command to Clang ---------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NvccArgs.h"
#include "Compiler.h"
#include "NvccTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

class Translator {
public:
  Translator(FileReader ReadFile) : Files(ReadFile) {}

  Translation run(ArrayRef<std::string> CommandLine) {
    CommandLine = skipLaunchers(CommandLine);
    if (CommandLine.empty())
      return std::move(Out);
    StringRef Compiler = CommandLine.front();
    CommandLine = CommandLine.drop_front();
    Nvcc = isNvcc(Compiler);
    if (Nvcc) {
      Out.Nvcc = Compiler.str();
      Out.Args.push_back("clang++");
      // The Kokkos script compiles everything as CUDA.
      if (sys::path::filename(Compiler).contains("wrapper") &&
          !hasLanguage(CommandLine)) {
        add("-x");
        add("cuda");
      }
    } else {
      hostCompiler(Compiler);
    }
    translate(CommandLine);
    return std::move(Out);
  }

private:
  ResponseFiles Files;
  Translation Out;
  bool Nvcc = false;
  std::vector<std::string> Pending; ///< of -Xcompiler

  void note(const Twine &Text) {
    std::string Note = Text.str();
    if (!is_contained(Out.Notes, Note))
      Out.Notes.push_back(std::move(Note));
  }

  void add(const Twine &Arg) {
    std::string Text = Arg.str();
    // Add each --offload-arch and each -D only once, even if a gencode is
    // repeated.
    if ((StringRef(Text).starts_with("--offload-arch=") ||
         StringRef(Text).starts_with("-D__CUDACC_")) &&
        is_contained(Out.Args, Text))
      return;
    Out.Args.push_back(std::move(Text));
  }

  void addInput(const Twine &File) {
    Out.Inputs.push_back(Out.Args.size());
    Out.Args.push_back(File.str());
  }

  static bool hasLanguage(ArrayRef<std::string> Args) {
    return any_of(Args, [](StringRef A) {
      return A.starts_with("-x") || A.starts_with("--x");
    });
  }

  void translate(ArrayRef<std::string> Args) {
    while (!Args.empty()) {
      StringRef Arg = Args.front();
      NvccMatch M;
      if (Nvcc && Arg.size() > 1 && Arg.starts_with("-") && Arg != "--")
        M = findNvccOption(Arg);
      if (!M.Option || M.Option->Does != Action::HostOptions)
        flushHostOptions();
      if (Arg.size() > 1 && Arg.starts_with("@")) {
        optionsFile(Arg.drop_front());
        Args = Args.drop_front();
        continue;
      }
      if (Arg == "--") {
        add(Arg);
        for (StringRef File : Args.drop_front())
          addInput(File);
        return;
      }
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
      if (M.Option->Does != Action::HostOptions) {
        apply(*M.Option, Value);
        continue;
      }
      // The value of an option may be in a separate -Xcompiler.
      append_range(Pending, splitHostOptions(Value));
    }
    flushHostOptions();
  }

  void flushHostOptions() {
    std::vector<std::string> Options = std::exchange(Pending, {});
    for (ArrayRef<std::string> Rest = Options; !Rest.empty();)
      hostOption(Rest);
  }

  void apply(const NvccOption &O, StringRef Value) {
    switch (O.Does) {
    case Action::Drop:
      return;
    case Action::Rename:
      return add(O.Clang + Value);
    case Action::RenameEach:
      for (const std::string &Each : splitList(Value))
        add(O.Clang + Each);
      return;
    case Action::SeparateEach:
      for (const std::string &Each : splitList(Value)) {
        add(O.Clang);
        add(Each);
      }
      return;
    case Action::Define:
      if (Value != "false")
        add(O.Clang);
      return;
    case Action::OptionsFile:
      return optionsFile(Value);
    case Action::HostOptions:
      return; // see translate()
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

  void optionsFile(StringRef Paths) {
    SmallVector<StringRef> Names;
    Paths.split(Names, ',', -1, /*KeepEmpty=*/false);
    for (StringRef Name : Names)
      if (Error E = Files.expand(Name, [&](std::vector<std::string> Args) {
            translate(Args);
            return Error::success();
          }))
        note("cannot read the option file '" + Name +
             "'; its options are ignored: " + toString(std::move(E)));
  }

  /// `sm_80`, `compute_80,sm_80`, `arch=compute_80,code=[compute_80,sm_80]`.
  /// __CUDA_ARCH_LIST__ depends on arch=.
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
        note("architecture '" + Name + "' depends on the machine: using sm_75");
        Known = "sm_75";
      } else if (StringRef(Known).drop_front(3) != Number) {
        note("architecture '" + Name + "' is unknown to Clang: using " + Known);
      }
      add("--offload-arch=" + Known);
    }
  }

  /// Adds Clang's name for \p Compiler, so that the command can be run
  /// manually.
  void hostCompiler(StringRef Compiler) {
    ClangName Name = clangName(Compiler);
    add(Name.Program);
    if (!Name.Target.empty())
      add("--target=" + Name.Target);
    if (sys::path::filename(Compiler).starts_with("mpi"))
      note("the options that '" + Compiler +
           "' adds are unknown: MPI's headers may be missing; "
           "add their directory with --extra-arg=-isystemDIR");
  }

  /// -Wp,-D_FORTIFY_SOURCE=2 defines a macro; -Wp,-MD,file.d is for the build.
  void preprocessorOptions(ArrayRef<std::string> Options) {
    while (!Options.empty())
      // An option for the build, or one that would bypass this table.
      if (StringRef Option = Options.front(); !Option.starts_with("-") ||
                                              Option.starts_with("-Wp,") ||
                                              Option == "-Xpreprocessor")
        Options = Options.drop_front();
      else
        hostOption(Options);
  }

  /// Processes the option at the front of \p Args, with its value, as an option
  /// of the host compiler.
  void hostOption(ArrayRef<std::string> &Args) {
    ArrayRef<std::string> Given = Args;
    StringRef Arg = Args.front();
    Args = Args.drop_front();
    if (Arg.size() < 2 || !Arg.starts_with("-"))
      return addInput(Arg);
    if (Arg.consume_front("-Wp,"))
      return preprocessorOptions(splitHostOptions(Arg));
    if (Arg == "-Xpreprocessor") {
      // The value of an option has a separate -Xpreprocessor.
      std::vector<std::string> Options;
      for (Args = Given; Args.size() > 1 && Args.front() == "-Xpreprocessor";
           Args = Args.drop_front(2))
        Options.push_back(Args[1]);
      if (Options.empty()) // the value is missing
        Args = Given.drop_front();
      return preprocessorOptions(Options);
    }
    for (StringRef Prefix : {"--offload-arch=", "--cuda-gpu-arch="})
      if (StringRef Value = Arg; Value.consume_front(Prefix))
        return Value.starts_with("gfx") ? add(Arg) : architectures(Value);
    if (size_t Length = buildOptionLength(Given)) {
      Args = Given.drop_front(Length);
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

Translation translateCommand(ArrayRef<std::string> CommandLine,
                             FileReader ReadFile) {
  return Translator(ReadFile).run(CommandLine);
}

} // namespace cudagraph::driver
