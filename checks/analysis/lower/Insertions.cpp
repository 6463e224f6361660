//===- Insertions.cpp - Elements that methods add -------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls to methods of containers that add elements or the values of keys.
//
//===----------------------------------------------------------------------===//

#include "CallableTypes.h"
#include "ConstructLowering.h"
#include "HandleLists.h"
#include "MethodLowering.h"
#include "QualifiedName.h"
#include "TableMarking.h"
#include "VariantLowering.h"
#include "analysis/ir/TableMarks.h"

using namespace clang;

namespace cudagraph {

/// True for a method that adds an element to a table.
bool MethodLowering::addsToTable() const {
  return Shape == LibraryShape::Container && mapsKeys(Class) &&
         !Call.Args.empty() &&
         (Name == "emplace" || Name == "try_emplace" || Name == "insert" ||
          Name == "insert_or_assign");
}

/// The key and its value in a call that adds to a table; null for other calls,
/// or if they are constructed from other arguments.
std::pair<const clang::Expr *, const clang::Expr *>
MethodLowering::keyAndValue() const {
  using Two = std::pair<const clang::Expr *, const clang::Expr *>;
  if (!addsToTable())
    return {};
  // The first argument may be a position, and insert() has no form that takes a
  // key.
  bool KeyFirst =
      Name != "insert" &&
      L.Names.shapeOf(Call.Args[0]->getType()->getAsCXXRecordDecl()) !=
          LibraryShape::Iterator;
  if (Name == "try_emplace" && Call.Args.size() != 2)
    return {KeyFirst ? Call.Args[0] : nullptr, nullptr};
  if (listOf(Call.Args[0]))
    return {};
  if (Call.Args.size() != 1)
    return Call.Args.size() == 2 && KeyFirst ? Two{Call.Args[0], Call.Args[1]}
                                             : Two{};
  // A pair, created in place.
  const clang::Expr *Pair = Call.Args[0]->IgnoreUnlessSpelledInSource();
  if (const auto *Made = dyn_cast<CXXConstructExpr>(Pair))
    return Made->getNumArgs() == 2 ? Two{Made->getArg(0), Made->getArg(1)}
                                   : Two{};
  if (const auto *List = dyn_cast<InitListExpr>(Pair))
    return List->getNumInits() == 2 ? Two{List->getInit(0), List->getInit(1)}
                                    : Two{};
  const auto *Maker = dyn_cast<CallExpr>(Pair);
  return Maker && Maker->getNumArgs() == 2 && Maker->getDirectCallee() &&
                 Maker->getDirectCallee()->isInStdNamespace()
             ? Two{Maker->getArg(0), Maker->getArg(1)}
             : Two{};
}

/// True for a method that adds its argument as an element.
bool MethodLowering::adds() const {
  if (Name == "emplace") // for a queue; otherwise, a position comes first
    return llvm::any_of(Class->methods(), [](const CXXMethodDecl *Each) {
      return Each->getDeclName().isIdentifier() && Each->getName() == "push";
    });
  return Name == "push_back" || Name == "emplace_back" || Name == "push" ||
         Name == "push_front" || Name == "emplace_front";
}

/// The value that a method adds at a position; nullptr if it adds none, or
/// several.
const clang::Expr *MethodLowering::valueAtPosition() const {
  if (Shape != LibraryShape::Container || mapsKeys(Class) ||
      Call.Args.size() != 2 || (Name != "insert" && Name != "emplace"))
    return nullptr;
  const clang::Expr *Position = Call.Args[0], *Value = Call.Args[1];
  bool AtIterator =
      L.Names.shapeOf(Position->getType()->getAsCXXRecordDecl()) ==
      LibraryShape::Iterator;
  bool IsRange = Position->getType().getCanonicalType().getUnqualifiedType() ==
                 Value->getType().getCanonicalType().getUnqualifiedType();
  return AtIterator && !IsRange && !listOf(Value) ? Value : nullptr;
}

/// True for null, and for an integer 0 where a pointer is expected.
static bool isNull(const clang::Expr *E, ASTContext &Ctx) {
  E = E->IgnoreUnlessSpelledInSource();
  return E->getType()->isNullPtrType() ||
         E->isNullPointerConstant(Ctx,
                                  clang::Expr::NPC_ValueDependentIsNotNull) !=
             clang::Expr::NPCK_NotNull;
}

/// Adds an element to a container; the call itself is also an operation.
std::optional<ExprId> MethodLowering::insertion(ExprId Place) {
  if (Shape == LibraryShape::Container && adds() &&
      Name.starts_with("emplace")) {
    ExprId Element = Exprs.element(Place, Exprs.unknown());
    if (ConstructLowering(L).emplace(Call.Call, Class, Element, Call.Args)) {
      Emplaced = Element;
      return std::nullopt;
    }
  }
  const bool Adds =
      Shape == LibraryShape::Container && Call.Args.size() == 1 && adds();
  if (const clang::Expr *Value = Adds ? Call.Args.front() : valueAtPosition()) {
    bool Numbered = HandleLists(L).isOne(Class);
    ExprId Element = Numbered ? HandleLists(L).next(Place)
                              : Exprs.element(Place, Exprs.unknown());
    ExprId V = L.argument(Value);
    if (!VariantLowering(L).fillElement(Call.Call, Class, Element, Value))
      L.Out.assign(Element, V, {});
    if (Numbered)
      HandleLists(L).added(Place);
    noteElement(L, Class, V);
    Inserted = Numbered || !Adds ? None : Element;
    Emplaced = Inserted;
  }
  if (Shape == LibraryShape::Container && !Call.Args.empty() &&
      (Name == "assign" || Call.Method->getOverloadedOperator() == OO_Equal))
    ConstructLowering(L).fillContainer(Class, Place, Call.Args);
  if (!addsToTable())
    return std::nullopt;
  auto [Key, Value] = keyAndValue();
  Entry = Exprs.element(Place, Key ? L.argument(Key) : Exprs.unknown());
  // An element that exists keeps its value. A caller that adds null sets the
  // element later.
  bool Keeps = Value && Name != "insert_or_assign" && isNull(Value, L.Body.Ctx);
  if (Value && !Keeps) {
    ExprId V = L.argument(Value);
    if (!VariantLowering(L).fillElement(Call.Call, Class, Entry, Value))
      L.Out.assign(Entry, V, {});
    noteElement(L, Class, V);
  }
  EntryIsNull = Keeps || !Value;
  return std::nullopt;
}

/// The result of a method that adds to a table: an iterator, or a pair of an
/// iterator and whether the element is new.
ExprId MethodLowering::insertionResult(ExprId V) {
  const TableMarking Keys(L, Class);
  const CXXRecordDecl *RD = Call.Method->getReturnType()->getAsCXXRecordDecl();
  if (isPair(RD)) {
    ExprId Result = Exprs.temporary(Call.Call);
    for (const FieldDecl *Field : RD->fields()) {
      ExprId Part = Exprs.addrOf(Entry);
      if (Field->getName() != "first")
        Part = Keys.isOne() ? Exprs.unary(NewKeyOp, Part) : Exprs.unknown();
      L.Out.assign(Exprs.field(Result, canonicalQualifiedName(Field)), Part,
                   {});
    }
    V = Exprs.load(Result);
  } else if (L.Names.shapeOf(RD) == LibraryShape::Iterator) {
    V = Exprs.addrOf(Entry);
  }
  if (Keys.isOne())
    Keys.added(Entry, EntryIsNull && Keys.startsNull());
  return V;
}

} // namespace cudagraph
