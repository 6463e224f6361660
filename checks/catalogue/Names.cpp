//===- Names.cpp - Names of functions and errors --------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The canonical form of a function's name and the names of errors.
//
//===----------------------------------------------------------------------===//

#include "Catalogue.h"
#include <iterator>

namespace cudagraph::catalogue {

/// True if \p Name starts with \p Prefix and continues with a capital letter,
/// as the functions of a CUDA API do: "cudaMalloc", but not "cudart_helper_v2".
static bool hasPrefix(std::string_view Name, std::string_view Prefix) {
  return Name.size() > Prefix.size() &&
         Name.substr(0, Prefix.size()) == Prefix &&
         Name[Prefix.size()] >= 'A' && Name[Prefix.size()] <= 'Z';
}

/// True if \p Name belongs to an API whose names carry suffixes.
static bool hasSuffixes(std::string_view Name) {
  return hasPrefix(Name, "cuda") || hasPrefix(Name, "cu") ||
         hasPrefix(Name, "cublas") || hasPrefix(Name, "__cuda");
}

static bool endsWith(std::string_view Name, std::string_view Suffix) {
  return Name.size() > Suffix.size() &&
         Name.substr(Name.size() - Suffix.size()) == Suffix;
}

/// Returns the length of the last ABI suffix of \p Name, or 0.
static size_t suffixLength(std::string_view Name) {
  if (endsWith(Name, "_ptsz") || endsWith(Name, "_ptds"))
    return 5;
  size_t N = Name.size();
  if (N > 3 && Name[N - 3] == '_' && Name[N - 2] == 'v' && Name[N - 1] >= '2' &&
      Name[N - 1] <= '9')
    return 3;
  // The cuBLAS functions with 64-bit sizes.
  if (endsWith(Name, "_64") && hasPrefix(Name, "cublas"))
    return 3;
  return 0;
}

std::string canonicalName(std::string_view Name) {
  if (hasSuffixes(Name))
    while (size_t Length = suffixLength(Name))
      Name.remove_suffix(Length);
  return std::string(Name);
}

std::string operatorName(std::string_view Name) {
  auto Drop = [&](std::string_view Prefix) {
    if (Name.substr(0, Prefix.size()) != Prefix)
      return false;
    Name.remove_prefix(Prefix.size());
    return true;
  };
  std::string Family;
  if (Drop("at::")) {
    if (!Drop("Tensor::") && !Drop("TensorBase::"))
      Drop("symint::");
  } else if (Drop("torch::stable::")) {
    Drop("Tensor::");
  } else if (Drop("torch::")) {
    for (std::string_view Of : {"linalg", "fft", "special"})
      if (Drop(std::string(Of) + "::"))
        Family = std::string(Of) + "_";
  } else {
    return {};
  }
  if (Name.empty() || Name.find(':') != std::string_view::npos ||
      Name.find(' ') != std::string_view::npos)
    return {};
  for (std::string_view Suffix :
       {"_symint_outf", "_symint_out", "_symint", "_outf", "_out"})
    if (endsWith(Name, Suffix)) {
      Name.remove_suffix(Suffix.size());
      break;
    }
  return "aten::" + Family + std::string(Name);
}

bool hasPerThreadSuffix(std::string_view Name) {
  if (!hasSuffixes(Name))
    return false;
  while (size_t Length = suffixLength(Name)) {
    if (Length == 5)
      return true;
    Name.remove_suffix(Length);
  }
  return false;
}

std::string perThreadName(std::string_view Name) {
  return std::string(Name) + "_ptsz";
}

namespace {
struct ErrorText {
  std::string_view Name, Meaning;
};
} // namespace

/// Codes 900 to 908, in order. The driver API uses the same numbers.
static constexpr ErrorText Errors[] = {
    {"cudaErrorStreamCaptureUnsupported",
     "the operation is not permitted while the stream is capturing"},
    {"cudaErrorStreamCaptureInvalidated",
     "the current capture sequence on the stream has been invalidated by a "
     "previous error"},
    {"cudaErrorStreamCaptureMerge",
     "the operation would merge two independent capture sequences"},
    {"cudaErrorStreamCaptureUnmatched",
     "the capture was not initiated in this stream"},
    {"cudaErrorStreamCaptureUnjoined",
     "the capture sequence contains a fork that was not joined to the origin "
     "stream"},
    {"cudaErrorStreamCaptureIsolation",
     "a dependency would cross the boundary of the capture sequence; only "
     "implicit in-stream dependencies may cross it"},
    {"cudaErrorStreamCaptureImplicit",
     "the operation would make the legacy default stream depend on a "
     "capturing stream"},
    {"cudaErrorCapturedEvent",
     "the operation is not permitted on an event that was last recorded in a "
     "capturing stream"},
    {"cudaErrorStreamCaptureWrongThread",
     "a capture that did not begin in relaxed mode was ended by another "
     "thread"},
};

static constexpr int FirstError = 900;
static constexpr int LastError = FirstError + std::size(Errors) - 1;

std::string_view errorName(int Code) {
  // CUDA errors other than those for incorrect use of a capture.
  switch (Code) {
  case 1:
    return "cudaErrorInvalidValue";
  case 400:
    return "cudaErrorInvalidResourceHandle";
  case 401:
    return "cudaErrorIllegalState";
  case 801:
    return "cudaErrorNotSupported";
  case 910:
    return "cudaErrorGraphExecUpdateFailure";
  }
  if (Code < FirstError || Code > LastError)
    return {};
  return Errors[Code - FirstError].Name;
}

std::string_view errorMeaning(int Code) {
  if (Code < FirstError || Code > LastError)
    return {};
  return Errors[Code - FirstError].Meaning;
}

} // namespace cudagraph::catalogue
