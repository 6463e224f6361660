//===- LibraryShape.h - Classes of the standard library ---------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The standard library is not looked into. What matters of it for the flow of
// streams and callables is modelled by the shape of its members: holders (smart
// pointers, std::function, std::optional) contain the value they were given,
// containers have elements, iterators point to them, and forwarding functions
// are transparent.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_LIBRARYSHAPE_H
#define CUDAGRAPH_ANALYSIS_LOWER_LIBRARYSHAPE_H

#include "clang/AST/DeclCXX.h"

namespace cudagraph {

enum class LibraryShape {
  NotLibrary,
  Holder,
  Pointer,
  Iterator,
  Container,
  View, ///< refers to elements that something else owns
};

/// How \p RD, which may be null, behaves.
LibraryShape shapeOf(const clang::CXXRecordDecl *RD);

/// True for a library class, which may be null, whose objects own device
/// memory: vectors and buffers of Thrust and RMM, tensors.
bool ownsDeviceMemory(const clang::CXXRecordDecl *RD);

/// True for a class of Thrust, which may be null, whose objects stand for an
/// element in device memory: reading and writing them copies it.
bool isDeviceReference(const clang::CXXRecordDecl *RD);

/// What an optional of class \p RD holds, if that is a class; else null.
const clang::CXXRecordDecl *optionalOf(const clang::CXXRecordDecl *RD);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_LIBRARYSHAPE_H
