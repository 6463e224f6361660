// read_aligner: ungapped placement of fixed-length reads on a reference window.
// Batches go through a captured pipeline whose last node, a host function, tallies the hits.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

static int verbosity = 3;

static void log_msg(const char* func, const char* fmt, ...) {
  if (verbosity < 3) return;
  std::va_list ap;
  va_start(ap, fmt);
  std::fprintf(stderr, "[M::%s] ", func);
  std::vfprintf(stderr, fmt, ap);
  std::fputc('\n', stderr);
  va_end(ap);
}

constexpr int kReadLen = 24;
constexpr int kBatch = 128;
constexpr int kRefLen = 2048;
constexpr int kMaxMismatch = 2;

struct Hit {
  int32_t pos;  // -1: unmapped
  int32_t mismatches;
};

struct BatchReport {
  int mapped = 0;
  int unmapped = 0;
  int64_t mismatches = 0;
};

// Reports are recycled: the writer and the aligner pass them around for every batch.
class ReportPool {
 public:
  BatchReport* acquire() {
    if (free_.empty()) {
      all_.emplace_back(new BatchReport);
      free_.push_back(all_.back().get());
    }
    BatchReport* r = free_.back();
    free_.pop_back();
    *r = BatchReport{};
    return r;
  }
  void release(BatchReport* r) { free_.push_back(r); }

 private:
  std::vector<std::unique_ptr<BatchReport>> all_;
  std::vector<BatchReport*> free_;
};

// One block per read; threads try candidate positions and the best one wins.
__global__ void place_reads(const char* ref, const char* reads, Hit* hits) {
  __shared__ unsigned long long best;
  const char* read = reads + blockIdx.x * kReadLen;
  if (threadIdx.x == 0) best = ~0ull;
  __syncthreads();
  for (int pos = threadIdx.x; pos + kReadLen <= kRefLen; pos += blockDim.x) {
    int mm = 0;
    for (int i = 0; i < kReadLen && mm <= kMaxMismatch; ++i) mm += ref[pos + i] != read[i];
    if (mm <= kMaxMismatch) atomicMin(&best, (static_cast<unsigned long long>(mm) << 32) | static_cast<unsigned>(pos));
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    hits[blockIdx.x].pos = best == ~0ull ? -1 : static_cast<int32_t>(best & 0xffffffffu);
    hits[blockIdx.x].mismatches = best == ~0ull ? 0 : static_cast<int32_t>(best >> 32);
  }
}

class Aligner {
 public:
  Aligner(const std::vector<char>& ref, ReportPool& pool) : pool_(pool) {
    good_ = check(cudaStreamCreate(&stream_), "stream") && check(cudaMalloc(&d_ref_, kRefLen), "reference") &&
            check(cudaMalloc(&d_reads_, kBatch * kReadLen), "reads") &&
            check(cudaMalloc(&d_hits_, kBatch * sizeof(Hit)), "hits") &&
            check(cudaMallocHost(&h_reads_, kBatch * kReadLen), "pinned reads") &&
            check(cudaMallocHost(&h_hits_, kBatch * sizeof(Hit)), "pinned hits") &&
            check(cudaMemcpy(d_ref_, ref.data(), kRefLen, cudaMemcpyHostToDevice), "load reference");
  }
  ~Aligner() {
    cudaStreamSynchronize(stream_);
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFreeHost(h_hits_);
    cudaFreeHost(h_reads_);
    cudaFree(d_hits_);
    cudaFree(d_reads_);
    cudaFree(d_ref_);
    cudaStreamDestroy(stream_);
  }

  // Aligns one batch; the counts are in *out when it returns true.
  bool align_batch(const std::vector<char>& reads, BatchReport* out) {
    if (!good_) return false;
    std::copy(reads.begin(), reads.end(), h_reads_);
    BatchReport* report = pool_.acquire();
    bool ok = exec_ || build(report);
    ok = ok && check(cudaGraphLaunch(exec_, stream_), "launch") && check(cudaStreamSynchronize(stream_), "batch");
    if (ok) *out = *report;
    pool_.release(report);  // HAZARD dangling #report
    return ok;
  }

 private:
  struct Tally {
    const Hit* hits = nullptr;
    BatchReport* report = nullptr;
  };

  static void CUDART_CB tally_hits(void* user) {
    const Tally* t = static_cast<const Tally*>(user);
    for (int i = 0; i < kBatch; ++i) {
      if (t->hits[i].pos < 0) {
        t->report->unmapped++;
      } else {
        t->report->mapped++;
        t->report->mismatches += t->hits[i].mismatches;
      }
    }
  }

  bool build(BatchReport* report) {
    cudaGraph_t graph = nullptr;
    tally_.hits = h_hits_;
    tally_.report = report;
    if (!check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), "begin")) return false;
    bool ok = check(cudaMemcpyAsync(d_reads_, h_reads_, kBatch * kReadLen, cudaMemcpyHostToDevice, stream_), "upload");
    place_reads<<<kBatch, 128, 0, stream_>>>(d_ref_, d_reads_, d_hits_);
    ok &= check(cudaMemcpyAsync(h_hits_, d_hits_, kBatch * sizeof(Hit), cudaMemcpyDeviceToHost, stream_), "download");
    ok &= check(cudaLaunchHostFunc(stream_, tally_hits, &tally_), "tally");  // HAZARD dangling #report
    ok &= check(cudaStreamEndCapture(stream_, &graph), "end");
    if (ok) ok = check(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
    if (graph) cudaGraphDestroy(graph);
    log_msg(__func__, "pipeline for %d reads of %d bp %s", kBatch, kReadLen, ok ? "ready" : "failed");
    return ok;
  }

  bool check(cudaError_t e, const char* what) {
    if (e == cudaSuccess) return true;
    log_msg("check", "%s: %s", what, cudaGetErrorString(e));
    return good_ = false;
  }

  ReportPool& pool_;
  bool good_ = true;
  Tally tally_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  char *d_ref_ = nullptr, *d_reads_ = nullptr, *h_reads_ = nullptr;
  Hit *d_hits_ = nullptr, *h_hits_ = nullptr;
};

int main() {
  std::srand(11);
  std::vector<char> ref(kRefLen);
  for (char& c : ref) c = "ACGT"[std::rand() % 4];

  ReportPool pool;
  Aligner aligner(ref, pool);
  std::vector<BatchReport*> unwritten;  // flushed to the output every other batch
  int written = 0;
  int wrong = 0, failed = 0;
  for (int batch = 0; batch < 6; ++batch) {
    std::vector<char> reads;
    BatchReport expected;
    for (int r = 0; r < kBatch; ++r) {
      const int pos = (r * 15 + batch * 101) % (kRefLen - kReadLen);
      std::vector<char> read(ref.begin() + pos, ref.begin() + pos + kReadLen);
      if (r % (4 + batch) == 0) {
        for (char& c : read) c = 'N';  // cannot be placed
        expected.unmapped++;
      } else {
        if (r % 2) read[r % kReadLen] = 'N', expected.mismatches++;
        expected.mapped++;
      }
      reads.insert(reads.end(), read.begin(), read.end());
    }
    BatchReport* got = pool.acquire();
    if (!aligner.align_batch(reads, got)) {
      failed = 1;
      break;
    }
    wrong += got->mapped != expected.mapped || got->unmapped != expected.unmapped || got->mismatches != expected.mismatches;
    unwritten.push_back(got);
    if (unwritten.size() < 2) continue;
    for (BatchReport* r : unwritten) {
      written += r->mapped;
      pool.release(r);
    }
    unwritten.clear();
  }
  log_msg(__func__, "%d mapped reads written, %d wrong reports", written, wrong);
  std::puts(!failed && wrong > 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
