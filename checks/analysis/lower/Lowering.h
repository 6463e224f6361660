//===- Lowering.h - From Clang's CFG to a FlowGraph -------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowering.cpp walks blocks and statements, LowerExpr.cpp expressions,
// LowerCall.cpp calls and constructions, LowerShape.cpp failure paths,
// LowerMarkers.cpp comments, LowerErrors.cpp parse errors. Nothing outside
// these files looks at function bodies.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_LOWERING_H
#define CUDAGRAPH_ANALYSIS_LOWER_LOWERING_H

#include "FunctionTable.h"
#include "GlobalVariables.h"
#include "QualifiedName.h"
#include "analysis/ir/FlowGraph.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Analysis/CFG.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <map>
#include <memory>
#include <tuple>

namespace cudagraph {

/// Lowers the body of \p Def, a definition. Returns nullptr if Clang cannot
/// build a CFG for it. In a unit with parse errors the graph says where they
/// are, and a body that is beyond Clang is a graph of one such mark.
std::unique_ptr<FlowGraph> lowerFunction(const clang::FunctionDecl *Def,
                                         FunctionTable &Table);

/// The state of one lowering; see the file comment for who defines what.
class Lowerer {
public:
  Lowerer(const clang::FunctionDecl *Def, FunctionTable &Table, FlowGraph &G);
  bool run();
  /// Makes the graph of a body that cannot be lowered.
  void lowerUnparsed();

private:
  // Lowering.cpp: blocks, statements, markers.
  void lowerElement(const clang::CFGElement &E);
  void lowerStmt(const clang::Stmt *S);
  void lowerVar(const clang::VarDecl *VD);
  void lowerInitializer(const clang::CXXCtorInitializer *I);
  void lowerDtor(const clang::CFGImplicitDtor &D);
  void lowerEndOfLife(const clang::VarDecl *VD);
  LocalVar localOf(const clang::VarDecl *VD);
  void dropIdleEnds();
  void lowerTerminator(const clang::CFGBlock *B, Block &Out);
  void findFailureShape();
  void findKeptResults();
  void markRanges(llvm::ArrayRef<clang::SourceRange> Ranges,
                  llvm::function_ref<void(Op &)> Mark);
  void markOnce();
  void placeMarkers(const clang::Stmt *Body);
  void emitMarkersBefore(const clang::Stmt *S);
  ExprId lookUpStream(llvm::StringRef Name);
  bool isStatusType(clang::QualType T) const;
  bool isFailureReturn(const clang::CFGBlock *B) const;
  bool isFailureTest(const clang::Expr *Cond, bool &WhenTrue) const;
  void indexConstructs(const clang::Stmt *Body);
  void findAllowed(const clang::Stmt *Body);
  void targetInit(const clang::Expr *Init, ExprId Place);

  // LowerErrors.cpp: what does not parse.
  bool hasUsableTypes() const;
  void placeErrors();
  void emitErrorsAtEntry();

  // LowerExpr.cpp: places and values.
  ExprId place(const clang::Expr *E);
  ExprId value(const clang::Expr *E);
  ExprId constantCallable(const clang::Expr *E);
  ExprId valueOfCast(const clang::CastExpr *E);
  ExprId valueOfInitList(const clang::InitListExpr *E);
  ExprId valueOfLambda(const clang::LambdaExpr *E);
  ExprId placeOfDecl(const clang::ValueDecl *D, bool Captured);
  ExprId varPlace(const clang::VarDecl *VD);
  void initInto(ExprId Place, const clang::Expr *Init);
  ExprId make(Expr E);
  ExprId unknown();
  ExprId integer(int64_t N);
  ExprId load(ExprId Place);
  ExprId addrOf(ExprId Place);
  ExprId deref(ExprId Value);
  ExprId field(ExprId Place, std::string Name);
  ExprId binary(std::string Op, ExprId A, ExprId B);
  ExprId temp(const void *Site, bool OnHeap = false);
  bool isConstant(ExprId V) const;
  bool contains(ExprId Whole, ExprId Part) const;

  // CallExpr.cpp: one call.
  class CallLowering;
  ExprId lowerCall(const clang::CallExpr *E);

  // LowerCall.cpp: constructions, known library accessors, arguments.
  ExprId lowerConstruct(const clang::CXXConstructExpr *E);
  ExprId lowerNew(const clang::CXXNewExpr *E);
  void lowerDelete(const clang::CXXDeleteExpr *E);
  void emitFree(ExprId Pointer, Span Where);
  void emitRelease(const clang::Expr *Object, ExprId Holder, Span Where);
  void emitAssign(ExprId Place, ExprId Value, Span Where);
  bool isFormatting(const clang::CallExpr *E) const;
  ExprId placeOfCall(const clang::CallExpr *E);
  ExprId modelledPlace(const clang::CallExpr *E);
  ExprId deviceElements(const clang::CallExpr *E);
  void constructAt(const clang::CXXRecordDecl *RD, ExprId Object,
                   const clang::CallExpr *E,
                   llvm::ArrayRef<const clang::Expr *> Args);
  ExprId smartPointerMake(const clang::CallExpr *E);
  void emitDtor(const clang::CXXRecordDecl *RD, ExprId Object, Span Where,
                unsigned Depth = 0, bool IsBase = false);
  Op callOp(clang::SourceRange Range);
  ExprId enumerator(const clang::Expr *E);
  uint8_t policyTraits(clang::QualType T) const;
  bool isTensor(clang::QualType T) const;
  const char *tensorEnum(clang::QualType T) const;
  const clang::FunctionDecl *forwardOf(const clang::FunctionDecl *FD) const;
  void addTensors(Op &O, const clang::Expr *E);
  void addArgs(Op &O, llvm::ArrayRef<const clang::Expr *> Args,
               const clang::FunctionDecl *Callee);
  ExprId argValue(const clang::Expr *Arg, const clang::ParmVarDecl *P);
  ExprId emitCall(Op O);

  const clang::FunctionDecl *Def;
  FunctionTable &Table;
  LibraryNames &Names;
  clang::ASTContext &Ctx;
  FlowGraph &G;
  Block *Cur = nullptr;
  llvm::DenseMap<const clang::VarDecl *, unsigned> VarIndex;
  llvm::DenseMap<const clang::Expr *, ExprId> Calls;   ///< emitted: its result
  llvm::DenseMap<const clang::Expr *, ExprId> Targets; ///< object initialised
  llvm::DenseSet<const clang::Stmt *> Discarded; ///< calls that are statements
  llvm::DenseMap<const clang::Stmt *, std::vector<Op>> MarkersAt;
  llvm::DenseMap<const clang::Stmt *, const clang::Stmt *> AnchorOf;
  llvm::DenseMap<const void *, unsigned> TempIndex;
  llvm::DenseMap<const clang::ValueDecl *, unsigned> CaptureIndex;
  llvm::SmallVector<clang::SourceRange, 2> AllowedRanges;
  /// Initialisers of static local variables, and Op::OnceOf.
  llvm::SmallVector<std::pair<clang::SourceRange, ExprId>, 2> OnceRanges;
  bool Catches = false; ///< there is a try block
  bool HasThisCapture = false;
  std::vector<clang::SourceLocation> ErrorsAtEntry;
  unsigned NumUnknown = 0;
  std::map<std::tuple<unsigned, ExprId, ExprId, ExprId, int64_t, std::string>,
           ExprId>
      Interned; ///< equal expressions are one
  struct ExprSize {
    unsigned Depth, Nodes;
  };
  std::vector<ExprSize> Sizes; ///< of G.Exprs
};

/// Converts to the raw encoding.
Span spanOf(clang::SourceRange R);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_LOWERING_H
