//===- subscriber.cpp - What a subscription to CUPTI costs ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library that CUDA loads by CUDA_INJECTION64_PATH and that does nothing but
// what SUBSCRIBER_MODE selects, so that bench_overhead.py can distinguish the
// cost of a subscription from that of the probe: nothing, load (libcupti),
// subscribe, unsubscribe (immediately), finalize (immediately), begin (a
// callback for the begin of captures, which never does anything).
//
//===----------------------------------------------------------------------===//

#include <cstdlib>
#include <cupti.h>
#include <dlfcn.h>
#include <string>

static void CUPTIAPI callback(void *, CUpti_CallbackDomain, CUpti_CallbackId,
                              const void *) {}

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  const char *Given = std::getenv("SUBSCRIBER_MODE");
  std::string Mode = Given ? Given : "nothing";
  if (Mode == "nothing")
    return 1;
  void *Library = dlopen("libcupti.so", RTLD_NOW);
  if (!Library)
    std::exit(98);
  if (Mode == "load")
    return 1;
  auto *Subscribe = reinterpret_cast<decltype(&cuptiSubscribe)>(
      dlsym(Library, "cuptiSubscribe"));
  auto *Unsubscribe = reinterpret_cast<decltype(&cuptiUnsubscribe)>(
      dlsym(Library, "cuptiUnsubscribe"));
  auto *Finalize = reinterpret_cast<decltype(&cuptiFinalize)>(
      dlsym(Library, "cuptiFinalize"));
  auto *Enable = reinterpret_cast<decltype(&cuptiEnableCallback)>(
      dlsym(Library, "cuptiEnableCallback"));
  CUpti_SubscriberHandle Handle;
  if (Subscribe(&Handle, callback, nullptr))
    std::exit(97);
  if (Mode == "begin")
    Enable(1, Handle, CUPTI_CB_DOMAIN_DRIVER_API,
           CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2);
  if (Mode == "unsubscribe" || Mode == "finalize")
    Unsubscribe(Handle);
  if (Mode == "finalize")
    Finalize();
  return 1;
}
