// The header shows that this NCCL version cannot be captured.

// RUN: %check %s

#define NCCL_VERSION_CODE 2804

extern "C" {
typedef struct ncclComm *ncclComm_t;
typedef enum { ncclSuccess = 0 } ncclResult_t;
typedef enum { ncclSum = 0 } ncclRedOp_t;
typedef enum { ncclFloat = 7 } ncclDataType_t;
ncclResult_t ncclAllReduce(const void *sendbuff, void *recvbuff, size_t count,
                           ncclDataType_t datatype, ncclRedOp_t op,
                           ncclComm_t comm, cudaStream_t stream);
}

void reduce(float *x, ncclComm_t comm, cudaStream_t s, cudaGraph_t *g) {
  ncclAllReduce(x, x, 1, ncclFloat, ncclSum, comm, s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  ncclAllReduce(x, x, 1, ncclFloat, ncclSum, comm, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'ncclAllReduce' is called while 's' (global mode) captures; NCCL before 2.9.6 does not support captures [cudagraph-library-handle]
  cudaStreamEndCapture(s, g);
}
