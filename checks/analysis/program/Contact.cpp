//===- Contact.cpp - How other code can affect captures -------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contact.h"
#include "Program.h"
#include "Relevance.h"
#include "Roots.h"
#include "versions/LLVMVersions.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"

namespace cudagraph {
namespace {

/// The class and the name of the member \p Qualified, or of a name that looks
/// like a member.
std::pair<std::string, std::string> split(llvm::StringRef Qualified) {
  size_t At = Qualified.rfind("::");
  if (At == llvm::StringRef::npos)
    return {"", Qualified.str()};
  llvm::StringRef Class = Qualified.take_front(At);
  if (size_t Inner = Class.rfind("::"); Inner != llvm::StringRef::npos)
    Class = Class.drop_front(Inner + 2);
  return {Class.str(), Qualified.drop_front(At + 2).str()};
}

class Finder {
public:
  Finder(Program &Linked, const catalogue::Catalogue &Known)
      : Linked(Linked), Rel(Linked, Known) {
    for (const UnitSummary &Unit : Linked.units())
      for (const auto &[Base, Over] : Unit.Overrides)
        Overriding.insert(Over);
  }

  ContactNames
  run(llvm::function_ref<const AnalysisOptions &(unsigned)> OptionsOf) {
    for (FunctionId F = 0; F < Linked.size(); ++F)
      if (Rel.bits(F) & Relevance::Opens) {
        use(F);
        reach(F);
      }
    RootFinder Finder(Linked, Rel);
    for (const Root &Each :
         Finder.assumed([&](FunctionId F) -> const AnalysisOptions & {
           return OptionsOf(Linked.unitOf(F));
         }))
      reach(Each.Function);
    while (!Work.empty()) {
      FunctionId F = Work.back();
      Work.pop_back();
      visit(F);
    }
    return std::move(Result);
  }

private:
  void reach(FunctionId F) {
    if (F != None && Reached.insert(F).second)
      Work.push_back(F);
  }

  /// Records that other code may call \p F.
  void use(FunctionId F) {
    const FunctionInfo &Info = Linked.info(F);
    if (Info.IsSystem || Info.IsLambda || isPrivate(F) || Info.Name == "main")
      return;
    auto [Class, Name] = nameOf(Info);
    bool Implicit = Info.IsConstructor || Info.IsDestructor ||
                    llvm::StringRef(Name).starts_with("operator");
    // An override is called through a base class.
    if (Class.empty() || (Overriding.contains(Linked.key(F)) && !Implicit))
      Result.Uses.insert(Name);
    else
      Result.Members.insert({Class, Implicit ? std::string() : Name});
    // A free operator is called through the class of its arguments.
    if (Class.empty() && Implicit && !Info.LastParam.empty())
      Result.Members.insert({split(Info.LastParam).second, ""});
  }

  /// True if only the unit that defines \p F can name it.
  bool isPrivate(FunctionId F) {
    const FunctionInfo &Info = Linked.info(F);
    if (!Info.IsStatic)
      return false;
    const UnitSummary &Unit = Linked.units()[Linked.unitOf(F)];
    llvm::SmallString<256> Main(Unit.MainFile);
    llvm::sys::path::make_absolute(Unit.Directory, Main);
    llvm::sys::path::remove_dots(Main, /*remove_dot_dot=*/true);
    return Linked.location(Info.Where).File == Main;
  }

  /// Records that other code may define \p F.
  void define(FunctionId F) {
    const FunctionInfo &Info = Linked.info(F);
    // A header of the project may be a system header to the compiler.
    llvm::StringRef Qualified = Info.Name;
    if (Info.IsLambda || Info.IsStatic ||
        catalogue::Catalogue::builtin().is(
            catalogue::Role::StandardNamespace,
            Qualified.take_front(Qualified.find("::"))))
      return;
    auto [Class, Name] = nameOf(Info);
    if (llvm::StringRef(Name).starts_with("operator"))
      Name = "operator";
    if (Info.IsConstructor || Info.IsDestructor)
      Name = Class;
    Result.Definitions.insert({Class, Name});
  }

  static std::pair<std::string, std::string> nameOf(const FunctionInfo &Info) {
    std::string Class = Info.Class.empty() ? "" : split(Info.Class).second;
    return {Class, split(Info.Name).second};
  }

  void visit(FunctionId F) {
    for (FunctionId Over : FunctionInfo(Linked.info(F)).Overrides)
      reach(Over);
    const FlowGraph *G = Linked.graph(F);
    if (!G)
      define(F);
    for (FunctionId C : Rel.calleesOf(F)) {
      reach(C);
      // Several programs may define it: which definition is used depends on all
      // units.
      if (Linked.hasGraph(C) && !Linked.sharesUnit(C, F))
        define(C);
    }
    if (!G)
      return;
    for (const Block &B : G->Blocks)
      for (const Op &O : B.Ops)
        if (O.Kind == OpKind::Call && O.How == Dispatch::Virtual &&
            O.Callee != None && !Linked.info(O.Callee).IsSystem)
          Result.Members.insert(nameOf(Linked.info(O.Callee)));
    for (const Expr &E : G->Exprs)
      if (E.Kind == ExprKind::Field || E.Kind == ExprKind::Global)
        state(E, Linked.units()[Linked.unitOf(F)].MainFile);
  }

  /// Records that other code may change the member or global \p E, or cause a
  /// change to it. \p Main is the source that mentions it.
  void state(const Expr &E, llvm::StringRef Main) {
    if (!States.insert(E.S).second)
      return;
    auto [Class, Name] = split(E.S);
    // A name that is private to a unit begins with its file.
    llvm::StringRef Rest = E.S;
    bool Private = E.Kind == ExprKind::Global && Rest.consume_front(Main) &&
                   Rest.starts_with("::");
    if (E.Kind == ExprKind::Field && !Class.empty())
      Result.Members.insert({Class, Name});
    else if (!Private)
      Result.Uses.insert(Name);
    const WriteSummary *W = Rel.writes(E.S);
    if (!W)
      return;
    for (FunctionId Writer : W->Writers)
      use(Writer);
    for (const WriteSummary::Change &Step : W->Steppers)
      use(Step.In);
    for (const auto *List : {&W->Setters, &W->Growers})
      for (const WriteSummary::Change &C : *List)
        use(C.In);
    for (const WriteSummary::Use &U : W->Calls)
      use(U.In);
    for (FunctionId C : W->Callables)
      reach(C);
  }

  Program &Linked;
  Relevance Rel;
  ContactNames Result;
  llvm::DenseSet<FunctionId> Reached;
  llvm::DenseSet<FunctionKey> Overriding;
  std::vector<FunctionId> Work;
  std::set<std::string> States;
};

} // namespace

void ContactNames::add(const ContactNames &Other) {
  Uses.insert(Other.Uses.begin(), Other.Uses.end());
  Members.insert(Other.Members.begin(), Other.Members.end());
  Definitions.insert(Other.Definitions.begin(), Other.Definitions.end());
}

ContactNames
contactNames(Program &Linked, const catalogue::Catalogue &Known,
             llvm::function_ref<const AnalysisOptions &(unsigned)> OptionsOf) {
  return Finder(Linked, Known).run(OptionsOf);
}

} // namespace cudagraph
