//===- subscriber.cpp - The cost of a CUPTI subscription ------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library that CUDA loads through CUDA_INJECTION64_PATH. It performs only the
// operation that SUBSCRIBER_MODE selects, so that bench_overhead.py can
// distinguish the cost of a subscription from that of the probe: nothing, load
// (libcupti), subscribe, unsubscribe (immediately), finalize (immediately),
// begin (an empty callback for the beginning of captures), late (subscribe when
// there is a context), late-finalize (the same, and finalize).
//
//===----------------------------------------------------------------------===//

#include <chrono>
#include <cstdlib>
#include <cupti.h>
#include <dlfcn.h>
#include <string>
#include <thread>

static void CUPTIAPI callback(void *, CUpti_CallbackDomain, CUpti_CallbackId,
                              const void *) {}

static void *Library;

// Does not refer to the function itself, because nothing links libcupti.
#define FIND(NAME) reinterpret_cast<decltype(&NAME)>(dlsym(Library, #NAME))

static void subscribe(const std::string &Mode) {
  auto *Subscribe = FIND(cuptiSubscribe);
  auto *Unsubscribe = FIND(cuptiUnsubscribe);
  auto *Finalize = FIND(cuptiFinalize);
  auto *Enable = FIND(cuptiEnableCallback);
  CUpti_SubscriberHandle Handle;
  if (Subscribe(&Handle, callback, nullptr))
    std::exit(97);
  if (Mode == "begin")
    Enable(1, Handle, CUPTI_CB_DOMAIN_DRIVER_API,
           CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2);
  bool Ends = Mode.find("finalize") != Mode.npos;
  if (Mode == "unsubscribe" || Ends)
    Unsubscribe(Handle);
  if (Ends)
    Finalize();
}

/// Waits for the primary context of the first device.
static void waitForContext() {
  auto *State = reinterpret_cast<CUresult (*)(CUdevice, unsigned *, int *)>(
      dlsym(RTLD_DEFAULT, "cuDevicePrimaryCtxGetState"));
  if (void *Driver = dlopen("libcuda.so.1", RTLD_NOW); Driver && !State)
    State = reinterpret_cast<decltype(State)>(
        dlsym(Driver, "cuDevicePrimaryCtxGetState"));
  if (!State)
    std::exit(96);
  unsigned Flags = 0;
  for (int Active = 0; State(0, &Flags, &Active) || !Active;)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  const char *Given = std::getenv("SUBSCRIBER_MODE");
  std::string Mode = Given ? Given : "nothing";
  if (Mode == "nothing")
    return 1;
  Library = dlopen("libcupti.so", RTLD_NOW);
  if (!Library)
    std::exit(98);
  if (Mode == "load")
    return 1;
  if (Mode.rfind("late", 0) != 0)
    return subscribe(Mode), 1;
  std::thread([Mode] {
    waitForContext();
    subscribe(Mode);
  }).detach();
  return 1;
}
