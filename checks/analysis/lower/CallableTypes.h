//===- CallableTypes.h - Callables by their type ----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A registry of operators maps names to callables. Which of them a call reaches
// depends on a string, and the analysis does not follow strings. The type of
// the callable determines which functions are possible: those that the program
// converts to it. This holds only if the type is specific to one purpose, so
// one of its parameters must be a class or an enumeration of the program
// itself.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_CALLABLETYPES_H
#define CUDAGRAPH_ANALYSIS_LOWER_CALLABLETYPES_H

#include "ExprLowering.h"

namespace cudagraph {

/// Returns the name under which callables of type \p T, a function pointer or a
/// class that holds a callable, are gathered; empty if \p T is anything else,
/// or if it is not specific.
std::string callableType(clang::QualType T, FunctionTable &Table);

/// Notes that \p V is converted to \p T.
void noteConverted(ExprLowering &L, clang::QualType T, ExprId V);

/// Returns the function \p FD, which is named but not called, and notes that it
/// is converted to a pointer.
ExprId namedFunction(ExprLowering &L, const clang::FunctionDecl *FD);

/// Notes that \p V becomes an element of \p Container, or a value to which it
/// maps a key.
void noteElement(ExprLowering &L, const clang::CXXRecordDecl *Container,
                 ExprId V);

/// Calls \p Visit for each function, or lambda that captures nothing, that the
/// initializer \p Init converts to a specific type.
void eachConverted(
    const clang::Expr *Init, FunctionTable &Table,
    llvm::function_ref<void(std::string Type, const clang::FunctionDecl *)>
        Visit);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_CALLABLETYPES_H
