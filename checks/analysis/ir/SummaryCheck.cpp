//===- SummaryCheck.cpp - Validates summaries -----------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SummaryCheck.h"
#include "SummaryFields.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using llvm::Twine;

namespace cudagraph {
namespace {

/// Hash tables reserve larger keys.
constexpr FunctionKey LastKey = ~FunctionKey(2);

/// The maximum total length of all texts of a unit, counting each use of a
/// text.
constexpr size_t MaxUnitText = size_t(1) << 30;

/// Checks flow graphs. One object can check many graphs.
class GraphCheck {
public:
  /// Returns true if \p Graph is valid; otherwise why() returns the defect.
  bool check(const FlowGraph &Graph);
  /// The same for the graph of the initializers of global variables: it only
  /// stores functions.
  bool checkInitializers(const FlowGraph &Graph);

  const std::string &why() const { return Why; }

private:
  const FlowGraph *G = nullptr;
  std::string Why;
  std::vector<unsigned> Depth, Size; ///< by expression

  bool fail(const Twine &Message) {
    Why = Message.str();
    return false;
  }
  bool expressions();
  bool operands(unsigned Index);
  bool number(unsigned Index);
  bool block(unsigned Index);
  bool op(const Op &O, const Twine &Where);
  bool call(const Op &O, const Twine &Where);
  bool isExpr(ExprId E) const { return E < G->Exprs.size(); }
  bool isExprOrNone(ExprId E) const { return E == None || isExpr(E); }
};

/// The operands A, B, and C that an expression has.
enum Operands : uint8_t { No = 0, A = 1, AB = 3, ABC = 7, MaybeB = 8 };

Operands operandsOf(ExprKind K) {
  switch (K) {
  case ExprKind::Unknown:
  case ExprKind::Int:
  case ExprKind::This:
  case ExprKind::Function:
  case ExprKind::Result:
  case ExprKind::Var:
  case ExprKind::Global:
  case ExprKind::Temp:
    return No;
  case ExprKind::Load:
  case ExprKind::AddrOf:
  case ExprKind::Closure:
  case ExprKind::Deref:
  case ExprKind::Field:
    return A;
  case ExprKind::Op:
    return static_cast<Operands>(A | MaybeB);
  case ExprKind::Elem:
  case ExprKind::PtrElem:
    return AB;
  case ExprKind::Select:
    return ABC;
  }
  return No;
}

/// Checks that operands precede the expressions that use them, so that there
/// are no cycles, and that trees are as small as those that lowering creates.
bool GraphCheck::operands(unsigned Index) {
  const Expr &E = G->Exprs[Index];
  Operands Wanted = operandsOf(E.Kind);
  uint64_t Nodes = 1;
  unsigned Deepest = 0, Bit = 1;
  for (ExprId Part : {E.A, E.B, E.C}) {
    bool Optional = Bit == 2 && (Wanted & MaybeB);
    if (Part == None ? (Wanted & Bit) != 0 : !(Wanted & Bit) && !Optional)
      return fail("expression " + Twine(Index) + " has the wrong operands");
    Bit <<= 1;
    if (Part == None)
      continue;
    if (Part >= Index)
      return fail("expression " + Twine(Index) + " refers to expression " +
                  Twine(Part) + ", which does not come before it");
    Nodes += Size[Part];
    Deepest = std::max(Deepest, Depth[Part]);
  }
  if (Deepest >= MaxExprDepth || Nodes > MaxExprSize)
    return fail("expression " + Twine(Index) + " is too large");
  Depth.push_back(Deepest + 1);
  Size.push_back(Nodes);
  return true;
}

bool GraphCheck::number(unsigned Index) {
  const Expr &E = G->Exprs[Index];
  auto Below = [&](size_t Bound) {
    return E.N >= 0 && static_cast<uint64_t>(E.N) < Bound;
  };
  switch (E.Kind) {
  case ExprKind::Function:
    return Below(None) ||
           fail("expression " + Twine(Index) + " is a function without a name");
  case ExprKind::Result:
    return Below(G->NumCalls) ||
           fail("expression " + Twine(Index) + " is the result of call " +
                Twine(E.N) + " of " + Twine(G->NumCalls));
  case ExprKind::Var:
    return Below(G->Vars.size()) ||
           fail("expression " + Twine(Index) + " is variable " + Twine(E.N) +
                " of " + Twine(G->Vars.size()));
  default:
    return true;
  }
}

bool GraphCheck::expressions() {
  Depth.clear();
  Size.clear();
  for (unsigned I = 0; I < G->Exprs.size(); ++I)
    if (!operands(I) || !number(I))
      return false;
  return true;
}

bool GraphCheck::call(const Op &O, const Twine &Where) {
  if (!isExprOrNone(O.CalleeValue) || !isExprOrNone(O.Object) ||
      !isExprOrNone(O.OnceOf))
    return fail(Where + " refers to an expression that does not exist");
  if (O.ResultIndex != None && O.ResultIndex >= G->NumCalls)
    return fail(Where + " is call " + Twine(O.ResultIndex) + " of " +
                Twine(G->NumCalls));
  if (O.Try > G->Handlers.size())
    return fail(Where + " is in try block " + Twine(O.Try) + " of " +
                Twine(G->Handlers.size()));
  bool Named = O.How == Dispatch::Direct || O.How == Dispatch::Virtual;
  if (Named && O.Callee == None)
    return fail(Where + " calls no function");
  if (O.How == Dispatch::Indirect && O.CalleeValue == None)
    return fail(Where + " calls no value");
  for (const std::vector<CallArg> *List : {&O.Args, &O.Config, &O.Pointers})
    for (const CallArg &Arg : *List)
      if (!isExpr(Arg.Value) || Arg.Sort > CallArg::Braces ||
          Arg.Thrust >= CallArg::OnDevice << 1)
        return fail(Where + " has an impossible argument");
  return true;
}

bool GraphCheck::op(const Op &O, const Twine &Where) {
  if (!isExprOrNone(O.Place) || !isExprOrNone(O.Value))
    return fail(Where + " refers to an expression that does not exist");
  bool Sound = true;
  switch (O.Kind) {
  case OpKind::Assign:
  case OpKind::Modify:
    Sound = O.Place != None && O.Value != None;
    break;
  case OpKind::EndLife:
    Sound = O.Place != None && (G->Exprs[O.Place].Kind == ExprKind::Var ||
                                G->Exprs[O.Place].Kind == ExprKind::Temp ||
                                G->Exprs[O.Place].Kind == ExprKind::Field);
    break;
  case OpKind::Clear:
    Sound = O.Place != None;
    break;
  case OpKind::Free:
    Sound = O.Value != None;
    break;
  case OpKind::Call:
    return call(O, Where);
  case OpKind::Return:
  case OpKind::MarkerBegin:
  case OpKind::MarkerEnd:
  case OpKind::Unparsed:
    break;
  }
  return Sound || fail(Where + " lacks an operand");
}

bool GraphCheck::block(unsigned Index) {
  const Block &B = G->Blocks[Index];
  if (!isExprOrNone(B.Cond))
    return fail("the condition of block " + Twine(Index) + " does not exist");
  for (const Edge &E : B.Succs)
    if (E.To >= G->Blocks.size())
      return fail("block " + Twine(Index) + " leads to block " + Twine(E.To) +
                  " of " + Twine(G->Blocks.size()));
  for (unsigned I = 0; I < B.Ops.size(); ++I)
    if (!op(B.Ops[I], "operation " + Twine(I) + " of block " + Twine(Index)))
      return false;
  return true;
}

bool GraphCheck::check(const FlowGraph &Graph) {
  G = &Graph;
  if (G->Blocks.empty() || G->Exit >= G->Blocks.size())
    return fail("there is no exit");
  if (G->NumParams > G->Vars.size())
    return fail("there are more parameters than variables");
  if (G->LiveResults.size() != G->NumCalls)
    return fail("there are " + Twine(G->NumCalls) + " calls and " +
                Twine(G->LiveResults.size()) + " results");
  if (!expressions())
    return false;
  for (unsigned I = 0; I < G->Blocks.size(); ++I)
    if (!block(I))
      return false;
  return true;
}

bool GraphCheck::checkInitializers(const FlowGraph &Graph) {
  if (!check(Graph))
    return false;
  for (const Op &O : Graph.Blocks.front().Ops)
    if (O.Kind != OpKind::Assign ||
        (Graph.Exprs[O.Value].Kind != ExprKind::Function &&
         Graph.Exprs[O.Value].Kind != ExprKind::Int))
      return fail("an initializer is neither a function nor a number");
  return true;
}

/// Reads like ArchiveReader, without copying text.
class ArchiveScanner : public ArchiveReader {
public:
  using ArchiveReader::ArchiveReader;
  void text(std::string &) { (void)textHere(); }
};

class UnitCheck {
public:
  UnitCheck(UnitSummary &Unit, CheckedFunctions *Checked)
      : Unit(Unit), Checked(Checked) {}

  /// Returns the defect, or an empty string.
  std::string run();

private:
  UnitSummary &Unit;
  CheckedFunctions *Checked;
  size_t TextLength = 0;
  GraphCheck Graphs;
  // Reused to avoid allocations.
  FlowGraph Graph;
  ReadRefs Refs;

  bool isKnown(FunctionKey Key) const {
    auto It = llvm::lower_bound(
        Unit.Functions, Key,
        [](const SummaryEntry &E, FunctionKey K) { return E.Key < K; });
    return It != Unit.Functions.end() && It->Key == Key;
  }
  std::string function(SummaryEntry &E);
  std::string read(const SummaryEntry &E, CheckedFunctions::Function &F);
};

std::string UnitCheck::function(SummaryEntry &E) {
  const CheckedFunctions::Function *F = Checked ? Checked->find(E) : nullptr;
  CheckedFunctions::Function New;
  if (!F) {
    if (std::string Fault = read(E, New); !Fault.empty())
      return Fault;
    F = &New;
  }
  for (FunctionKey Key : F->Mentioned)
    if (!isKnown(Key))
      return "refers to a function that is not in the summary";
  if (F->HasGraph != E.HasGraph)
    return F->HasGraph ? "has an unexpected body" : "lacks its body";
  TextLength += F->TextLength;
  if (TextLength > MaxUnitText)
    return "makes the summary too large";
  if (Checked && F == &New)
    F = Checked->add(E, std::move(New));
  if (Checked)
    E.Bytes = F->Bytes;
  return "";
}

/// Reads \p E into \p F. Returns the defect that \p E has regardless of its
/// unit; empty if there is none.
std::string UnitCheck::read(const SummaryEntry &E,
                            CheckedFunctions::Function &F) {
  llvm::StringRef TableBytes, BodyBytes;
  if (E.Bytes.size() > MaxFunctionBytes)
    return "is too large";
  if (!splitFunction(E.Bytes, TableBytes, BodyBytes))
    return "is truncated";
  ArchiveScanner Tables(TableBytes);
  Refs.Functions.assign(Tables.count(), 0);
  F.Mentioned.reserve(Refs.Functions.size());
  for (size_t I = Refs.Functions.size(); I; --I)
    F.Mentioned.push_back(Tables.raw());
  Refs.SiteCount = Tables.count();
  for (size_t I = Refs.SiteCount; I && !Tables.failed(); --I) {
    Site S;
    fields(Tables, S);
  }
  if (Tables.failed() || !Tables.atEnd())
    return "has tables that cannot be read";
  ArchiveScanner Body(BodyBytes);
  GraphFields<ArchiveScanner, ReadRefs> Fields(Body, Refs);
  FunctionInfo Info;
  Fields.info(Info);
  Body.flags(F.HasGraph);
  if (F.HasGraph)
    Fields.graph(Graph);
  if (Body.failed() || !Body.atEnd() || Refs.Bad)
    return "has a body that cannot be read";
  F.TextLength = Tables.textLength() + Body.textLength();
  if (F.HasGraph &&
      !(E.Initializers ? Graphs.checkInitializers(Graph) : Graphs.check(Graph)))
    return "is invalid: " + Graphs.why();
  return "";
}

std::string UnitCheck::run() {
  for (unsigned I = 0; I < Unit.Functions.size(); ++I) {
    const SummaryEntry &E = Unit.Functions[I];
    if (E.Key > LastKey || (I && Unit.Functions[I - 1].Key >= E.Key))
      return ("function " + Twine(I) + " is out of order").str();
    if (E.Initializers && !E.HasGraph)
      return ("function " + Twine(I) + " lacks its body").str();
  }
  for (unsigned I = 0; I < Unit.Functions.size(); ++I)
    if (std::string Fault = function(Unit.Functions[I]); !Fault.empty())
      return ("function " + Twine(I) + " " + Fault).str();
  for (unsigned I : Unit.Order)
    if (I >= Unit.Functions.size())
      return ("function " + Twine(I) + " does not exist").str();
  for (const auto &[Base, Over] : Unit.Overrides)
    if (Base > LastKey || Over > LastKey)
      return "an overridden function has no name";
  for (const Registration &R : Unit.Registrations)
    if (R.Function != None && !isKnown(R.Function))
      return "the registration of '" + R.Name +
             "' refers to a function that is not in the summary";
  return faultInOutline(Unit);
}

} // namespace

std::string faultIn(const FlowGraph &Graph) {
  GraphCheck Check;
  return Check.check(Graph) ? "" : Check.why();
}

llvm::Error validate(UnitSummary &Unit, CheckedFunctions *Checked) {
  std::string Fault = UnitCheck(Unit, Checked).run();
  if (Fault.empty()) {
    if (Checked)
      Unit.Storage = Checked->storage();
    return llvm::Error::success();
  }
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "is damaged: " + Fault);
}

} // namespace cudagraph
