//===- FunctionTable.h - The functions of a translation unit ----*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers functions, describes them, and lowers their bodies on demand: the
// contents of a summary (Summary.h). UnitContents.h finds the functions that a
// unit defines.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_FUNCTIONTABLE_H
#define CUDAGRAPH_ANALYSIS_LOWER_FUNCTIONTABLE_H

#include "CommentMarkers.h"
#include "FunctionDescriber.h"
#include "LibraryShape.h"
#include "UnsetMembers.h"
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
  /// \p Errors, which may be null, contains the parse errors of the unit; it
  /// and \p Known must outlive the table. \p Own identifies the project's code;
  /// null: determined from the main file.
  explicit FunctionTable(
      clang::ASTContext &Ctx, const ParseErrors *Errors = nullptr,
      const catalogue::Catalogue &Known = catalogue::Catalogue::builtin(),
      const ProjectCode *Own = nullptr);
  ~FunctionTable();

  clang::ASTContext &context() { return Ctx; }
  /// The catalogue's information about the unit's names.
  LibraryNames &names() { return Names; }
  /// Identifies the project's own code.
  const ProjectCode &own() const { return *Own; }
  /// The source of the unit that does not parse, as far as the host has
  /// recorded it.
  const ParseErrors &errors() const { return *Errors; }
  /// True if some source of the unit does not parse.
  bool hasErrors() const;
  /// The members that stay null.
  UnsetMembers &unset() { return Unset; }
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
  /// Records that \p M overrides \p Base.
  void addOverride(const clang::CXXMethodDecl *M,
                   const clang::CXXMethodDecl *Base);

  /// Returns the lowered body, or nullptr if there is none to enter: no
  /// definition here, system header, device code, or dependent template.
  const FlowGraph *graph(FunctionId Id);

private:
  clang::ASTContext &Ctx;
  const ParseErrors *Errors;
  LibraryNames Names;
  const ProjectCode Default; ///< determined from the main file
  const ProjectCode *Own;
  FunctionDescriber Describer;
  UnsetMembers Unset;
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
