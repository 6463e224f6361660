//===- SummaryFields.h - Fields of a function in a summary ------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes of a function are two archives: its tables and its body. The tables
// contain the keys of the functions that it mentions and the sites of its
// spans; in the body, functions and spans are indices into these tables. See
// Archive.h. SummaryFormat.cpp writes and reads them, and SummaryCheck.cpp
// checks them.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_IR_SUMMARYFIELDS_H
#define CUDAGRAPH_ANALYSIS_IR_SUMMARYFIELDS_H

#include "LocationFields.h"
#include "Summary.h"

namespace cudagraph {

template <> inline constexpr auto LastEnumerator<ExprKind> = ExprKind::Temp;
template <> inline constexpr auto LastEnumerator<OpKind> = OpKind::Unparsed;
template <> inline constexpr auto LastEnumerator<Dispatch> = Dispatch::Kernel;
template <> inline constexpr auto LastEnumerator<EdgeKind> = EdgeKind::Case;
template <>
inline constexpr auto LastEnumerator<SkippedBranch::Reason> =
    SkippedBranch::False;
template <>
inline constexpr auto LastEnumerator<Registration::Kind> =
    Registration::ExternC;

/// Fields of a flow graph. Refs maps functions and spans to their written form.
template <typename Archive, typename Refs> class GraphFields {
public:
  GraphFields(Archive &Ar, Refs &R) : Ar(Ar), R(R) {}

  void info(FunctionInfo &F) {
    Ar.text(F.Name);
    Ar.text(F.Signature);
    Ar.text(F.Class);
    Ar.text(F.LastParam);
    Ar.text(F.UnsafeReason);
    Ar.list(F.Bases, [&](std::string &Base) { Ar.text(Base); });
    R.span(Ar, F.Where, false);
    Ar.num(F.Written);
    Ar.num(F.HeaderVersion);
    flags(F.HasBody, F.IsSystem, F.IsKernel, F.IsDevice, F.IsConstructor,
          F.IsDestructor, F.IsStatic, F.IsLambda, F.ReturnsHandle, F.NoReturn,
          F.ReturnsFlag, F.CaptureRegion, F.CaptureSafe, F.Allowed, F.Unsafe,
          F.RegionScope, F.IsConstexpr, F.PerThread, F.SeedsGenerator);
  }

  void graph(FlowGraph &G) {
    Ar.list(G.Exprs, [&](Expr &E) { expr(E); });
    Ar.list(G.Blocks, [&](Block &B) { block(B); });
    Ar.num(G.Exit);
    Ar.num(G.NumParams);
    Ar.num(G.NumCalls);
    Ar.list(G.Vars, [&](LocalVar &V) {
      Ar.text(V.Name);
      flags(V.IsStream, V.IsStatic, V.OwnsDevice, V.ReadOnly, V.OwnsElements,
            V.SharesObject, V.IsNumber);
      R.span(Ar, V.Constant, false);
    });
    R.span(Ar, G.TrailingEnd, false);
    Ar.list(G.Handlers, [&](std::vector<FunctionId> &Calls) {
      Ar.list(Calls, [&](FunctionId &F) { R.function(Ar, F); });
    });
    if constexpr (Archive::Reading) {
      G.LiveResults.resize(Ar.count());
      for (size_t I = 0; I < G.LiveResults.size(); ++I) {
        bool Live = false;
        flags(Live);
        G.LiveResults[I] = Live;
      }
    } else {
      Ar.raw(G.LiveResults.size());
      for (bool Live : G.LiveResults)
        Ar.raw(Live);
    }
  }

private:
  Archive &Ar;
  Refs &R;

  template <typename... T> void flags(T &...Each) { Ar.flags(Each...); }

  void expr(Expr &E) {
    Ar.num(E.Kind);
    bool Callable = E.Kind == ExprKind::Function || E.Kind == ExprKind::Closure;
    bool Plain = E.A == None && E.B == None && E.C == None && E.S.empty();
    bool Single = !Plain && !Callable && E.B == None && E.C == None &&
                  E.S.empty() && !E.N;
    flags(Plain, Single);
    if (Single)
      return Ar.id(E.A);
    if (!Plain) {
      Ar.id(E.A);
      Ar.id(E.B);
      Ar.id(E.C);
      Ar.text(E.S);
    }
    if (!Callable)
      return Ar.num(E.N);
    auto F = static_cast<FunctionId>(E.N);
    R.function(Ar, F);
    if (Archive::Reading)
      E.N = F;
  }

  void arg(CallArg &A) {
    Ar.id(A.Value);
    R.span(Ar, A.Range, true);
    flags(A.IsStream, A.Written, A.Stored, A.Whole, A.Edges);
    Ar.num(A.Thrust);
    Ar.num(A.Sort);
  }

  void op(Op &O) {
    Ar.num(O.Kind);
    bool IsCall = O.Kind == OpKind::Call;
    flags(O.Allowed, O.Once, O.Implicit, O.ConstValue, O.IsLambda, O.Discarded,
          O.AnyGrid);
    Ar.id(O.Place);
    Ar.id(O.Value);
    R.span(Ar, O.Range, false);
    if (O.Kind == OpKind::MarkerBegin) {
      Ar.num(O.Marker);
      Ar.text(O.Text);
    }
    if (!IsCall)
      return;
    Ar.num(O.How);
    if (O.How == Dispatch::Indirect)
      Ar.text(O.Text);
    R.function(Ar, O.Callee);
    Ar.id(O.CalleeValue);
    Ar.id(O.Object);
    Ar.id(O.ResultIndex);
    Ar.id(O.OnceOf);
    Ar.num(O.Try);
    Ar.list(O.Args, [&](CallArg &A) { arg(A); });
    Ar.list(O.Config, [&](CallArg &A) { arg(A); });
    Ar.list(O.Pointers, [&](CallArg &A) { arg(A); });
    R.span(Ar, O.ObjectRange, true);
    R.span(Ar, O.Name, true);
    R.span(Ar, O.CloseParen, false);
  }

  void block(Block &B) {
    Ar.list(B.Ops, [&](Op &O) { op(O); });
    Ar.id(B.Cond);
    R.span(Ar, B.CondRange, false);
    R.span(Ar, B.Throw, false);
    R.span(Ar, B.Jump, false);
    Ar.list(B.Succs, [&](Edge &E) {
      Ar.num(E.To);
      Ar.num(E.When);
      Ar.num(E.Case);
      flags(E.Failure);
    });
    flags(B.NeverReturns, B.EarlyExit, B.EarlyReturn, B.Partial);
  }
};

/// Maps the written form of functions and spans back to numbers.
struct ReadRefs {
  std::vector<FunctionId> Functions;
  unsigned FirstSite = 0;
  size_t SiteCount = 0;
  bool Bad = false;

  void function(ArchiveReader &Ar, FunctionId &F) {
    uint64_t N = Ar.raw();
    Bad |= N > Functions.size();
    F = N && !Bad ? Functions[N - 1] : None;
  }
  void span(ArchiveReader &Ar, Span &S, bool) {
    uint64_t N = Ar.raw();
    Bad |= N > SiteCount;
    S.Begin = N && !Bad ? FirstSite + N - 1 : 0;
  }
};

template <typename A> void fields(A &Ar, Site &S) {
  fields(Ar, S.Loc);
  Ar.text(S.Text);
  Ar.flags(S.InMacro);
}

/// Describes everything in a unit except its functions; without \p Linked, the
/// data that refers to functions is also excluded.
template <typename A> void fields(A &Ar, UnitSummary &U, bool Linked = true) {
  Ar.text(U.Id);
  Ar.text(U.MainFile);
  Ar.text(U.Directory);
  Ar.text(U.Failure);
  Ar.num(U.Errors);
  auto Text = [&](std::string &S) { Ar.text(S); };
  Ar.list(U.FirstErrors, Text);
  Ar.list(U.ErrorKinds, [&](ErrorKind &Kind) {
    Ar.text(Kind.First);
    Ar.num(Kind.Count);
  });
  Ar.list(U.Command, Text);
  if (Linked) {
    Ar.list(U.Order, [&](unsigned &N) { Ar.num(N); });
    Ar.list(U.Overrides, [&](auto &Pair) {
      Ar.num(Pair.first);
      Ar.num(Pair.second);
    });
  }
  Ar.list(U.Nolint, [&](NolintLines &F) {
    Ar.text(F.File);
    Ar.list(F.Lines, [&](auto &Line) {
      Ar.num(Line.first);
      Ar.text(Line.second);
    });
  });
  Ar.list(U.Skipped, [&](SkippedBranch &Branch) {
    Ar.text(Branch.File);
    Ar.num(Branch.Line);
    Ar.num(Branch.EndLine);
    Ar.text(Branch.Condition);
    Ar.flags(Branch.Otherwise);
    Ar.num(Branch.Why);
    Ar.text(Branch.Macro);
    Ar.list(Branch.Names, [&](SkippedBranch::Calls &Each) {
      Ar.text(Each.Name);
      Ar.num(Each.Count);
      Ar.flags(Each.Qualified);
    });
  });
  Ar.list(U.ReadFiles, Text);
  if (!Linked)
    return;
  Ar.list(U.Registrations, [&](Registration &R) {
    Ar.num(R.How);
    Ar.text(R.Library);
    Ar.text(R.Name);
    Ar.text(R.Schema);
    Ar.text(R.DispatchKey);
    Ar.num(R.Function);
    Ar.flags(R.HasTensors, R.ReachesDevice);
    fields(Ar, R.At);
  });
}

/// Splits the \p Bytes of a function; returns false if they are truncated.
inline bool splitFunction(llvm::StringRef Bytes, llvm::StringRef &Tables,
                          llvm::StringRef &Body) {
  std::optional<uint64_t> Length = takeNumber(Bytes);
  if (!Length || *Length > Bytes.size())
    return false;
  Tables = Bytes.take_front(*Length);
  Body = Bytes.drop_front(*Length);
  return true;
}

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_IR_SUMMARYFIELDS_H
