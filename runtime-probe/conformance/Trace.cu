//===- Trace.cu - CUDA's errors inside a library --------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Libraries contain their own CUDA runtimes; all of them call the driver, and
// CUPTI observes each such call.
//
//===----------------------------------------------------------------------===//

#include "Scene.h"
#ifndef CUDAGRAPH_WITHOUT_LIBRARIES
#include <cupti.h>
#endif

namespace cudagraph::conformance {

static int FirstCode;
static std::string FirstCall;

#ifdef CUDAGRAPH_WITHOUT_LIBRARIES
void Trace::start() {}
void Trace::stop() {}
#else
static bool Watching;

static void CUPTIAPI onCall(void *, CUpti_CallbackDomain, CUpti_CallbackId,
                            const void *Data) {
  const auto *Call = static_cast<const CUpti_CallbackData *>(Data);
  if (!Watching || FirstCode || Call->callbackSite != CUPTI_API_EXIT ||
      !Call->functionReturnValue)
    return;
  int Code = *static_cast<const int *>(Call->functionReturnValue);
  if (Code < 900 || Code > 908)
    return;
  FirstCode = Code;
  FirstCall = Call->functionName;
}

void Trace::start() {
  static CUpti_SubscriberHandle Subscriber = [] {
    CUpti_SubscriberHandle New = nullptr;
    if (cuptiSubscribe(&New, onCall, nullptr) == CUPTI_SUCCESS)
      cuptiEnableDomain(1, New, CUPTI_CB_DOMAIN_DRIVER_API);
    return New;
  }();
  (void)Subscriber;
  FirstCode = 0;
  FirstCall.clear();
  Watching = true;
}

void Trace::stop() { Watching = false; }
#endif

int Trace::code() { return FirstCode; }
const std::string &Trace::call() { return FirstCall; }

} // namespace cudagraph::conformance
