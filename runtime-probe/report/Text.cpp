//===- Text.cpp - The text report -----------------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Text.h"
#include "Stacks.h"
#include "catalogue/Printable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace cudagraph::probe {
namespace {

constexpr size_t MaxCaptures = 3;

std::string count(size_t Number, StringRef What) {
  return (Twine(Number) + " " + What + (Number == 1 ? "" : "s")).str();
}

std::string place(StringRef File, unsigned Line, unsigned Column) {
  std::string Text = File.str();
  if (Line)
    Text += ":" + std::to_string(Line);
  if (Line && Column)
    Text += ":" + std::to_string(Column);
  return printable(Text);
}

bool isAt(const Frame &F, const std::optional<Location> &L) {
  return L && F.File == L->File && F.Line == L->Line && F.Column == L->Column &&
         F.Function == L->Function;
}

class Writer {
public:
  Writer(raw_ostream &Out, const Report &R, bool Verbose)
      : Out(Out), R(R), Verbose(Verbose) {}

  void finding(const Finding &F) {
    Out << where(F.At.Where, module(F)) << spelling(F.Level) << ": "
        << shown(F.Message);
    if (F.Times > 1)
      Out << ", " << count(F.Times, "time");
    Out << " [" << printable(F.Kind) << "]\n";
    if (isRemark(F) && !Verbose)
      return;
    if (!F.Operator.empty())
      Out << "note: in PyTorch's operator '" << printable(F.Operator) << "'\n";
    frames(F.At);
    changes(F);
    for (const Related &O : F.Others)
      Out << where(O.At.Where) << "note: " << shown(O.Message) << "\n";
    for (const Consequence &C : F.Consequences) {
      Out << where(C.Where) << "note: cascading error: '" << printable(C.Api)
          << "' returned ";
      std::string Name = errorName(C.Code);
      Out << (Name.empty() ? "error " + std::to_string(C.Code)
                           : Name + " (" + std::to_string(C.Code) + ")");
      if (C.Times > 1)
        Out << ", " << count(C.Times, "time");
      Out << "\n";
    }
    begins(F);
    if (!F.Remedy.empty())
      Out << "note: remedy: " << printable(F.Remedy) << " ("
          << printable(F.RemedySource) << ")\n";
  }

  void closing() {
    std::map<StringRef, size_t> Kinds;
    std::vector<StringRef> Order;
    size_t Findings = 0, Remarks = 0;
    for (const Finding &F : R.Findings) {
      ++(isRemark(F) ? Remarks : Findings);
      if (!isRemark(F) && !Kinds[F.Kind]++)
        Order.push_back(F.Kind);
    }
    Out << (Findings ? count(Findings, "finding") : "no findings") << " in "
        << count(R.Captures.size(), "capture");
    if (!Order.empty())
      Out << ": ";
    interleaveComma(Order, Out, [&](StringRef Kind) {
      Out << Kinds[Kind] << " " << printable(Kind);
    });
    if (Remarks)
      Out << (Order.empty() ? ", " : "; ") << count(Remarks, "remark");
    if (Order.empty()) {
      Out << "\n";
      return;
    }
    size_t Processes = R.Processes.size();
    Out << ". " << Processes << (Processes == 1 ? " process" : " processes")
        << ".\n";
  }

private:
  raw_ostream &Out;
  const Report &R;
  bool Verbose;

  std::string shown(StringRef Text) const {
    return printable(Verbose ? Text.str() : shortened(Text));
  }

  static StringRef module(const Finding &F) {
    for (const Frame &Each : F.At.Frames)
      if (isUserFrame(Each))
        return sys::path::filename(Each.Module);
    return "";
  }

  /// The beginning of a line; without a file, the module or nothing.
  static std::string where(const std::optional<Location> &L,
                           StringRef Module = "") {
    if (L && !L->File.empty())
      return place(L->File, L->Line, L->Column) + ": ";
    return Module.empty() ? "" : printable(Module) + ": ";
  }

  void hidden(std::vector<StringRef> &Modules) {
    if (Modules.empty())
      return;
    size_t Number = Modules.size();
    SmallVector<StringRef, 4> Names;
    for (StringRef Module : Modules)
      if (StringRef Name = sys::path::filename(Module);
          !Name.empty() && !is_contained(Names, Name))
        Names.push_back(Name);
    Out << "note: ... " << count(Number, "frame") << " in "
        << (Names.empty() ? "code without a file"
                          : printable(join(Names, ", ")))
        << "\n";
    Modules.clear();
  }

  /// The user's frames, and the number of other frames between them. Frames
  /// outside the outermost user frame are not useful.
  void frames(const Stack &S) {
    std::vector<StringRef> Others;
    bool Any = any_of(S.Frames, isUserFrame);
    bool First = true, In = true;
    for (const Frame &F : S.Frames) {
      // Frames inside the location belong to CUDA.
      First &= !isAt(F, S.Where);
      if (First || !isUserFrame(F)) {
        Others.push_back(F.Module);
        continue;
      }
      hidden(Others);
      std::string Name = F.Function.empty() ? "??" : F.Function;
      std::string Start = F.File.empty()
                              ? printable(sys::path::filename(F.Module))
                              : place(F.File, F.Line, F.Column);
      Out << Start << ": note: " << (In ? "in '" : "called from '")
          << shown(Name) << "'" << (F.Inlined ? " (inlined)" : "") << "\n";
      In = false;
    }
    if (!Any)
      hidden(Others);
    std::vector<StringRef> Libraries;
    for (const PythonFrame &F : S.Python) {
      if (isLibraryFrame(F)) {
        Libraries.push_back(F.File);
        continue;
      }
      skipped(Libraries);
      Out << place(F.File, F.Line, 0) << ": note: Python: in '"
          << printable(F.Function) << "'\n";
    }
    skipped(Libraries);
  }

  void skipped(std::vector<StringRef> &Libraries) {
    if (!Libraries.empty())
      Out << "note: ... " << count(Libraries.size(), "Python frame")
          << " of PyTorch\n";
    Libraries.clear();
  }

  void changes(const Finding &F) {
    for (const Change &C : F.Changes) {
      Out << where(F.At.Where) << "note: node " << C.Node;
      if (!C.Type.empty())
        Out << ", " << printable(C.Type);
      if (!C.Function.empty())
        Out << " '" << printable(C.Function) << "'";
      Out << ": " << printable(C.What) << ": "
          << printable(join(C.Values, C.What == "topology" ? "; " : ", "))
          << "\n";
    }
  }

  /// Prints where the captures of \p F began, except those that began at the
  /// location of the finding.
  void begins(const Finding &F) {
    std::vector<std::optional<Location>> Shown = {F.At.Where};
    size_t Left = MaxCaptures;
    for (unsigned Id : F.Captures) {
      if (Id == 0 || Id > R.Captures.size())
        continue;
      const Capture &C = R.Captures[Id - 1];
      if (!C.Begin.Where || is_contained(Shown, C.Begin.Where))
        continue;
      if (Left-- == 0)
        break;
      Shown.push_back(C.Begin.Where);
      Out << where(C.Begin.Where) << "note: the capture began here";
      if (C.Begin.Where->File.empty())
        Out << ": in '" << printable(C.Begin.Where->Function) << "'";
      Out << "\n";
    }
  }
};

} // namespace

std::string shortened(StringRef Text) {
  // Text that is shorter than this is more informative than dots.
  constexpr size_t LongArguments = 24, LongParameters = 80;
  std::string Result;
  for (size_t I = 0; I < Text.size(); ++I) {
    char Open = Text[I], Close = Open == '<' ? '>' : ')';
    size_t Most = Open == '<' ? LongArguments : LongParameters;
    bool Names =
        I && (isAlnum(Text[I - 1]) || Text[I - 1] == '_' || Text[I - 1] == '>');
    size_t End = I;
    if ((Open == '<' || Open == '(') && Names) {
      size_t Depth = 0;
      for (size_t At = I; At < Text.size(); ++At) {
        bool Arrow = At && Text[At] == '>' && Text[At - 1] == '-';
        Depth += Text[At] == Open;
        Depth -= Text[At] == Close && !Arrow;
        if (!Depth) {
          End = At;
          break;
        }
      }
    }
    if (End - I > Most) {
      Result += Open;
      Result += "...";
      Result += Close;
      I = End;
    } else {
      Result += Open;
    }
  }
  return Result;
}

void writeText(raw_ostream &Out, const Report &R, bool Quiet, bool Verbose) {
  for (const std::string &Problem : R.Problems)
    Out << "cudagraph-probe: warning: " << printable(Problem) << "\n";
  Writer W(Out, R, Verbose);
  for (const Finding &F : R.Findings)
    W.finding(F);
  for (const Watched &Call : Quiet ? std::vector<Watched>() : R.Watches) {
    if (Call.At.Where && !Call.At.Where->File.empty())
      Out << place(Call.At.Where->File, Call.At.Where->Line,
                   Call.At.Where->Column)
          << ": ";
    Out << "note: '" << printable(Call.Api) << "' during "
        << count(Call.Captures.size(), "capture") << ", "
        << count(Call.Times, "time") << "\n";
  }
  if (!Quiet)
    W.closing();
}

} // namespace cudagraph::probe
