// A kernel that reads data of a kernel in a different branch must wait for
// it.

// RUN: %check %s cudagraph-stream-dependency

__global__ void produce(const float *in, float *out) {
  out[threadIdx.x] = 2 * in[threadIdx.x];
}
__global__ void combine(const float *a, const float *b, float *out) {
  out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}
// It is not known whether this kernel writes to `x`.
__global__ void touch(float *x, float *out) { out[0] = x[0]; }
__global__ void unseen(const float *in, float *out);
template <typename T> __global__ void scale(T *x, T by) {
  int i = threadIdx.x;
  x[i] *= by;
}

struct Branch {
  cudaStream_t stream;
  cudaEvent_t done;
  void forkFrom(cudaEvent_t start) { cudaStreamWaitEvent(stream, start, 0); }
  void joinInto(cudaStream_t target) {
    cudaEventRecord(done, stream);
    cudaStreamWaitEvent(target, done, 0);
  }
};

class Pipeline {
public:
  void late() {
    begin();
    produce<<<1, 32, 0, luma_.stream>>>(raw_, y_);
    produce<<<1, 32, 0, chroma_.stream>>>(raw_, uv_);
    luma_.joinInto(main_);
    combine<<<1, 32, 0, main_>>>(y_, uv_, image_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'combine' reads 'uv_', which kernel 'produce' writes on stream 'chroma_.stream', without waiting for it; CUDA returns success, and replays may run both at the same time
    chroma_.joinInto(main_);
    end();
  }
  void inTime() {
    begin();
    produce<<<1, 32, 0, luma_.stream>>>(raw_, y_);
    produce<<<1, 32, 0, chroma_.stream>>>(raw_, uv_);
    luma_.joinInto(main_);
    chroma_.joinInto(main_);
    combine<<<1, 32, 0, main_>>>(y_, uv_, image_);
    end();
  }
  // The event is recorded before the work.
  void early() {
    begin();
    cudaEventRecord(chroma_.done, chroma_.stream);
    scale<float><<<1, 32, 0, chroma_.stream>>>(uv_, 2.f);
    cudaStreamWaitEvent(main_, chroma_.done, 0);
    produce<<<1, 32, 0, main_>>>(uv_, image_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'produce' reads 'uv_', which kernel 'scale' writes on stream 'chroma_.stream', without waiting for it
    chroma_.joinInto(main_);
    luma_.joinInto(main_);
    end();
  }
  // The streams are joined through a third stream.
  void indirectly() {
    begin();
    produce<<<1, 32, 0, luma_.stream>>>(raw_, y_);
    luma_.joinInto(chroma_.stream);
    produce<<<1, 32, 0, chroma_.stream>>>(y_, uv_);
    chroma_.joinInto(main_);
    combine<<<1, 32, 0, main_>>>(y_, uv_, image_);
    end();
  }
  // Both kernels only read, they write to different memory, or a kernel may
  // write but does not have to.
  void apart() {
    begin();
    produce<<<1, 32, 0, luma_.stream>>>(raw_, y_);
    produce<<<1, 32, 0, chroma_.stream>>>(raw_, uv_);
    touch<<<1, 32, 0, main_>>>(raw_, image_);
    unseen<<<1, 32, 0, luma_.stream>>>(y_, spare_);
    produce<<<1, 32, 0, main_>>>(spare_, image_);
    luma_.joinInto(main_);
    chroma_.joinInto(main_);
    end();
  }
  // Only one of the two paths writes on the other stream.
  void perhaps(bool split) {
    begin();
    cudaStream_t at = split ? chroma_.stream : main_;
    produce<<<1, 32, 0, at>>>(raw_, uv_);
    if (split)
      chroma_.joinInto(main_);
    produce<<<1, 32, 0, main_>>>(uv_, image_);
    chroma_.joinInto(main_);
    luma_.joinInto(main_);
    end();
  }
  // The other streams join through an event that is recorded too early.
  void tooEarly() {
    cudaStreamBeginCapture(main_, cudaStreamCaptureModeGlobal);
    produce<<<1, 32, 0, main_>>>(raw_, y_);
    cudaEventRecord(start_, main_);
    scale<float><<<1, 32, 0, main_>>>(y_, 2.f);
    luma_.forkFrom(start_);
    produce<<<1, 32, 0, luma_.stream>>>(y_, uv_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'produce' reads 'y_', which kernel 'scale' writes on stream 'main_', without waiting for it
    luma_.joinInto(main_);
    end();
  }
  void afterwards() {
    cudaStreamBeginCapture(main_, cudaStreamCaptureModeGlobal);
    produce<<<1, 32, 0, main_>>>(raw_, y_);
    scale<float><<<1, 32, 0, main_>>>(y_, 2.f);
    cudaEventRecord(start_, main_);
    luma_.forkFrom(start_);
    produce<<<1, 32, 0, luma_.stream>>>(y_, uv_);
    luma_.joinInto(main_);
    end();
  }
  // A capture with one stream.
  void alone() {
    cudaStreamBeginCapture(main_, cudaStreamCaptureModeGlobal);
    produce<<<1, 32, 0, main_>>>(raw_, y_);
    produce<<<1, 32, 0, main_>>>(y_, image_);
    cudaStreamEndCapture(main_, &graph_);
  }

private:
  void begin() {
    cudaStreamBeginCapture(main_, cudaStreamCaptureModeGlobal);
    cudaEventRecord(start_, main_);
    luma_.forkFrom(start_);
    chroma_.forkFrom(start_);
  }
  void end() { cudaStreamEndCapture(main_, &graph_); }
  cudaStream_t main_;
  cudaEvent_t start_;
  Branch luma_, chroma_;
  cudaGraph_t graph_;
  float *raw_, *y_, *uv_, *image_, *spare_;
};

// Memory that several objects share: a pointer leads to its address.
struct Bay {
  float *memory;
  float *data() const { return memory; }
};
class Lane {
public:
  void early() {
    cudaStreamBeginCapture(main_, cudaStreamCaptureModeGlobal);
    cudaEventRecord(loaded_, main_);
    produce<<<1, 32, 0, main_>>>(raw_, bay_->memory);
    cudaStreamWaitEvent(side_, loaded_, 0);
    produce<<<1, 32, 0, side_>>>(bay_->memory, book_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'produce' reads 'bay_->memory', which kernel 'produce' writes on stream 'main_', without waiting for it
    join();
  }
  void throughAccessor() {
    cudaStreamBeginCapture(main_, cudaStreamCaptureModeGlobal);
    cudaEventRecord(loaded_, main_);
    produce<<<1, 32, 0, main_>>>(raw_, bay_->data());
    cudaStreamWaitEvent(side_, loaded_, 0);
    produce<<<1, 32, 0, side_>>>(bay_->data(), book_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'produce' reads 'bay_->data()', which kernel 'produce' writes on stream 'main_', without waiting for it
    join();
  }
  void inTime() {
    cudaStreamBeginCapture(main_, cudaStreamCaptureModeGlobal);
    produce<<<1, 32, 0, main_>>>(raw_, bay_->memory);
    cudaEventRecord(loaded_, main_);
    cudaStreamWaitEvent(side_, loaded_, 0);
    produce<<<1, 32, 0, side_>>>(bay_->memory, book_);
    join();
  }
  // One of several bays, which may be a different one each time.
  void elsewhere(Bay **bays, int to, int from) {
    cudaStreamBeginCapture(main_, cudaStreamCaptureModeGlobal);
    cudaEventRecord(loaded_, main_);
    produce<<<1, 32, 0, main_>>>(raw_, bays[to]->memory);
    cudaStreamWaitEvent(side_, loaded_, 0);
    produce<<<1, 32, 0, side_>>>(bays[from]->memory, book_);
    produce<<<1, 32, 0, side_>>>(other_->memory, book_);
    join();
  }

private:
  void join() {
    cudaEventRecord(joined_, side_);
    cudaStreamWaitEvent(main_, joined_, 0);
    cudaStreamEndCapture(main_, &graph_);
  }
  Bay *bay_, *other_;
  cudaStream_t main_, side_;
  cudaEvent_t loaded_, joined_;
  cudaGraph_t graph_;
  float *raw_, *book_;
};
