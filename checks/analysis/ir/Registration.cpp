//===- Registration.cpp - Where a registered function runs ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Registration.h.
//
//===----------------------------------------------------------------------===//

#include "Registration.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"

namespace cudagraph {

bool reachesDevice(const Registration &R) {
  llvm::StringRef Key(R.DispatchKey);
  return Key.empty() || Key.contains("CUDA") ||
         llvm::StringSwitch<bool>(Key)
             .Cases({"Autograd", "ADInplaceOrView", "Autocast"}, true)
             .Cases({"CompositeImplicitAutograd", "CompositeExplicitAutograd"},
                    true)
             .Cases({"CompositeExplicitAutogradNonFunctional", "CatchAll"},
                    true)
             .Cases({"BackendSelect", "Undefined"}, true)
             .Default(false);
}

} // namespace cudagraph
