//===- Names.h - Function names of analysis and debugger --------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function has several spellings: the analysis writes `ns::Pool::grow(int)`,
// a demangler `float* (anonymous namespace)::Pool<float>::grow(int) const`, and
// the debug information of an inlined call contains `grow`.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_CONFIRM_NAMES_H
#define CUDAGRAPH_PROBE_CONFIRM_NAMES_H

#include <string>
#include <string_view>
#include <vector>

namespace cudagraph::confirm {

/// Returns the scopes and the name, without the return type, arguments,
/// template arguments, unnamed namespaces, or lambdas: {"ns", "Pool", "grow"}.
std::vector<std::string> componentsOf(std::string_view Signature);

/// Returns the last of the components, or nothing.
std::string baseName(std::string_view Signature);

/// Whether both may be one function: they have the same name, and the scopes of
/// one include all scopes of the other.
bool namesAgree(std::string_view A, std::string_view B);

/// Returns the public name of a CUDA function: without the version, the suffix
/// for the per-thread default stream, or template arguments.
std::string publicName(std::string_view Api);

/// Whether \p Callee is a function of the runtime or the driver API.
bool isCudaApi(std::string_view Callee);

/// Whether \p Api launches a kernel.
bool isLaunch(std::string_view Api);
/// The functions that launch kernels.
const std::vector<std::string> &launchFunctions();

/// Returns the functions for \p Callee in a run: itself, and the functions that
/// C++ overloads in CUDA's headers call instead.
std::vector<std::string> runNames(std::string_view Callee);

/// Returns the beginning of the name of \p Callee's shared library
/// ("libcublas"), or nothing if the library is unknown.
std::vector<std::string> librariesOf(std::string_view Callee);

} // namespace cudagraph::confirm

#endif // CUDAGRAPH_PROBE_CONFIRM_NAMES_H
