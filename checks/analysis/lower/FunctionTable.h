//===- FunctionTable.h - The functions of a translation unit ----*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers functions, describes them, and lowers their bodies on demand: what a
// summary (Summary.h) is made of.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_FUNCTIONTABLE_H
#define CUDAGRAPH_ANALYSIS_LOWER_FUNCTIONTABLE_H

#include "LibraryShape.h"
#include "analysis/ir/FlowGraph.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/DenseMap.h"
#include <deque>
#include <memory>
#include <vector>

namespace cudagraph {

class ParseErrors;

/// A `// cudagraph: begin-capture(stream)` or `end-capture` comment.
struct CommentMarker {
  clang::SourceLocation Loc;
  bool Begin = false;
  std::string Stream; ///< text between the parentheses
};

class FunctionTable {
public:
  /// \p Errors, which may be null, says where the unit does not parse; it must
  /// outlive the table.
  explicit FunctionTable(
      clang::ASTContext &Ctx, const ParseErrors *Errors = nullptr,
      const catalogue::Catalogue &Known = catalogue::Catalogue::builtin());
  ~FunctionTable();

  clang::ASTContext &context() { return Ctx; }
  /// Where the unit does not parse, as far as the host knows.
  const ParseErrors &errors() const { return *Errors; }
  /// What the catalogue, which must outlive the table, says of the unit's
  /// names.
  LibraryNames &names() { return Names; }
  /// True if something in the unit does not parse.
  bool hasErrors() const;

  /// Returns the number of \p FD (its canonical declaration), adding it if new.
  FunctionId idOf(const clang::FunctionDecl *FD);
  const FunctionInfo &info(FunctionId Id) const { return Infos[Id]; }
  unsigned size() const { return Infos.size(); }
  /// The canonical declaration of \p Id.
  const clang::FunctionDecl *decl(FunctionId Id) const { return Decls[Id]; }

  /// Returns the lowered body, or nullptr when there is none to look into:
  /// no definition here, system header, device code, dependent template.
  const FlowGraph *graph(FunctionId Id);

  /// Finds all functions with a body outside system headers, their local
  /// classes and template instantiations, and the override relation.
  std::vector<FunctionId> collect();

  /// What global variables are initialised with, as assignments: only functions
  /// that are stored there, to be called later.
  FlowGraph initializers();

  /// The initialised global variables of user code, once collect() has run.
  const std::vector<const clang::VarDecl *> &globals() const { return Globals; }

  /// The name by which flow graphs know the variable \p VD of static storage
  /// duration: unique in the program.
  std::string globalName(const clang::VarDecl *VD) const;

  /// Comment markers of the main file and of user headers, by location.
  const std::vector<CommentMarker> &markers() const { return Markers; }

private:
  void collectIn(const clang::DeclContext *DC, std::vector<FunctionId> &Result);
  void collectDecl(const clang::Decl *D, std::vector<FunctionId> &Result);
  void collectMarkers();
  void storedFunctions(const clang::Expr *Init, ExprId Place, FlowGraph &G);
  void describe(const clang::FunctionDecl *FD, FunctionInfo &Info);
  unsigned headerVersion(const clang::FunctionDecl *FD);

  clang::ASTContext &Ctx;
  const ParseErrors *Errors;
  LibraryNames Names;
  llvm::DenseMap<const clang::FunctionDecl *, FunctionId> Ids;
  std::deque<FunctionInfo> Infos;
  std::vector<const clang::FunctionDecl *> Decls;
  std::vector<std::unique_ptr<FlowGraph>> Graphs;
  std::vector<bool> Lowered;
  std::map<clang::FileID, unsigned> HeaderVersions; ///< see headerVersion()
  std::vector<CommentMarker> Markers;
  std::vector<const clang::VarDecl *> Globals; ///< that are initialised
};

/// Qualified name without inline namespaces, anonymous namespaces and template
/// arguments: the catalogue's spelling.
std::string canonicalQualifiedName(const clang::NamedDecl *D);

/// True if \p FD stands in a namespace that \p Known describes.
bool isInLibraryNamespace(const clang::FunctionDecl *FD,
                          const catalogue::Catalogue &Known);

/// True if \p FD is not looked into: it stands in a system header, or in a
/// namespace that \p Known describes, unless the main file itself adds to that
/// namespace.
bool isLibraryCode(const clang::FunctionDecl *FD,
                   const clang::SourceManager &SM,
                   const catalogue::Catalogue &Known);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_FUNCTIONTABLE_H
