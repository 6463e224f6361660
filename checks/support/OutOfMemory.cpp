//===- OutOfMemory.cpp - Reports out-of-memory errors ---------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `new` and LLVM's own allocators both call the handler. It must not allocate.
//
//===----------------------------------------------------------------------===//

#include "OutOfMemory.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"
#include <cstring>
#include <new>
#include <unistd.h>

namespace cudagraph::support {
namespace {

const char *Said = "";
int EndsWith = 1;

[[noreturn]] void end() {
  (void)!write(STDERR_FILENO, Said, std::strlen(Said));
  llvm::sys::RunInterruptHandlers();
  _exit(EndsWith);
}

} // namespace

void handleOutOfMemory(const char *Message, int Status) {
  Said = Message;
  EndsWith = Status;
  std::set_new_handler(end);
  llvm::remove_bad_alloc_error_handler();
  llvm::install_bad_alloc_error_handler(
      [](void *, const char *, bool) { end(); });
}

} // namespace cudagraph::support
