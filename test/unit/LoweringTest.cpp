//===- LoweringTest.cpp - Functions as flow graphs ------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares the operations of snippets as text: `s` is the contents of the
// variable s, `@s` is its location, and `#0` is the result of call 0.
//
//===----------------------------------------------------------------------===//

#include "Parse.h"
#include "analysis/lower/FunctionTable.h"
#include "analysis/lower/UnitContents.h"
#include "llvm/ADT/STLExtras.h"

using namespace cudagraph;

namespace {

using Lines = std::vector<std::string>;

/// A parsed snippet and the flow graph of one of its functions.
class Lowered {
public:
  explicit Lowered(const std::string &Code, const std::string &Function = "f")
      : Unit(unit::parse(Code)), Table(Unit->getASTContext()) {
    for (FunctionId Id : collectContents(Table).Functions)
      if (Table.info(Id).Name == Function)
        select(Id);
    EXPECT_NE(G, nullptr) << "no function " << Function;
    if (!G)
      G = &Empty;
  }
  void select(FunctionId Id) { G = Table.graph(Id); }

  std::string place(ExprId Id) const {
    const Expr &E = G->Exprs[Id];
    switch (E.Kind) {
    case ExprKind::Var:
      return G->Vars[E.N].Name;
    case ExprKind::Global:
      return "::" + E.S;
    case ExprKind::Deref:
      return "*" + value(E.A);
    case ExprKind::Field:
      return place(E.A) + "." + E.S.substr(E.S.rfind(':') + 1);
    case ExprKind::Elem:
      return place(E.A) + "[" + value(E.B) + "]";
    case ExprKind::PtrElem:
      return value(E.A) + "[" + value(E.B) + "]";
    case ExprKind::Temp:
      return "temp" + std::to_string(E.N);
    default:
      return "no place";
    }
  }

  std::string value(ExprId Id) const {
    if (Id == None)
      return "none";
    const Expr &E = G->Exprs[Id];
    switch (E.Kind) {
    case ExprKind::Unknown:
      return "?";
    case ExprKind::Int:
      return std::to_string(E.N);
    case ExprKind::Load:
      return place(E.A);
    case ExprKind::AddrOf:
      return "&" + place(E.A);
    case ExprKind::This:
      return "this";
    case ExprKind::Function:
      return Table.info(E.N).Name;
    case ExprKind::Closure:
      return "lambda(" + place(E.A) + ")";
    case ExprKind::Result:
      return "#" + std::to_string(E.N);
    case ExprKind::Op:
      return E.B == None
                 ? E.S + "(" + value(E.A) + ")"
                 : "(" + value(E.A) + " " + E.S + " " + value(E.B) + ")";
    case ExprKind::Select:
      return value(E.A) + " ? " + value(E.B) + " : " + value(E.C);
    default:
      return "@" + place(Id);
    }
  }

  std::string call(const Op &O) const {
    std::string Text = "#" + std::to_string(O.ResultIndex) + ": ";
    Text += O.How == Dispatch::Virtual    ? "virtual "
            : O.How == Dispatch::Indirect ? "indirect "
            : O.How == Dispatch::Kernel   ? "launch "
                                          : "";
    if (O.Object != None)
      Text += place(O.Object) + " ";
    Text += O.Callee == None ? value(O.CalleeValue) : Table.info(O.Callee).Name;
    auto List = [&](const std::vector<CallArg> &Args) {
      std::string Result;
      for (const CallArg &A : Args)
        Result += (Result.empty() ? "" : ", ") + value(A.Value);
      return Result;
    };
    if (O.How == Dispatch::Kernel)
      Text += "<" + List(O.Config) + ">";
    return Text + "(" + List(O.Args) + ")";
  }

  /// All operations, in order of their blocks.
  Lines ops() const {
    Lines Result;
    for (const Block &B : G->Blocks)
      for (const Op &O : B.Ops)
        switch (O.Kind) {
        case OpKind::Assign:
          Result.push_back(place(O.Place) + " = " + value(O.Value));
          break;
        case OpKind::Modify:
          Result.push_back("modify " + place(O.Place) + " = " + value(O.Value));
          break;
        case OpKind::Call:
          Result.push_back(call(O));
          break;
        case OpKind::Return:
          Result.push_back("return " + value(O.Value));
          break;
        case OpKind::MarkerBegin:
          Result.push_back("begin " + O.Text + ": " + value(O.Value));
          break;
        case OpKind::MarkerEnd:
          Result.push_back("end");
          break;
        case OpKind::EndLife:
          Result.push_back("end of " + place(O.Place));
          break;
        case OpKind::Clear:
          Result.push_back("clear " + place(O.Place));
          break;
        case OpKind::Free:
          Result.push_back("free " + value(O.Value));
          break;
        case OpKind::Unparsed:
          Result.push_back("unparsed");
          break;
        }
    return Result;
  }

  const Op &call(unsigned ResultIndex) const { return at(ResultIndex).second; }
  /// The block that contains call \p ResultIndex.
  const Block &blockOf(unsigned ResultIndex) const {
    return at(ResultIndex).first;
  }
  /// The edge from the block with a condition to the block of the call.
  const Edge *edgeTo(unsigned ResultIndex) const {
    const Block *To = &blockOf(ResultIndex);
    for (const Block &B : G->Blocks)
      for (const Edge &E : B.Succs)
        if (&G->Blocks[E.To] == To && B.Cond != None)
          return &E;
    ADD_FAILURE() << "no conditional edge to call " << ResultIndex;
    static const Edge Nowhere;
    return &Nowhere;
  }
  const FlowGraph &graph() const { return *G; }

private:
  std::pair<const Block &, const Op &> at(unsigned ResultIndex) const {
    for (const Block &B : G->Blocks)
      for (const Op &O : B.Ops)
        if (O.Kind == OpKind::Call && O.ResultIndex == ResultIndex)
          return {B, O};
    ADD_FAILURE() << "no call " << ResultIndex;
    static const Block NoBlock;
    static const Op NoOp;
    return {NoBlock, NoOp};
  }
  std::unique_ptr<clang::ASTUnit> Unit;
  FunctionTable Table;
  FlowGraph Empty;
  const FlowGraph *G = nullptr;
};

Lines ops(const std::string &Code, const std::string &Function = "f") {
  return Lowered(Code, Function).ops();
}

//===----------------------------------------------------------------------===//
// Assignments and values
//===----------------------------------------------------------------------===//

TEST(Lowering, AssignsToVariablesMembersAndGlobals) {
  EXPECT_EQ(ops("int n; struct C { cudaStream_t s; };"
                "void f(C c, C *p, cudaStream_t t) {"
                "  cudaStream_t u = t; c.s = u; p->s = t; n = 3; }"),
            (Lines{"u = t", "c.s = u", "*p.s = t", "::n = 3"}));
}

TEST(Lowering, AddressAndDereferenceCancel) {
  EXPECT_EQ(ops("void f(int *p, int a) { int &r = *p; r = 1; *&a = 2; "
                "int *q = &*p; }"),
            (Lines{"r = p", "*r = 1", "a = 2", "q = p"}));
}

TEST(Lowering, TellsElementsOfArraysFromThoseBehindPointers) {
  EXPECT_EQ(ops("void f(cudaStream_t *p, int i) {"
                "  cudaStream_t a[2]; a[1] = p[i]; *(p + 1) = a[i]; }"),
            (Lines{"a[1] = p[i]", "p[1] = a[i]"}));
}

TEST(Lowering, ReadModifyWriteIsNoAssignment) {
  EXPECT_EQ(ops("void f(int n) { n += 2; ++n; n = n - 1; n = 7; }"),
            (Lines{"modify n = (n + 2)", "modify n = (n + 1)",
                   "modify n = (n - 1)", "n = 7"}));
}

TEST(Lowering, FoldsConstants) {
  EXPECT_EQ(ops("constexpr int A = 4; const int B = A + 1; enum E { X = 9 };"
                "enum class S { Y = 2 };"
                "void f(int n, E e, S s, bool b, int *p) {"
                "  n = A; n = B; n = X; s = S::Y; b = true; p = nullptr;"
                "  n = sizeof(char); n = cudaStreamNonBlocking; }"),
            (Lines{"n = 4", "n = 5", "n = 9", "s = 2", "b = 1", "p = 0",
                   "n = 1", "n = 1"}));
}

TEST(Lowering, DoesNotFoldWhatCanChange) {
  EXPECT_EQ(ops("int A = 4; static int B = 5;"
                "void f(int n, const int m) { n = A; n = B; n = m; }"),
            (Lines{"n = ::A", "n = ::snippet.cu::B", "n = m"}));
}

TEST(Lowering, MarksConstantsThatAreStored) {
  Lowered L("void f(int n, bool c) { n = 1; n = c ? 1 : 2; n = c; }");
  std::vector<bool> Constant;
  for (const Block &B : L.graph().Blocks)
    for (const Op &O : B.Ops)
      Constant.push_back(O.ConstValue);
  EXPECT_EQ(Constant, (std::vector<bool>{true, true, false}));
}

TEST(Lowering, InitialisesAggregatesMemberByMember) {
  EXPECT_EQ(ops("struct C { cudaStream_t s; int n; };"
                "void f(cudaStream_t t) { C c{t, 3}; int a[] = {7, 8}; }"),
            (Lines{"c.s = t", "c.n = 3", "a[0] = 7", "a[1] = 8"}));
}

TEST(Lowering, NamesParametersFirstAndKnowsStreams) {
  Lowered L("void f(int n, cudaStream_t s) { cudaStream_t t = s; int m = n; }");
  ASSERT_EQ(L.graph().NumParams, 2U);
  ASSERT_EQ(L.graph().Vars.size(), 4U);
  EXPECT_EQ(L.graph().Vars[1].Name, "s");
  std::vector<bool> Streams;
  for (const LocalVar &V : L.graph().Vars)
    Streams.push_back(V.IsStream);
  EXPECT_EQ(Streams, (std::vector<bool>{false, true, true, false}));
}

TEST(Lowering, StaticLocalsAreInitialisedOnce) {
  Lowered L("int make(); int f() { static int n = make(); return n; }");
  EXPECT_EQ(L.ops(), (Lines{"#0: make()", "::snippet.cu::f::n = #0",
                            "::snippet.cu::f::n#once = 1",
                            "return ::snippet.cu::f::n"}));
  EXPECT_TRUE(L.call(0).Once);
  EXPECT_NE(L.call(0).OnceOf, None);
  // A constant needs no note about its creation.
  EXPECT_EQ(ops("int f() { static int n = 4; return n; }"),
            (Lines{"::snippet.cu::f::n = 4", "return ::snippet.cu::f::n"}));
  // An object has no value; the lifetimes of its constructor arguments end
  // before the note.
  EXPECT_EQ(ops("struct T { ~T() {} }; struct A { A(const T &) {} };"
                "void f() { static A a{T()}; }"),
            (Lines{"#0: temp0 T::T()", "temp1 = temp0",
                   "#1: ::snippet.cu::f::a A::A(&temp1)", "#2: temp0 T::~T()",
                   "::snippet.cu::f::a#once = 1"}));
  EXPECT_FALSE(Lowered("int make(); int f() { int n = make(); return n; }")
                   .call(0)
                   .Once);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

TEST(LoweredCalls, HaveTheirArguments) {
  EXPECT_EQ(
      ops("int g(int a, int &r, const int *p); namespace n { int h(int); }"
          "int f(int x, int y) { return n::h(g(x, y, &x)); }"),
      (Lines{"#0: g(x, &y, &x)", "#1: n::h(#0)", "return #1", "end of y",
             "end of x"}));
}

TEST(LoweredCalls, HaveTheirDefaultArguments) {
  Lowered L("void g(int a, int b = 5); void f() { g(1); g(1, 2); }");
  EXPECT_EQ(L.ops(), (Lines{"#0: g(1, 5)", "#1: g(1, 2)"}));
  EXPECT_EQ(L.call(0).Args[1].Range.Begin, 0U) << "not written";
  EXPECT_NE(L.call(1).Args[1].Range.Begin, 0U);
}

TEST(LoweredCalls, OfMembersHaveTheirObject) {
  EXPECT_EQ(ops("struct C { void m(int); virtual void v(); static void s(); };"
                "void f(C c, C *p) { c.m(1); p->m(2); p->v(); c.v(); p->C::v();"
                " C::s(); }"),
            (Lines{"#0: c C::m(1)", "#1: *p C::m(2)", "#2: virtual *p C::v()",
                   "#3: c C::v()", "#4: *p C::v()", "#5: C::s()"}));
}

TEST(LoweredCalls, MayBeIndirect) {
  EXPECT_EQ(ops("void g(); void f(void (*p)(int)) {"
                "  p(1); void (*q)() = g; q(); }"),
            (Lines{"#0: indirect p(1)", "q = g", "#1: indirect q()"}));
}

TEST(LoweredCalls, OfAConstantTableNameItsFunctions) {
  Lines L = ops("void a(); void b(); void c(); void (*const T[])() = {a, b, c};"
                "void f(int i) { T[i](); }");
  EXPECT_EQ(L, Lines{"#0: indirect (i == 0) ? a : (i == 1) ? b : c()"});
}

TEST(LoweredCalls, OfAConstantTableOfStructures) {
  Lines L = ops("void a(); void b(); struct E { int id; void (*run)(); };"
                "const E T[] = {{1, a}, {2, b}};"
                "void f(int i) { T[i].run(); }");
  EXPECT_EQ(L, Lines{"#0: indirect (i == 0) ? a : b()"});
}

TEST(LoweredCalls, OfATableThatIsNotConstantReadIt) {
  Lines L = ops("void a(); void b(); void (*T[])() = {a, b};"
                "void f(int i) { T[i](); }");
  EXPECT_EQ(L, Lines{"#0: indirect ::T[i]()"});
}

TEST(LoweredCalls, OfKernelsAreLaunches) {
  Lowered L("void f(float *x, cudaStream_t s) {"
            " k<<<1, 2, 3, s>>>(x); k<<<1, 2>>>(x); }");
  std::vector<size_t> Written;
  for (const Block &B : L.graph().Blocks)
    for (const Op &O : B.Ops)
      if (O.How == Dispatch::Kernel) {
        ASSERT_EQ(O.Config.size(), 4U);
        EXPECT_EQ(O.Args.size(), 1U);
        Written.push_back(llvm::count_if(
            O.Config, [](const CallArg &A) { return A.Range.Begin != 0; }));
        EXPECT_EQ(L.value(O.Config[3].Value), Written.size() == 1 ? "s" : "0");
      }
  EXPECT_EQ(Written, (std::vector<size_t>{4, 2}));
}

TEST(LoweredCalls, AreEvaluatedOnce) {
  EXPECT_EQ(ops("int g(); void f(int n) { n = g() + 1; int &r = n; r = g(); }"),
            (Lines{"#0: g()", "n = (#0 + 1)", "r = &n", "#1: g()", "*r = #1"}));
}

TEST(LoweredCalls, ResultsAreKeptWhenAnotherBlockUsesThem) {
  Lowered L("bool g(); bool h(); void f(bool b) {"
            " bool c = g() && b; bool d = h(); }");
  ASSERT_EQ(L.graph().LiveResults.size(), 2U);
  EXPECT_TRUE(L.graph().LiveResults[0]) << "`g() && b` is stored after b";
  EXPECT_FALSE(L.graph().LiveResults[1]);
}

//===----------------------------------------------------------------------===//
// Objects and lambdas
//===----------------------------------------------------------------------===//

TEST(LoweredObjects, AreConstructedAndDestroyedInOrder) {
  Lowered L("struct A { A(int) {} ~A() {} }; void g();"
            "void f() { A a(1); { A b(2); } g(); }");
  EXPECT_EQ(L.ops(), (Lines{"#0: a A::A(1)", "#1: b A::A(2)", "#2: b A::~A()",
                            "end of b", "#3: g()", "#4: a A::~A()"}));
  EXPECT_TRUE(L.call(2).Implicit);
  EXPECT_FALSE(L.call(0).Implicit);
}

TEST(LoweredObjects, TemporariesDieWithTheirExpression) {
  EXPECT_EQ(ops("struct A { A(int) {} ~A() {} }; void g();"
                "void f() { A(1); g(); }"),
            (Lines{"#0: temp0 A::A(1)", "#1: temp0 A::~A()", "#2: g()"}));
}

TEST(LoweredObjects, RememberWhatAnUnseenConstructorWasGiven) {
  EXPECT_EQ(ops("struct A { A(int, int); }; void f(int n) { A a(n, 2); }"),
            (Lines{"a = (n aggregate 2)", "#0: a A::A(n, 2)"}));
}

TEST(LoweredObjects, CopiesAreValues) {
  EXPECT_EQ(ops("struct C { cudaStream_t s; };"
                "void f(C a) { C b = a; C c(b); c = a; }"),
            (Lines{"b = a", "c = b", "c = a", "end of c"}));
}

TEST(LoweredObjects, EndWithTheirScope) {
  EXPECT_EQ(ops("void g(const int *); void f() { { int a = 1, b = 2; g(&a); } "
                "int c = 3; g(&c); }"),
            (Lines{"a = 1", "b = 2", "#0: g(&a)", "end of b", "end of a",
                   "c = 3", "#1: g(&c)", "end of c"}));
}

TEST(LoweredObjects, AreFreed) {
  EXPECT_EQ(ops("void f(int *p) { delete p; }"), (Lines{"free p"}));
}

TEST(LoweredObjects, ConstructorsRunMemberInitialisers) {
  EXPECT_EQ(
      ops("struct C { cudaStream_t s; int n = 4; int &r;"
          "  C(cudaStream_t t, int &q) : s(t), r(q) { n = 5; } };",
          "C::C"),
      (Lines{"*this.s = t", "*this.n = 4", "*this.r = q", "*this.n = 5"}));
}

TEST(LoweredLambdas, StoreTheirCaptures) {
  EXPECT_EQ(ops("void f(int a, int b) {"
                " auto l = [a, &b, c = a + 1] { return a; }; l(); }"),
            (Lines{"temp0.capture 0 = a", "temp0.capture 1 = &b",
                   "temp0.capture 2 = (a + 1)", "l = lambda(temp0)",
                   "#0: indirect l f::(lambda)::operator()()"}));
}

TEST(LoweredLambdas, ReadTheirCaptures) {
  Lowered L("void f(int a, int b) { auto l = [a, &b] { b = a; }; l(); }");
  const Op &Call = L.call(0);
  EXPECT_TRUE(Call.IsLambda);
  L.select(Call.Callee);
  EXPECT_EQ(L.ops(), Lines{"**this.capture 1 = *this.capture 0"});
}

TEST(LoweredLambdas, ReachTheObjectOfTheirMethod) {
  Lowered L(
      "struct C { int n; void f() { auto l = [this] { n = 1; }; l(); } };",
      "C::f");
  EXPECT_EQ(L.ops()[0], "temp0.capture this = this");
  L.select(L.call(0).Callee);
  EXPECT_EQ(L.ops(), Lines{"**this.capture this.n = 1"});
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

TEST(LoweredFlow, EdgesSayWhenTheyAreTaken) {
  Lowered L("void a(); void b(); void f(bool c) { if (c) a(); else b(); }");
  EXPECT_NE(L.edgeTo(0)->When, L.edgeTo(1)->When);
  for (unsigned I : {0, 1}) {
    const std::string Name = L.call(L.call(I));
    bool IsA = Name.find("a()") != std::string::npos;
    EXPECT_EQ(L.edgeTo(I)->When, IsA ? EdgeKind::True : EdgeKind::False)
        << Name;
    EXPECT_FALSE(L.edgeTo(I)->Failure);
  }
}

TEST(LoweredFlow, SwitchesComparePerCase) {
  Lowered L("enum E { X, Y = 5 }; void a(); void f(E e) {"
            " switch (e) { case Y: a(); break; default: break; } }");
  EXPECT_EQ(L.edgeTo(0)->When, EdgeKind::Case);
  EXPECT_EQ(L.edgeTo(0)->Case, 5);
}

/// True if the edge to the call to report() is a failure.
bool failureEdge(const std::string &Condition) {
  Lowered L("void report(); enum cudnnStatus_t { OK }; enum Other { A };"
            "bool cond(); cudnnStatus_t dnn(); Other other();"
            "void f(cudaError_t e, cudaStream_t s) { if (" +
            Condition + ") report(); }");
  for (const Block &B : L.graph().Blocks)
    for (const Op &O : B.Ops)
      if (O.Kind == OpKind::Call &&
          L.call(O).find(" report()") != std::string::npos)
        return L.edgeTo(O.ResultIndex)->Failure;
  ADD_FAILURE() << Condition;
  return false;
}

TEST(LoweredFlow, TestsOfAStatusHaveAFailureEdge) {
  for (const char *Condition :
       {"e", "e != cudaSuccess", "cudaSuccess != e", "!(e == cudaSuccess)",
        "cudaStreamSynchronize(s)", "__builtin_expect(e != cudaSuccess, 0)",
        "dnn() != OK"})
    EXPECT_TRUE(failureEdge(Condition)) << Condition;
  for (const char *Condition : {"!e", "e == cudaSuccess", "cond()", "other()",
                                "other() != A", "e == cudaErrorNotReady", "s"})
    EXPECT_FALSE(failureEdge(Condition)) << Condition;
}

TEST(LoweredFlow, KnowsWhatNeverReturns) {
  Lowered L(
      "[[noreturn]] void die(); void a(); void b(); void f(int n) {"
      " if (n == 1) { a(); die(); } if (n == 2) { a(); throw 1; } b(); }");
  for (unsigned I = 0; I != L.graph().NumCalls; ++I) {
    const std::string Name = L.call(L.call(I));
    EXPECT_EQ(L.blockOf(I).NeverReturns, Name.find("b()") == std::string::npos)
        << Name;
  }
}

TEST(LoweredFlow, KnowsFailureExits) {
  auto EarlyExit = [](const std::string &Result) {
    return Lowered("void a(); cudaError_t f(bool c) { if (c) { a(); return " +
                   Result + "; } return cudaSuccess; }")
        .blockOf(0)
        .EarlyExit;
  };
  EXPECT_TRUE(EarlyExit("cudaErrorUnknown"));
  // A function that is called for its status may perform the remaining work.
  EXPECT_FALSE(EarlyExit("cudaGetLastError()"));
  EXPECT_FALSE(EarlyExit("cudaSuccess"));
}

TEST(LoweredFlow, KnowsFailureExitsByTheTestBefore) {
  // 0: after a failure; 1: after a success.
  Lowered Flow("cudaError_t a(), b(); cudaError_t f() { cudaError_t e = a(); "
               "if (e != cudaSuccess) { a(); return e; } "
               "e = b(); return e; }");
  EXPECT_TRUE(Flow.blockOf(1).EarlyExit);
  EXPECT_FALSE(Flow.blockOf(2).EarlyExit);
}

//===----------------------------------------------------------------------===//
// Markers
//===----------------------------------------------------------------------===//

TEST(LoweredMarkers, StandBeforeTheNextStatement) {
  EXPECT_EQ(ops("void a(); void f(cudaStream_t s) {\n"
                "  a();\n"
                "  // cudagraph: begin-capture(s)\n"
                "  a();\n"
                "  // cudagraph: end-capture\n"
                "  a();\n}"),
            (Lines{"#0: a()", "begin s: s", "#1: a()", "end", "#2: a()"}));
}

TEST(LoweredMarkers, FindMembersAndGlobals) {
  EXPECT_EQ(
      ops("cudaStream_t g; struct C { cudaStream_t s_; void f(C *p) {\n"
          "  /* cudagraph: begin-capture(s_) */\n"
          "  p = this;\n"
          "  // cudagraph: begin-capture(p->s_)\n"
          "  p = this;\n"
          "  // cudagraph: begin-capture(g)\n"
          "  p = this;\n"
          "  // cudagraph: begin-capture(nobody)\n"
          "  p = this;\n} };",
          "C::f"),
      (Lines{"begin s_: *this.s_", "p = this", "begin p->s_: *p.s_", "p = this",
             "begin g: ::g", "p = this", "begin nobody: ?", "p = this"}));
}

TEST(LoweredMarkers, MayEndWithTheFunction) {
  const char *Code = "void a(); void f(cudaStream_t s) {\n"
                     "  // cudagraph: begin-capture(s)\n"
                     "  a();\n"
                     "  // cudagraph: end-capture\n}";
  Lowered L(Code);
  EXPECT_EQ(L.ops(), (Lines{"begin s: s", "#0: a()"}));
  EXPECT_NE(L.graph().TrailingEnd.Begin, 0U);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

TEST(FunctionTables, DescribeFunctions) {
  auto Unit = unit::parse(
      "namespace n { inline namespace v1 { namespace {"
      "template <class T> struct C { bool m(const T &, cudaStream_t) {"
      "  return true; } };"
      "}}} bool f(n::C<int> c) { return c.m(1, 0); } __device__ void d() {}");
  FunctionTable Table(Unit->getASTContext());
  std::vector<std::string> Names;
  for (FunctionId Id : collectContents(Table).Functions) {
    const FunctionInfo &Info = Table.info(Id);
    Names.push_back(Info.Name);
    EXPECT_TRUE(Info.HasBody) << Info.Name;
    EXPECT_EQ(Table.graph(Id) != nullptr, !Info.IsDevice) << Info.Name;
    if (Info.Name != "n::C::m")
      continue;
    EXPECT_EQ(Info.Signature, "n::C::m(const int&, CUstream_st*)");
    EXPECT_EQ(Info.Class, "n::C");
    EXPECT_TRUE(Info.IsStatic) << "of an unnamed namespace";
    EXPECT_TRUE(Info.ReturnsFlag);
  }
  llvm::sort(Names);
  EXPECT_EQ(Names, (Lines{"d", "f", "n::C::m"}));
}

TEST(FunctionTables, KnowOverriders) {
  auto Unit = unit::parse("struct A { virtual void v(); };"
                          "struct B : A { void v() override {} };"
                          "struct C : B { void v() override {} };");
  FunctionTable Table(Unit->getASTContext());
  collectContents(Table);
  std::vector<std::string> Over;
  for (FunctionId Id = 0; Id != Table.size(); ++Id)
    for (FunctionId O : Table.info(Id).Overrides)
      Over.push_back(Table.info(Id).Name + " < " + Table.info(O).Name);
  llvm::sort(Over);
  EXPECT_EQ(Over, (Lines{"A::v < B::v", "B::v < C::v"}));
}

} // namespace
