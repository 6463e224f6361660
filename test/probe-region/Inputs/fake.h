// A driver without a GPU: device memory is host memory, work is done
// immediately or recorded, and captures behave as measured with CUDA.

#ifndef FAKE_H
#define FAKE_H

#include <cstddef>

typedef struct CUstream_st *cudaStream_t;

extern "C" {
cudaStream_t fakeStream();
/// The work is dst += value, or dst = src. The value is frozen at capture, and
/// pointers are read at replay.
int fakeAdd(int *dst, int value, cudaStream_t);
int fakeCopy(void *dst, const void *src, std::size_t bytes, cudaStream_t);
/// Like fakeAdd on the legacy stream, with a non-blocking capture stream.
int fakeEscape(int *dst, int value);
/// Like cudaMalloc, returns 900 and ends the capture, except in relaxed
/// mode.
int fakeMalloc();
/// Like cudaStreamSynchronize, returns 900 in each mode.
int fakeWait(cudaStream_t);
/// Makes the `nth` call to the entry point, counted from 1, fail with the code.
void fakeFail(const char *entry, int nth, int code);
/// Resets failures and counts.
void fakeForget();
/// The number of graphs and executable graphs that exist, plus 1 if the stream
/// is capturing.
int fakeLeft();
int cuStreamBeginCapture_v2(cudaStream_t, int mode);
int cuStreamEndCapture(cudaStream_t, struct CUgraph_st **);
int cuGraphDestroy(struct CUgraph_st *);
}

#endif
