//===- CallLowering.cpp - One call expression -----------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallLowering.h"
#include "ApiPointers.h"
#include "ArgumentLowering.h"
#include "CallableTypes.h"
#include "ConstructLowering.h"
#include "KernelStores.h"
#include "LibraryPlaces.h"
#include "MethodLowering.h"
#include "MoveLowering.h"
#include "QualifiedName.h"
#include "SpanOf.h"
#include "TupleLowering.h"
#include "VariantLowering.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/Builtins.h"

using namespace clang;

namespace cudagraph {

using catalogue::Role;

ExprId CallLowering::run() {
  ExprId V = lowered();
  const FunctionDecl *Api = apiLookedUp(E, L.Table, E->getType());
  if (!Api)
    return V;
  ExprId Found = Exprs.function(L.Table.idOf(Api));
  if (const clang::Expr *Taker = takerOfApi(E, L.Table)) {
    Op O;
    O.Place = L.place(Taker);
    O.Value = Found;
    O.Range = where();
    O.ConstValue = true;
    L.Out.add(std::move(O));
  } else if (E->getType()->isPointerType()) {
    return Found;
  }
  return V;
}

ExprId CallLowering::lowered() {
  for (auto Kind : {&CallLowering::builtin, &CallLowering::constant,
                    &CallLowering::ofStandardLibrary, &CallLowering::accessor,
                    &CallLowering::nullComparison, &CallLowering::forwarded,
                    &CallLowering::formatting, &CallLowering::kernel,
                    &CallLowering::throughMemberPointer, &CallLowering::method})
    if (std::optional<ExprId> V = (this->*Kind)())
      return *V;
  return other();
}

Span CallLowering::where() const { return spanOf(E->getSourceRange()); }

llvm::ArrayRef<const clang::Expr *> CallLowering::args() const {
  return {E->getArgs(), E->getNumArgs()};
}

std::optional<ExprId> CallLowering::builtin() {
  unsigned Builtin = FD ? FD->getBuiltinID() : 0;
  if (!Builtin || !FD->getName().starts_with("__builtin_"))
    return std::nullopt;
  if (Builtin == Builtin::BI__builtin_expect)
    return L.value(E->getArg(0));
  if (Builtin == Builtin::BI__builtin_addressof)
    return Exprs.addrOf(L.place(E->getArg(0)));
  return Exprs.unknown();
}

/// The number that \p FD returns for any arguments, such as the size of an
/// array; nothing if its body is anything other than `return N;`.
static std::optional<int64_t> constantResult(const FunctionDecl *FD,
                                             const ASTContext &Ctx) {
  const FunctionDecl *Def = nullptr;
  if (!FD->isConstexpr() || !FD->getReturnType()->isIntegralOrEnumerationType())
    return std::nullopt;
  const auto *Body = FD->hasBody(Def)
                         ? dyn_cast_or_null<CompoundStmt>(Def->getBody())
                         : nullptr;
  const auto *Return = Body && Body->size() == 1
                           ? dyn_cast<ReturnStmt>(Body->body_front())
                           : nullptr;
  const clang::Expr *Value = Return ? Return->getRetValue() : nullptr;
  clang::Expr::EvalResult R;
  if (!Value || Value->isValueDependent() || !Value->EvaluateAsInt(R, Ctx))
    return std::nullopt;
  return R.Val.getInt().tryExtValue();
}

std::optional<ExprId> CallLowering::constant() {
  const auto *M = dyn_cast_or_null<CXXMethodDecl>(FD);
  if (!FD || E->getNumArgs() > 1 ||
      !(M ? M->getParent()->isInStdNamespace() : FD->isInStdNamespace()))
    return std::nullopt;
  std::optional<int64_t> N = constantResult(FD, L.Body.Ctx);
  return N && !E->HasSideEffects(L.Body.Ctx, /*IncludePossibleEffects=*/false)
             ? std::optional(Exprs.integer(*N))
             : std::nullopt;
}

std::optional<ExprId> CallLowering::ofStandardLibrary() {
  if (!FD || !FD->isInStdNamespace() || !FD->getDeclName().isIdentifier())
    return std::nullopt;
  StringRef Name = FD->getName();
  if (std::optional<ExprId> V = VariantLowering(L).function(E))
    return V;
  if (Name == "make_unique" || Name == "make_shared")
    if (ExprId V = ConstructLowering(L).makeOwner(E); V != None)
      return V;
  if (Name == "make_optional")
    if (ExprId V = ConstructLowering(L).makeOptional(E); V != None)
      return V;
  if (Name == "make_pair")
    if (ExprId V = ConstructLowering(L).makePair(E); V != None)
      return V;
  if (Name == "make_tuple" || Name == "forward_as_tuple" || Name == "tie")
    return TupleLowering(L).make(args(), /*Moves=*/Name == "make_tuple");
  if (Name == "apply")
    return TupleLowering(L).apply(E);
  if (Name == "addressof" || Name == "ref" || Name == "cref")
    return Exprs.addrOf(L.place(E->getArg(0)));
  if (Name == "swap" && E->getNumArgs() == 2)
    return swap();
  if (Name == "exchange" && E->getNumArgs() == 2)
    return exchange();
  return std::nullopt;
}

/// Lowers calls to functions that return the address of their argument.
std::optional<ExprId> CallLowering::accessor() {
  if (E->getNumArgs() == 1 && L.Names.is(FD, Role::PassesThrough))
    return L.argument(E->getArg(0));
  // get(), operator->, data(), begin()
  if (ExprId P = LibraryPlaces(L).ofAccessor(E); P != None)
    return Exprs.addrOf(P);
  return std::nullopt;
}

/// Lowers the comparison of a smart pointer or a std::function with null, or of
/// two smart pointers.
std::optional<ExprId> CallLowering::nullComparison() {
  const auto *OC = dyn_cast<CXXOperatorCallExpr>(E);
  if (!OC || OC->getNumArgs() != 2 ||
      (OC->getOperator() != OO_EqualEqual &&
       OC->getOperator() != OO_ExclaimEqual))
    return std::nullopt;
  const char *Spelling = OC->getOperator() == OO_EqualEqual ? "==" : "!=";
  auto ShapeOf = [&](unsigned I) {
    return L.Names.shapeOf(OC->getArg(I)->getType()->getAsCXXRecordDecl());
  };
  if (ShapeOf(0) == LibraryShape::Pointer &&
      ShapeOf(1) == LibraryShape::Pointer)
    return Exprs.binary(Spelling, Exprs.load(L.place(OC->getArg(0))),
                        Exprs.load(L.place(OC->getArg(1))));
  for (unsigned I : {0u, 1u}) {
    if ((ShapeOf(I) != LibraryShape::Holder &&
         ShapeOf(I) != LibraryShape::Pointer) ||
        !OC->getArg(1 - I)->getType()->isNullPtrType())
      continue;
    ExprId Held = Exprs.load(L.place(OC->getArg(I)));
    return Exprs.binary(Spelling, Held, Exprs.integer(0));
  }
  return std::nullopt;
}

/// The static method of the class `Class` that \p FD calls, if it is a method
/// of a library template `Function<Class>` that does so.
static const FunctionDecl *forwardOf(const FunctionDecl *FD,
                                     LibraryNames &Names) {
  const auto *M = dyn_cast_or_null<CXXMethodDecl>(FD);
  if (!M || !M->isStatic() || !Names.is(M, Role::CallsForward))
    return nullptr;
  StringRef Forward =
      Names.catalogue().as(Role::CallsForward, canonicalQualifiedName(M));
  const auto *Spec = dyn_cast<ClassTemplateSpecializationDecl>(M->getParent());
  if (!Spec || Spec->getTemplateArgs()[0].getKind() != TemplateArgument::Type)
    return nullptr;
  const CXXRecordDecl *RD =
      Spec->getTemplateArgs()[0].getAsType()->getAsCXXRecordDecl();
  if (!RD || !RD->hasDefinition())
    return nullptr;
  for (const CXXMethodDecl *Each : RD->getDefinition()->methods())
    if (Each->isStatic() && Each->getDeclName().isIdentifier() &&
        Each->getName() == Forward && Each->getNumParams())
      return Each;
  return nullptr;
}

/// apply(x, ...) calls forward(context, x, ...).
std::optional<ExprId> CallLowering::forwarded() {
  const FunctionDecl *Forward = forwardOf(FD, L.Names);
  if (!Forward)
    return std::nullopt;
  Op O = callAt(where());
  O.Callee = L.Table.idOf(Forward);
  O.Args.push_back({Exprs.unknown(), {}, false});
  for (unsigned I = 0; I < E->getNumArgs(); ++I) {
    CallArg Arg;
    Arg.Value = L.argument(E->getArg(I), I + 1 < Forward->getNumParams()
                                             ? Forward->getParamDecl(I + 1)
                                             : nullptr);
    Arg.Range = spanOf(E->getArg(I)->getSourceRange());
    O.Args.push_back(Arg);
  }
  return L.Out.call(std::move(O));
}

/// True for `<<` that writes to a string stream or to any stream that the
/// function received: formatting, not input or output.
static bool isFormatting(const CallExpr *E, LibraryNames &Names) {
  const auto *OC = dyn_cast<CXXOperatorCallExpr>(E);
  if (!OC || OC->getOperator() != OO_LessLess)
    return false;
  const clang::Expr *Left = OC;
  while (true) {
    Left = Left->IgnoreParenImpCasts();
    const auto *Inner = dyn_cast<CXXOperatorCallExpr>(Left);
    if (!Inner || Inner->getOperator() != OO_LessLess)
      break;
    Left = Inner->getArg(0);
  }
  catalogue::RoleSet Roles = Names.of(Left->getType()->getAsCXXRecordDecl());
  if (Roles.has(Role::TextStream))
    return true;
  const auto *DRE = dyn_cast<DeclRefExpr>(Left);
  const auto *VD = DRE ? dyn_cast<VarDecl>(DRE->getDecl()) : nullptr;
  return Roles.has(Role::OutputStream) && !(VD && VD->hasGlobalStorage());
}

std::optional<ExprId> CallLowering::formatting() {
  if (!isFormatting(E, L.Names))
    return std::nullopt;
  return E->isGLValue() ? Exprs.addrOf(L.place(E->getArg(0))) : Exprs.unknown();
}

/// The operation, without its callee and arguments.
Op CallLowering::start() {
  Op O = callAt(where());
  O.CloseParen = spanOf(E->getRParenLoc());
  O.Discarded = L.Body.Index.Discarded.count(E);
  const clang::Expr *Callee = E->getCallee()->IgnoreParenImpCasts();
  O.Name = spanOf(Callee->getExprLoc());
  if (const auto *ME = dyn_cast<MemberExpr>(Callee))
    O.Name = spanOf(ME->getMemberLoc());
  return O;
}

std::optional<ExprId> CallLowering::kernel() {
  const auto *K = dyn_cast<CUDAKernelCallExpr>(E);
  if (!K)
    return std::nullopt;
  Op O = start();
  O.How = Dispatch::Kernel;
  const CallExpr *Config = K->getConfig();
  ArgumentLowering(L).add(
      O, llvm::ArrayRef(Config->getArgs(), Config->getNumArgs()),
      Config->getDirectCallee());
  O.Config = std::exchange(O.Args, {});
  O.CloseParen = spanOf(Config->getRParenLoc());
  if (FD)
    O.Callee = L.Table.idOf(FD);
  else
    O.CalleeValue = L.value(K->getCallee());
  O.AnyGrid = FD && hasGridStrideLoop(FD);
  ArgumentLowering(L).add(O, args(), FD);
  return L.Out.call(std::move(O));
}

/// (object.*pointer)(...)
std::optional<ExprId> CallLowering::throughMemberPointer() {
  const auto *PM =
      dyn_cast<BinaryOperator>(E->getCallee()->IgnoreParenImpCasts());
  if (!PM || !PM->isPtrMemOp())
    return std::nullopt;
  Op O = start();
  O.How = Dispatch::Indirect;
  O.CalleeValue = L.value(PM->getRHS());
  O.Object = PM->getOpcode() == BO_PtrMemI ? Exprs.deref(L.value(PM->getLHS()))
                                           : L.place(PM->getLHS());
  QualType Type;
  if (const auto *T = PM->getRHS()->getType()->getAs<MemberPointerType>())
    Type = T->getPointeeType();
  ArgumentLowering(L).add(O, args(), nullptr, Type);
  return L.Out.call(std::move(O));
}

std::optional<ExprId> CallLowering::method() {
  if (TupleLowering(L).assignTied(E))
    return Exprs.unknown();
  std::optional<MethodCall> Call = MethodCall::of(E);
  if (!Call)
    return std::nullopt;
  return MethodLowering(L, *Call).run(start());
}

ExprId CallLowering::other() {
  Op O = start();
  QualType Type;
  if (!FD)
    FD = apiOfPointer(E->getCallee(), L.Table);
  else if (const FunctionDecl *Api = apiOfWrapper(FD, L.Table))
    FD = Api;
  if (FD) {
    O.Callee = L.Table.idOf(FD);
  } else {
    O.How = Dispatch::Indirect;
    O.CalleeValue = L.value(E->getCallee());
    Type = E->getCallee()->getType();
    O.Text = callableType(Type, L.Table);
    if (!Type->getPointeeType().isNull())
      Type = Type->getPointeeType();
  }
  ArgumentLowering(L).add(O, args(), FD, Type);
  const std::vector<CallArg> Lowered = O.Args;
  ExprId V = L.Out.call(std::move(O));
  if (FD && FD->isInStdNamespace())
    MoveLowering(L).moveInto(None, args(), Lowered, FD, where());
  if (FD && FD->getBuiltinID() == Builtin::BImemset && args().size() == 3)
    setToZero(Lowered.front().Value);
  return V;
}

/// Lowers a memset() that sets a whole object, at \p Address, to zero.
void CallLowering::setToZero(ExprId Address) {
  ASTContext &Ctx = L.Table.context();
  auto NumberOf = [&](const clang::Expr *E) -> std::optional<uint64_t> {
    clang::Expr::EvalResult R;
    if (E->isValueDependent() || !E->EvaluateAsInt(R, Ctx))
      return std::nullopt;
    return R.Val.getInt().tryZExtValue();
  };
  const clang::Expr *To = args()[0]->IgnoreParenCasts();
  QualType Type = To->getType();
  if (Type->isPointerType())
    Type = Type->getPointeeType();
  else if (!Type->isArrayType())
    return;
  if (Type->isIncompleteType() || Type->isDependentType() ||
      !Type->isObjectType() || NumberOf(args()[1]) != 0)
    return;
  uint64_t Size = Ctx.getTypeSizeInChars(Type).getQuantity();
  std::optional<uint64_t> N = NumberOf(args()[2]);
  if (!N || *N < Size || !Size)
    return;
  ExprId Place = Exprs.deref(Address);
  L.Out.assign(Place, Exprs.integer(0), {});
  // Members that are unknown on another path would be lost where the paths
  // meet.
  constexpr unsigned MaxMembers = 32;
  llvm::SmallVector<std::pair<ExprId, const RecordDecl *>, 4> Records;
  auto Add = [&](ExprId At, QualType T) {
    if (const RecordDecl *RD = T->getAsRecordDecl(); RD && RD->getDefinition())
      Records.push_back({At, RD->getDefinition()});
  };
  Add(Place, Type);
  unsigned Members = 0;
  for (unsigned I = 0; I < Records.size(); ++I) {
    auto [At, RD] = Records[I];
    for (const FieldDecl *Each : RD->fields()) {
      if (Each->isUnnamedBitField() || ++Members > MaxMembers)
        continue;
      ExprId Member = Exprs.field(At, canonicalQualifiedName(Each));
      if (Each->getType()->isScalarType())
        L.Out.assign(Member, Exprs.integer(0), {});
      else
        Add(Member, Each->getType());
    }
  }
}

} // namespace cudagraph
