//===- FunctionTable.h - The functions of a translation unit ----*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers functions, describes them, and lowers their bodies on demand: what a
// summary (Summary.h) is made of. UnitContents.h finds what a unit defines.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_FUNCTIONTABLE_H
#define CUDAGRAPH_ANALYSIS_LOWER_FUNCTIONTABLE_H

#include "CommentMarkers.h"
#include "FunctionDescriber.h"
#include "LibraryShape.h"
#include "analysis/ir/FlowGraph.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <deque>
#include <memory>
#include <vector>

namespace cudagraph {

class ParseErrors;

class FunctionTable {
public:
  /// \p Errors, which may be null, says where the unit does not parse; it must
  /// outlive the table, and so must \p Known. \p Own says which code is the
  /// project's; null: as the main file tells.
  explicit FunctionTable(
      clang::ASTContext &Ctx, const ParseErrors *Errors = nullptr,
      const catalogue::Catalogue &Known = catalogue::Catalogue::builtin(),
      const ProjectCode *Own = nullptr);
  ~FunctionTable();

  clang::ASTContext &context() { return Ctx; }
  /// What the catalogue says of the unit's names.
  LibraryNames &names() { return Names; }
  /// Which code is the project's own.
  const ProjectCode &own() const { return *Own; }
  /// Where the unit does not parse, as far as the host knows.
  const ParseErrors &errors() const { return *Errors; }
  /// True if something in the unit does not parse.
  bool hasErrors() const;
  /// Comment markers of the main file and of user headers, by location.
  const std::vector<CommentMarker> &markers() const { return Markers; }

  /// Returns the number of \p FD (its canonical declaration), adding it if new.
  FunctionId idOf(const clang::FunctionDecl *FD);
  const FunctionInfo &info(FunctionId Id) const { return Infos[Id]; }
  unsigned size() const { return Infos.size(); }
  /// The canonical declaration of \p Id.
  const clang::FunctionDecl *decl(FunctionId Id) const { return Decls[Id]; }
  /// The function \p Name of type \p Type, which the unit calls through a
  /// pointer and does not declare.
  const clang::FunctionDecl *undeclared(llvm::StringRef Name,
                                        clang::QualType Type);
  /// Notes that \p M overrides \p Base.
  void addOverride(const clang::CXXMethodDecl *M,
                   const clang::CXXMethodDecl *Base);

  /// Returns the lowered body, or nullptr when there is none to look into:
  /// no definition here, system header, device code, dependent template.
  const FlowGraph *graph(FunctionId Id);

private:
  clang::ASTContext &Ctx;
  const ParseErrors *Errors;
  LibraryNames Names;
  const ProjectCode Default; ///< what the main file tells
  const ProjectCode *Own;
  FunctionDescriber Describer;
  const std::vector<CommentMarker> Markers;
  llvm::DenseMap<const clang::FunctionDecl *, FunctionId> Ids;
  llvm::StringMap<const clang::FunctionDecl *> Undeclared;
  std::deque<FunctionInfo> Infos;
  std::vector<const clang::FunctionDecl *> Decls;
  std::vector<std::unique_ptr<FlowGraph>> Graphs;
  std::vector<bool> Lowered;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_FUNCTIONTABLE_H
