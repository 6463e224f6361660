//===- OptionTable.h - The table of options ---------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table generated from Options.td. It uses LLVM's OptTable, not llvm::cl,
// because options of cl are global and collide with those of the LLVM library
// (--color), and because cl ends the process on errors.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_OPTIONS_OPTIONTABLE_H
#define CUDAGRAPH_DRIVER_OPTIONS_OPTIONTABLE_H

#include "llvm/Option/OptTable.h"

namespace cudagraph::driver {

enum OptionId {
  OPT_INVALID = 0,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "Options.inc"
#undef OPTION
};

class OptionTable : public llvm::opt::GenericOptTable {
public:
  OptionTable();
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_OPTIONS_OPTIONTABLE_H
