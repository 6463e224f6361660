//===- ForeignArgs.cpp - Compiler options from untrusted origins ----------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ForeignArgs.h"
#include "NvccTable.h"
#include "versions/ClangVersions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"

#ifdef CUDAGRAPH_OLDER_CLANG
// The table names options that this Clang does not have. If clang::options does
// not declare a name, it is found here, and its number matches no option.
namespace cudagraph::driver::newer {
enum : unsigned {
  FirstNumber = 1u << 30,
#define HARMLESS(ID) OPT_##ID,
#define HARMLESS_GROUP(ID) OPT_##ID,
#define BUILD(ID) OPT_##ID,
#define BUILD_GROUP(ID) OPT_##ID,
#include "ForeignArgs.def"
};
} // namespace cudagraph::driver::newer
namespace clang::driver::options {
using namespace cudagraph::driver::newer;
} // namespace clang::driver::options
#endif

using namespace llvm;
using namespace clang;

namespace cudagraph::driver {
namespace {

/// The number of options that a notice names.
constexpr size_t MostNamed = 12;

bool isListed(unsigned Id) {
  switch (Id) {
#define HARMLESS(ID) case options::OPT_##ID:
#include "ForeignArgs.def"
    return true;
  default:
    return false;
  }
}

bool isListedForBuilds(unsigned Id) {
  switch (Id) {
#define BUILD(ID) case options::OPT_##ID:
#include "ForeignArgs.def"
    return true;
  default:
    return false;
  }
}

constexpr unsigned HarmlessGroups[] = {
#define HARMLESS_GROUP(ID) options::OPT_##ID,
#include "ForeignArgs.def"
};
constexpr unsigned BuildGroups[] = {
#define BUILD_GROUP(ID) options::OPT_##ID,
#include "ForeignArgs.def"
};

bool isInGroup(const opt::Option &O, ArrayRef<unsigned> Groups) {
  return any_of(Groups, [&](unsigned Id) { return O.matches(Id); });
}

/// Inputs that Clang reads as source text, not as compiled files.
bool isSourceLanguage(StringRef Language) {
  return is_contained({"none", "c", "c++", "cuda", "hip", "objective-c",
                       "objective-c++", "cl", "c-header", "c++-header",
                       "cpp-output", "c++-cpp-output", "cuda-cpp-output"},
                      Language);
}

bool isHarmless(const opt::Arg &A) {
  const opt::Option &O = A.getOption();
  ArrayRef<const char *> Values = A.getValues();
  switch (O.getID()) {
  case options::OPT_x:
    return isSourceLanguage(A.getValue());
  case options::OPT_offload_arch_EQ:
  case options::OPT_no_offload_arch_EQ:
    return none_of(
        Values, [](StringRef V) { return V.contains_insensitive("native"); });
  }
  if (isListed(O.getID()))
    return true;
  switch (O.getKind()) {
  case opt::Option::FlagClass:
  case opt::Option::JoinedClass:
  case opt::Option::CommaJoinedClass:
    return isInGroup(O, HarmlessGroups);
  default:
    return false;
  }
}

/// One option of a command line with its arguments.
struct Parsed {
  std::unique_ptr<opt::Arg> Option; ///< null if its value is missing
  size_t Length = 1;
};

/// Parses command lines as Clang does, one option at a time.
class Arguments {
public:
  Arguments(ArrayRef<std::string> Given, options::ClangVisibility As)
      : Words(pointers(Given)), List(Words.begin(), Words.end()), As(As) {}

  Parsed next(size_t At) {
    unsigned Index = At;
    Parsed Result;
    Result.Option = getDriverOptTable().ParseOneArg(
        List, Index, opt::Visibility(static_cast<unsigned>(As)));
    Result.Length =
        std::max<size_t>(std::min<size_t>(Index, Words.size()), At + 1) - At;
    return Result;
  }

private:
  static SmallVector<const char *> pointers(ArrayRef<std::string> Given) {
    SmallVector<const char *> Result;
    for (const std::string &Each : Given)
      Result.push_back(Each.c_str());
    return Result;
  }

  SmallVector<const char *> Words;
  opt::InputArgList List;
  options::ClangVisibility As;
};

/// The name of \p A as it was spelled, without its value.
std::string nameOf(const opt::Arg &A) {
  const opt::Option &O =
      A.getAlias() ? A.getAlias()->getOption() : A.getOption();
  return O.isValid() ? O.getPrefixedName().str() : "";
}

class Filter {
public:
  Filter(ArrayRef<std::string> Args, StringRef Input)
      : Args(Args), Input(Input) {}

  ForeignArgs run() {
    Arguments Driver(Args, options::ClangOption);
    size_t At = 0;
    while (At < Args.size() && Args[At] != "--") {
      // Some build options are not Clang options.
      if (size_t Length = buildOptionLength(Args.drop_front(At))) {
        At += Length;
        continue;
      }
      Parsed P = Driver.next(At);
      ArrayRef<std::string> Words = Args.slice(At, P.Length);
      At += P.Length;
      if (P.Option && !Words.front().empty())
        option(*P.Option, Words);
    }
    ofCc1();
    // Arguments after `--` are files.
    if (At < Args.size() && !Input.empty() &&
        is_contained(Args.drop_front(At + 1), Input))
      keep({"--", Input.str()});
    return std::move(Result);
  }

private:
  void keep(ArrayRef<std::string> Words) { append_range(Result.Args, Words); }

  void holdBack(const Twine &Name) {
    std::string Text = Name.str();
    if (!is_contained(Result.HeldBack, Text))
      Result.HeldBack.push_back(std::move(Text));
  }

  void option(const opt::Arg &A, ArrayRef<std::string> Words) {
    const opt::Option &O = A.getOption();
    switch (O.getID()) {
    case options::OPT_INPUT:
      if (!Input.empty() && Words.front() == Input)
        keep(Words);
      return;
    case options::OPT_UNKNOWN:
      return holdBack(Words.front());
    case options::OPT_Xclang:
      Cc1.push_back(A.getValue());
      return;
    case options::OPT_Xarch_host:
    case options::OPT_Xarch_device:
    case options::OPT_Xarch__:
      return wrapped(A, Words);
    }
    if (isHarmless(A))
      keep(Words);
    else if (!isListedForBuilds(O.getID()) && !isInGroup(O, BuildGroups))
      holdBack(nameOf(A));
  }

  /// `-Xarch_host -DX`: the option for some of the compilations.
  void wrapped(const opt::Arg &A, ArrayRef<std::string> Words) {
    ArrayRef<std::string> Inner = Words.take_back();
    if (buildOptionLength(Inner))
      return;
    Arguments Driver(Inner, options::ClangOption);
    Parsed P = Driver.next(0);
    if (!P.Option)
      return;
    const opt::Option &O = P.Option->getOption();
    if (isHarmless(*P.Option))
      keep(Words);
    else if (!isListedForBuilds(O.getID()) && !isInGroup(O, BuildGroups))
      holdBack(nameOf(A) + " " + nameOf(*P.Option));
  }

  /// The values of all -Xclang options form one command line.
  void ofCc1() {
    Arguments Options(Cc1, options::CC1Option);
    for (size_t At = 0; At < Cc1.size();) {
      Parsed P = Options.next(At);
      ArrayRef<std::string> Words = ArrayRef(Cc1).slice(At, P.Length);
      At += P.Length;
      if (!P.Option)
        continue;
      const opt::Option &O = P.Option->getOption();
      if (isHarmless(*P.Option)) {
        for (const std::string &Word : Words)
          keep({"-Xclang", Word});
      } else if (!isListedForBuilds(O.getID()) && !isInGroup(O, BuildGroups)) {
        holdBack("-Xclang " + (O.getKind() == opt::Option::UnknownClass ||
                                       O.getKind() == opt::Option::InputClass
                                   ? Words.front()
                                   : nameOf(*P.Option)));
      }
    }
  }

  ArrayRef<std::string> Args;
  StringRef Input;
  std::vector<std::string> Cc1;
  ForeignArgs Result;
};

/// True for options that name or request a file or directory to write.
bool isOutput(const opt::Option &O) {
  switch (O.getID()) {
  case options::OPT_o:
  case options::OPT_save_temps_EQ:
  case options::OPT_save_stats_EQ:
  case options::OPT__serialize_diags:
  case options::OPT_gen_cdb_fragment_path:
  case options::OPT_gen_reproducer_eq:
  case options::OPT_fproc_stat_report:
  case options::OPT_fproc_stat_report_EQ:
  case options::OPT_dependency_file:
  case options::OPT_dependency_dot:
  case options::OPT_module_dependency_dir:
  case options::OPT_dumpdir:
  case options::OPT_fmodule_output:
  case options::OPT_fmodule_output_EQ:
    return true;
  default:
    return O.matches(options::OPT_M_Group);
  }
}

} // namespace

ForeignArgs keepHarmless(ArrayRef<std::string> Args, StringRef Input) {
  return Filter(Args, Input).run();
}

std::vector<std::string> withoutOutputs(ArrayRef<std::string> Command) {
  if (Command.empty())
    return {};
  std::vector<std::string> Result = {Command.front()};
  ArrayRef<std::string> Args = Command.drop_front();
  Arguments Driver(Args, options::ClangOption);
  for (size_t At = 0; At < Args.size();) {
    if (Args[At] == "--") {
      append_range(Result, Args.drop_front(At));
      break;
    }
    Parsed P = Driver.next(At);
    if (!P.Option || !isOutput(P.Option->getOption()))
      append_range(Result, Args.slice(At, P.Length));
    At += P.Length;
  }
  return Result;
}

void HeldBackOptions::add(ArrayRef<std::string> Names) {
  if (Names.empty())
    return;
  ++Units;
  Options.insert(Names.begin(), Names.end());
}

std::string HeldBackOptions::notice(StringRef Origin, bool OfUnits) const {
  if (Options.empty())
    return "";
  bool One = Options.size() == 1;
  std::string Result = std::to_string(Options.size()) +
                       (One ? " option of " : " options of ") + Origin.str() +
                       (One ? " is" : " are") + " not passed on: ";
  auto Last = std::next(Options.begin(), std::min(Options.size(), MostNamed));
  Result += join(Options.begin(), Last, ", ");
  if (Options.size() > MostNamed)
    Result += ", and " + std::to_string(Options.size() - MostNamed) + " more";
  if (OfUnits)
    Result += " (" + std::to_string(Units) +
              (Units == 1 ? " translation unit)" : " translation units)");
  return Result + "; to pass one on, use --extra-arg=<option>";
}

} // namespace cudagraph::driver
