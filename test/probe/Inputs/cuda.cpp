// A driver, CUPTI, and a program without a GPU: the program reports calls to the
// injected library as CUPTI does, and the driver checks the library's queries.
// The macro DRIVER, CUPTI, or PROGRAM selects the part.

#include <cuda.h>
#include <cupti.h>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

/// A stream of this driver.
struct CUstream_st {
  bool Exists = true, Captures = false, Broken = false;
};

#if defined(DRIVER)

static thread_local CUstreamCaptureMode Mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
static pid_t Owner = getpid();

static CUstream_st &checked(CUstream S) {
  if (!S->Exists) {
    std::puts("a query of a destroyed stream");
    std::exit(2);
  }
  return *S;
}

extern "C" {
CUresult cuStreamIsCapturing(CUstream S, CUstreamCaptureStatus *Status) {
  *Status = !checked(S).Captures ? CU_STREAM_CAPTURE_STATUS_NONE
            : S->Broken          ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                 : CU_STREAM_CAPTURE_STATUS_ACTIVE;
  return CUDA_SUCCESS;
}
CUresult cuStreamGetCaptureInfo_v2(CUstream S, CUstreamCaptureStatus *Status,
                                   cuuint64_t *Id, CUgraph *,
                                   const CUgraphNode **, size_t *) {
  *Id = reinterpret_cast<cuuint64_t>(S);
  return cuStreamIsCapturing(S, Status);
}
CUresult cuStreamGetFlags(CUstream S, unsigned *Flags) {
  if (checked(S).Captures)
    std::puts("a query that breaks a capture");
  *Flags = CU_STREAM_NON_BLOCKING;
  return CUDA_SUCCESS;
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *New) {
  CUstreamCaptureMode Old = Mode;
  Mode = *New;
  *New = Old;
  return CUDA_SUCCESS;
}
CUresult cuStreamQuery(CUstream S) {
  checked(S);
  std::printf("a query in %s mode\n",
              Mode == CU_STREAM_CAPTURE_MODE_RELAXED ? "relaxed" : "global");
  return CUDA_SUCCESS;
}
CUresult cuGraphGetNodes(CUgraph, CUgraphNode *, size_t *Count) {
  *Count = 0;
  return CUDA_SUCCESS;
}
CUresult cuGraphNodeGetType(CUgraphNode, CUgraphNodeType *) {
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int *Count) {
  std::puts(getpid() == Owner ? "the devices are counted"
                              : "a child uses the driver");
  std::fflush(stdout);
  *Count = 1;
  return CUDA_SUCCESS;
}
}

#elif defined(CUPTI)

static CUpti_CallbackFunc Callback;

extern "C" {
CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *, CUpti_CallbackFunc To,
                           void *) {
  Callback = To;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiEnableCallback(uint32_t, CUpti_SubscriberHandle,
                                CUpti_CallbackDomain, CUpti_CallbackId) {
  return CUPTI_SUCCESS;
}
CUptiResult cuptiEnableDomain(uint32_t, CUpti_SubscriberHandle,
                              CUpti_CallbackDomain) {
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetVersion(uint32_t *) { return CUPTI_SUCCESS; }
CUptiResult cuptiGetResultString(CUptiResult, const char **) {
  return CUPTI_SUCCESS;
}
void report(CUpti_CallbackId Id, bool Exits, const uint64_t *Arguments,
            int Code) {
  CUpti_CallbackData Data = {};
  Data.callbackSite = Exits ? CUPTI_API_EXIT : CUPTI_API_ENTER;
  Data.functionReturnValue = &Code;
  Data.functionParams = Arguments;
  Callback(nullptr, CUPTI_CB_DOMAIN_RUNTIME_API, Id, &Data);
}
}

#else

using Report = void (*)(CUpti_CallbackId, bool, const uint64_t *, int);
static Report Reported;

/// Reports a call whose effect is \p Happens.
template <typename F>
static void call(CUpti_CallbackId Id, uint64_t First, uint64_t Second, int Code,
                 F Happens) {
  uint64_t Arguments[8] = {First, Second};
  Reported(Id, false, Arguments, 0);
  Happens();
  Reported(Id, true, Arguments, Code);
}

#define CALL(NAME, FIRST, SECOND, CODE, ...)                                   \
  call(CUPTI_RUNTIME_TRACE_CBID_##NAME, reinterpret_cast<uint64_t>(FIRST),     \
       reinterpret_cast<uint64_t>(SECOND), CODE, [&] { __VA_ARGS__; })

int main(int, char **Args) {
  for (int I = 1; I <= 2; ++I)
    if (!dlopen(Args[I], RTLD_NOW | RTLD_GLOBAL))
      return std::puts(dlerror()), 1;
  void *Library = dlopen(Args[3], RTLD_NOW);
  if (!Library)
    return std::puts(dlerror()), 1;
  Reported = reinterpret_cast<Report>(dlsym(RTLD_DEFAULT, "report"));
  reinterpret_cast<int (*)()>(dlsym(Library, "InitializeInjection"))();

  std::puts("a child ends");
  std::fflush(stdout);
  if (!fork())
    std::exit(0);
  wait(nullptr);

  std::puts("another thread has begun a capture");
  CUstream_st Mine, Other;
  CALL(cudaStreamBeginCapture_v10000, &Mine, nullptr, 0, Mine.Captures = true);
  Other.Captures = true;
  CALL(cudaStreamWaitEvent_v3020, &Other, nullptr, 900, );

  std::puts("the stream is destroyed while it captures");
  CALL(cudaStreamBeginCapture_v10000, &Mine, nullptr, 401, );
  CALL(cudaStreamDestroy_v5050, &Mine, nullptr, 0, Mine.Exists = false);
  CALL(cudaFree_v3020, nullptr, nullptr, 900, );

  std::puts("a launch");
  CUstream_st Launching;
  int Object = 0;
  void *Exec = &Object;
  CALL(cudaGraphInstantiate_v12000, &Exec, &Object, 0, );
  CALL(cudaGraphLaunch_v10000, Exec, &Launching, 0, );
  std::puts("end");
}

#endif
