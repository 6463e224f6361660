//===- ElementTests.cpp - Tests in a form that can be compared ------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ElementTests.h.
//
//===----------------------------------------------------------------------===//

#include "ElementTests.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

namespace cudagraph {

/// Bounds on the alternatives and the expressions of one condition, on the
/// nesting and the text of one expression, and on the calls that are replaced
/// by bodies.
static constexpr unsigned MaxCases = 12, MaxSteps = 200, MaxNesting = 12,
                          MaxText = 1000, MaxCalls = 3;

/// Texts of objects. A field adds its name, so that only texts of parts contain
/// a period.
static constexpr llvm::StringLiteral AnyObject = "*";

bool Cases::hasNothing() const {
  return llvm::any_of(Any, [](const TestSet &T) { return T.empty(); });
}

void Cases::add(const Cases &Other) {
  Complete &= Other.Complete;
  for (const TestSet &T : Other.Any)
    if (llvm::is_contained(Any, T))
      continue;
    else if (Any.size() < MaxCases)
      Any.push_back(T);
    else
      Complete = false;
}

/// Returns \p T without tests that follow from others: what equals a number
/// differs from other numbers.
static TestSet withoutImplied(TestSet T) {
  // The value that a test compares with a number, and the number.
  auto Compared = [](const Test &Each) {
    llvm::StringRef Text = Each.first;
    if (!Text.consume_front("(== ") || !Text.consume_back(")"))
      return std::pair<llvm::StringRef, llvm::StringRef>();
    return Text.rsplit(' ');
  };
  std::map<std::string, std::string> Equal;
  for (const Test &Each : T)
    if (auto [Value, Number] = Compared(Each); Each.second && !Value.empty())
      Equal[Value.str()] = Number;
  std::erase_if(T, [&](const Test &Each) {
    auto [Value, Number] = Compared(Each);
    if (auto It = Equal.find(Value.str()); It != Equal.end())
      return !Each.second && It->second != Number;
    auto Same = Equal.find(Each.first);
    return Each.second && Same != Equal.end() && Same->second != "0";
  });
  return T;
}

void Cases::restrict(const Cases &Other) {
  Cases All;
  All.Complete = Complete && Other.Complete;
  for (const TestSet &A : Any)
    for (const TestSet &B : Other.Any) {
      TestSet Both = A;
      Both.insert(B.begin(), B.end());
      if (llvm::none_of(B, [&](const Test &T) {
            return T.first != AnyObject && A.count({T.first, !T.second});
          }))
        All.add(Cases::of(withoutImplied(std::move(Both))));
    }
  *this = std::move(All);
}

ElementTests::ElementTests(Program &Table, FunctionId F, unsigned Depth)
    : G(*Table.graph(F)), Table(Table), Depth(Depth) {
  auto Set = [&](ExprId Place, ExprId Value) {
    if (Place == None || G.Exprs[Place].Kind != ExprKind::Var)
      return;
    auto [It, New] = Values.try_emplace(G.Exprs[Place].N, Value);
    if (!New)
      It->second = None;
  };
  for (const Block &B : G.Blocks)
    for (const Op &O : B.Ops) {
      if (O.Kind == OpKind::Assign)
        Set(O.Place, O.Value);
      if (O.Kind == OpKind::Modify)
        Set(O.Place, None);
      if (O.Kind != OpKind::Call)
        continue;
      if (O.ResultIndex != None)
        Calls[O.ResultIndex] = &O;
      for (const CallArg &A : O.Args)
        if (A.Written && A.Value != None &&
            G.Exprs[A.Value].Kind == ExprKind::AddrOf)
          Set(G.Exprs[A.Value].A, None);
    }
}

ExprId ElementTests::onlyValueOf(int64_t Var) const {
  auto It = Values.find(Var);
  return It == Values.end() || Var < G.NumParams ? None : It->second;
}

ExprId ElementTests::singleReturn() const {
  ExprId Found = None;
  for (const Block &B : G.Blocks)
    for (const Op &O : B.Ops) {
      if (O.Kind != OpKind::Return)
        continue;
      if (Found != None)
        return None;
      Found = O.Value;
    }
  return Found;
}

FunctionId ElementTests::bodyFor(const Op &O) const {
  if (O.Callee == None || O.How == Dispatch::Indirect || Depth >= MaxCalls ||
      !Table.hasGraph(O.Callee) || Table.blocksIn(O.Callee) > 12 ||
      (O.How == Dispatch::Virtual && !Table.info(O.Callee).Overrides.empty()))
    return None;
  return O.Callee;
}

std::string ElementTests::inCaller(llvm::StringRef Text, const Op &O) const {
  std::string Result;
  while (!Text.empty()) {
    size_t This = Text.find("$this"), Arg = Text.find("$arg");
    size_t At = std::min(This, Arg);
    Result += Text.substr(0, At);
    if (At == llvm::StringRef::npos)
      break;
    Text = Text.substr(At);
    std::string Object;
    if (Text.consume_front("$this")) {
      Object = O.Object == None ? "" : placeOf(O.Object, 0);
    } else {
      unsigned N = 0;
      Text.consume_front("$arg");
      Text.consumeInteger(10, N);
      if (const CallArg *A = O.arg(N); A && A->Value != None)
        Object = textOf(A->Value, 0);
    }
    Result += Object.empty() ? AnyObject.str() : Object;
    if (Result.size() > MaxText)
      return AnyObject.str();
  }
  return Result;
}

TestSet ElementTests::inCaller(const TestSet &T, const Op &O) const {
  TestSet Result;
  for (const Test &Each : T)
    Result.insert({inCaller(Each.first, O), Each.second});
  return Result;
}

TestSet ElementTests::ofAnyObject(const TestSet &T, bool KeepThis) {
  TestSet Result;
  for (const Test &Each : T) {
    std::string Text;
    llvm::StringRef Rest = Each.first;
    while (!Rest.empty()) {
      size_t At = Rest.find(KeepThis ? "$arg" : "$");
      Text += Rest.substr(0, At);
      if (At == llvm::StringRef::npos)
        break;
      Text += AnyObject;
      Rest = Rest.substr(At + 1).drop_while(
          [](char C) { return llvm::isAlnum(C); });
    }
    if (Text != AnyObject)
      Result.insert({std::move(Text), Each.second});
  }
  return Result;
}

/// Returns the text of the place \p Id. Elements and targets of pointers that
/// are not members are `*`.
std::string ElementTests::placeOf(ExprId Id, unsigned Nesting) const {
  if (Id == None || Nesting > MaxNesting)
    return AnyObject.str();
  const Expr &E = G.Exprs[Id];
  switch (E.Kind) {
  case ExprKind::Field:
    return placeOf(E.A, Nesting + 1) + "." + E.S;
  case ExprKind::Global:
    return "::" + E.S;
  case ExprKind::Elem:
  case ExprKind::PtrElem: {
    const Expr &Index = G.Exprs[E.B];
    if (Index.Kind != ExprKind::Int)
      return AnyObject.str();
    std::string Array = E.Kind == ExprKind::Elem ? placeOf(E.A, Nesting + 1)
                                                 : textOf(E.A, Nesting + 1);
    return (Array.empty() ? AnyObject.str() : Array) + "[" +
           std::to_string(Index.N) + "]";
  }
  case ExprKind::Deref: {
    std::string Target = textOf(E.A, Nesting + 1);
    return Target.empty() ? AnyObject.str() : Target;
  }
  case ExprKind::Var:
    if (E.N < static_cast<int64_t>(G.NumParams))
      return "$arg" + std::to_string(E.N);
    if (ExprId Value = onlyValueOf(E.N); Value != None)
      if (std::string Text = textOf(Value, Nesting + 1); !Text.empty())
        return Text;
    return AnyObject.str();
  default:
    return AnyObject.str();
  }
}

std::string ElementTests::callText(const Op &O, unsigned Nesting) const {
  if (FunctionId Body = bodyFor(O); Body != None) {
    ElementTests Inner(Table, Body, Depth + 1);
    if (ExprId Value = Inner.singleReturn(); Value != None)
      if (std::string Text = Inner.textOf(Value, 0); !Text.empty())
        return inCaller(Text, O);
  }
  if (O.Callee == None || O.How == Dispatch::Indirect)
    return "";
  // A function of a container or a pointer returns an element.
  if (Table.info(O.Callee).IsSystem && Table.info(O.Callee).ReturnsHandle)
    return AnyObject.str();
  std::string Text = "(call " + std::to_string(O.Callee);
  if (O.Object != None)
    Text += " " + placeOf(O.Object, Nesting + 1);
  for (const CallArg &A : O.Args) {
    std::string Arg = A.Value == None ? "" : textOf(A.Value, Nesting + 1);
    Text += " " + (Arg.empty() ? AnyObject.str() : Arg);
  }
  return Text.size() > MaxText ? "" : Text + ")";
}

/// Returns the text of the value \p Id; empty if it has none.
std::string ElementTests::textOf(ExprId Id, unsigned Nesting) const {
  if (Id == None || Nesting > MaxNesting)
    return "";
  const Expr &E = G.Exprs[Id];
  switch (E.Kind) {
  case ExprKind::Int:
    return std::to_string(E.N);
  case ExprKind::This:
    return "$this";
  case ExprKind::Load:
  case ExprKind::AddrOf:
    return placeOf(E.A, Nesting + 1);
  case ExprKind::Result: {
    const Op *O = call(E.N);
    return O ? callText(*O, Nesting) : "";
  }
  case ExprKind::Op: {
    std::string A = textOf(E.A, Nesting + 1),
                B = E.B == None ? "" : textOf(E.B, Nesting + 1);
    // An operand that is only known to be some object or number does not count.
    auto IsNothing = [](llvm::StringRef S) { return S.empty() || S == "*"; };
    if (IsNothing(A) || (E.B != None && IsNothing(B)) ||
        A.size() + B.size() > MaxText)
      return "";
    if ((E.S == "==" || E.S == "!=") && B < A)
      std::swap(A, B);
    return "(" + E.S + " " + A + (B.empty() ? "" : " " + B) + ")";
  }
  default:
    return "";
  }
}

Cases ElementTests::casesOf(ExprId Id, bool Truth) const {
  unsigned Steps = MaxSteps;
  return casesOf(Id, Truth, Steps);
}

Cases ElementTests::casesOf(ExprId Id, bool Truth, unsigned &Steps) const {
  if (Id == None || !Steps)
    return Cases::unknown();
  --Steps;
  const Expr &E = G.Exprs[Id];
  if (E.Kind == ExprKind::Int)
    return (E.N != 0) == Truth ? Cases::of({}) : Cases{};
  if (E.Kind == ExprKind::Op && (E.S == "!" || E.S == "bool"))
    return casesOf(E.A, (E.S == "!") != Truth, Steps);
  if (E.Kind == ExprKind::Op && (E.S == "&&" || E.S == "||")) {
    Cases Both = casesOf(E.A, Truth, Steps), Other = casesOf(E.B, Truth, Steps);
    if ((E.S == "&&") == Truth)
      Both.restrict(Other);
    else
      Both.add(Other);
    return Both;
  }
  if (E.Kind == ExprKind::Op && (E.S == "==" || E.S == "!=") && E.B != None) {
    bool Equal = (E.S == "==") == Truth;
    for (auto [X, Y] : {std::pair(E.A, E.B), std::pair(E.B, E.A)})
      if (G.Exprs[Y].Kind == ExprKind::Int && G.Exprs[Y].N == 0)
        return casesOf(X, !Equal, Steps);
    std::string A = textOf(E.A, 0), B = textOf(E.B, 0);
    if (A.empty() || B.empty() || A == "*" || B == "*")
      return Cases::unknown();
    if (B < A)
      std::swap(A, B);
    return Cases::of({{"(== " + A + " " + B + ")", Equal}});
  }
  if (E.Kind == ExprKind::Load && G.Exprs[E.A].Kind == ExprKind::Var)
    if (ExprId Value = onlyValueOf(G.Exprs[E.A].N); Value != None)
      return casesOf(Value, Truth, Steps);
  if (E.Kind == ExprKind::Result)
    if (const Op *O = call(E.N))
      if (FunctionId Body = bodyFor(*O); Body != None) {
        ElementTests Inner(Table, Body, Depth + 1);
        if (ExprId Value = Inner.singleReturn(); Value != None) {
          Cases Result = Inner.casesOf(Value, Truth, Steps);
          for (TestSet &T : Result.Any)
            T = inCaller(T, *O);
          if (Result.Complete && !Result.Any.empty())
            return Result;
        }
      }
  std::string Text = textOf(Id, 0);
  if (Text.empty() || Text == "*")
    return Cases::unknown();
  return Cases::of({{std::move(Text), Truth}});
}

Cases ElementTests::casesOn(unsigned From, const Edge &E) const {
  const Block &B = G.Blocks[From];
  if (B.Cond == None)
    return Cases::of({});
  if (E.When == EdgeKind::Default)
    return Cases::unknown();
  if (E.When != EdgeKind::Case)
    return casesOf(B.Cond, E.When == EdgeKind::True);
  std::string A = textOf(B.Cond, 0), Number = std::to_string(E.Case);
  if (A.empty() || A == "*")
    return Cases::unknown();
  if (Number < A)
    std::swap(A, Number);
  return Cases::of({{"(== " + A + " " + Number + ")", true}});
}

} // namespace cudagraph
