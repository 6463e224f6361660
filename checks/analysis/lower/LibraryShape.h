//===- LibraryShape.h - Library classes and functions -----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The analysis does not enter libraries. It models how their classes pass on
// streams and callables by the form of the class. Holders (smart pointers,
// std::function, std::optional) contain their value, containers have elements,
// iterators point to elements, and forwarding functions are transparent. The
// catalogue defines the form of each class, and other properties of
// declarations; this class caches them.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_LIBRARYSHAPE_H
#define CUDAGRAPH_ANALYSIS_LOWER_LIBRARYSHAPE_H

#include "catalogue/Catalogue.h"
#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/DenseMap.h"

namespace cudagraph {

enum class LibraryShape {
  NotLibrary,
  Holder,
  Pointer,
  Iterator,
  Container,
  View, ///< refers to elements with another owner
};

/// The catalogue's information about the declarations of one unit.
class LibraryNames {
public:
  explicit LibraryNames(const catalogue::Catalogue &Known) : Known(Known) {}

  const catalogue::Catalogue &catalogue() const { return Known; }

  /// The roles of \p D, which may be null.
  catalogue::RoleSet of(const clang::TagDecl *D);
  /// The roles of \p FD, which may be null, by both of its names.
  catalogue::RoleSet of(const clang::FunctionDecl *FD);
  bool is(const clang::FunctionDecl *FD, catalogue::Role R) {
    return of(FD).has(R);
  }
  /// The roles of \p T by its spelling, with template arguments.
  catalogue::RoleSet ofSpelling(clang::QualType T) const;

  /// The kind of \p RD, which may be null.
  LibraryShape shapeOf(const clang::CXXRecordDecl *RD);
  /// True for a class, which may be null, whose objects own device memory:
  /// vectors, buffers, or tensors.
  bool ownsDeviceMemory(const clang::CXXRecordDecl *RD);
  bool isTensor(const clang::CXXRecordDecl *RD);
  /// True for a class, which may be null, whose objects stand for an element in
  /// device memory: reading or writing such an object copies the element.
  bool isDeviceReference(const clang::CXXRecordDecl *RD);
  /// True for a class, which may be null, whose objects contain one object or
  /// none.
  bool isOptional(const clang::CXXRecordDecl *RD);
  /// The class of the contents of an optional of class \p RD; null if that is
  /// not a class.
  const clang::CXXRecordDecl *optionalOf(const clang::CXXRecordDecl *RD);
  /// True if \p T is cudaStream_t or CUstream, or a class that wraps one.
  bool isStream(clang::QualType T);
  /// True if \p RD is a vector of streams or events.
  bool isHandleList(const clang::CXXRecordDecl *RD);
  /// The name of \p RD's members in the catalogue, if it differs from their
  /// own; else empty.
  std::string aliasOf(const clang::CXXRecordDecl *RD);

private:
  const catalogue::Catalogue &Known;
  llvm::DenseMap<const clang::TagDecl *, catalogue::RoleSet> Types;
  llvm::DenseMap<const clang::FunctionDecl *, catalogue::RoleSet> Functions;
};

/// True if \p RD, a container, maps keys to values.
bool mapsKeys(const clang::CXXRecordDecl *RD);

/// True if \p RD, which may be null, is a std::pair.
bool isPair(const clang::CXXRecordDecl *RD);

/// True if \p RD, which may be null, is the pair of a key and a value to which
/// an iterator over a table refers. It has the place of the value.
bool isTableEntry(const clang::CXXRecordDecl *RD);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_LIBRARYSHAPE_H
