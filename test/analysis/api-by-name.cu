// Functions of a library that is loaded at run time: the declared type of a
// pointer, or the name that is looked up, identifies the function.

// RUN: %check %s

#include <cuda.h>

extern "C" void *dlsym(void *, const char *);

typedef CUresult (*PFN_cuModuleUnload_v2000)(CUmodule);
typedef CUresult (*PFN_cuStreamSynchronize_v2000_ptsz)(CUstream);

struct Driver {
  PFN_cuModuleUnload_v2000 unload;
  decltype(&cuCtxSynchronize) wait;
  decltype(cuStreamSynchronize) *waitFor;
  CUresult (*cuMemFree)(CUdeviceptr);
};

// The type or name of the pointer identifies the function.
void by_type(Driver &d, CUmodule m, CUdeviceptr p, CUstream s, CUgraph *g) {
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
  d.unload(m);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuModuleUnload'
  d.wait();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuCtxSynchronize' waits
  d.waitFor(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuStreamSynchronize' waits
  d.cuMemFree(p);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuMemFree'
  cuStreamEndCapture(s, g);
  d.unload(m);
}

// The capture begins and ends through pointers.
static decltype(&cuStreamBeginCapture) begin_f;
static decltype(&cuStreamEndCapture) end_f;
void begun(CUstream s, CUgraph *g) {
  begin_f(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
  cuStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuStreamSynchronize' waits
  end_f(s, g);
  cuStreamSynchronize(s);
}

// The looked-up name identifies the function.
typedef CUresult (*OfStream)(CUstream);
static OfStream first, second, third;
template <class F> bool find(const char *name, F &to);
#define FIND(LIB, TO, NAME) TO = (decltype(TO))dlsym(LIB, #NAME)
void look_up(void *lib) {
  cuGetProcAddress("cuStreamSynchronize", (void **)&first, 12000, 0, nullptr);
  second = reinterpret_cast<OfStream>(dlsym(lib, "cuStreamSynchronize"));
  find("cuStreamSynchronize", third);
}
void by_name(CUstream s, void *lib, CUgraph *g) {
  OfStream own;
  FIND(lib, own, cuStreamSynchronize);
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
  first(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuStreamSynchronize' waits
  second(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuStreamSynchronize' waits
  third(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuStreamSynchronize' waits
  own(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuStreamSynchronize' waits
  cuStreamEndCapture(s, g);
  first(s);
}

// A `void *` receives the function, and table rows contain the names.
struct Row {
  const char *name;
  void **slot;
};
static OfStream fourth, fifth, sixth;
static const Row rows[] = {{"cuStreamSynchronize", (void **)&fourth},
                           {"cuStreamIsCapturing", (void **)&sixth}};
void load_rows(void *lib) {
  for (const Row &row : rows)
    *row.slot = dlsym(lib, row.name);
  Row own[] = {{"cuStreamSynchronize", (void **)&fifth}};
  for (Row &row : own)
    *row.slot = dlsym(lib, row.name);
}
void by_table(CUstream s, CUgraph *g) {
  void *untyped = nullptr;
  cuGetProcAddress("cuStreamSynchronize", &untyped, 12000, 0, nullptr);
  OfStream typed = (OfStream)untyped;
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
  fourth(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuStreamSynchronize' waits
  fifth(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuStreamSynchronize' waits
  sixth(s); // may be called during a capture
  typed(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuStreamSynchronize' waits
  cuStreamEndCapture(s, g);
  fourth(s);
  typed(s);
}

// Pointers with similar names but different parameters.
struct Hooks {
  void (*cuMemFree)(void *);
  void (*synchronize)();
};
void hooks(Hooks &h, void *p, CUstream s, CUgraph *g) {
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
  h.cuMemFree(p);
  h.synchronize();
  cuStreamEndCapture(s, g);
}

// A function of the project that is defined elsewhere, is named after the
// function that it calls, and has the same parameters.
CUresult cuModuleUnload_f(CUmodule m);
CUresult pfn_cuStreamSynchronize(CUstream s);
CUresult cuModuleUnload_later(CUmodule m);
CUresult cuCtxSynchronize_f(int count);
void wrapped(CUmodule m, CUstream s, CUgraph *g) {
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
  cuModuleUnload_f(m);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuModuleUnload'
  pfn_cuStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cuStreamSynchronize' waits
  cuModuleUnload_later(m);
  cuCtxSynchronize_f(3);
  cuStreamEndCapture(s, g);
}
