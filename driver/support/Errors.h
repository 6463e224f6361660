//===- Errors.h - Error messages for users ----------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Errors of the driver are sentences: they state the problem and the remedy. No
// caller needs their kind.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_SUPPORT_ERRORS_H
#define CUDAGRAPH_DRIVER_SUPPORT_ERRORS_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace cudagraph::driver {

/// Returns an error with \p Message.
inline llvm::Error makeError(const llvm::Twine &Message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), Message);
}

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_SUPPORT_ERRORS_H
