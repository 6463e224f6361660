// The program's own declarations have fewer parameters than the API: missing
// arguments are not examined.
//
// RUN: %check %s

typedef struct CUstream_st *cudaStream_t;
typedef struct CUgraph_st *cudaGraph_t;
extern "C" {
int cudaStreamCreateWithFlags(cudaStream_t *);
int cudaStreamBeginCapture(cudaStream_t);
int cudaStreamEndCapture(cudaStream_t);
int cudaStreamSynchronize();
int cudaMemcpyAsync(void *);
int cudaLaunchKernel();
int cublasSgemm_v2();
int cudaEventRecord();
int cudaStreamWaitEvent(cudaStream_t);
int cudaMalloc();
int cudaFree();
int cudaGraphLaunch();
int cudaLaunchHostFunc(cudaStream_t, void (*)(void *) = nullptr);
}

struct A {
  cudaStream_t s;
  void (*callback)(void *);
  void make() { cudaStreamCreateWithFlags(&s); }
  void capture(void *p) {
    cudaStreamBeginCapture(s);
    cudaStreamSynchronize();
    cudaMemcpyAsync(p);
    cudaLaunchKernel();
    cublasSgemm_v2();
    cudaEventRecord();
    cudaStreamWaitEvent(s);
    cudaMalloc();
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMalloc'
    cudaFree();
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree'
    cudaGraphLaunch();
    cudaLaunchHostFunc(s);
    cudaLaunchHostFunc(s, callback);
    cudaStreamEndCapture(s);
  }
};

void g(A &a, void *p) {
  a.make();
  a.capture(p);
}
