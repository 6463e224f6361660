#include <cuda_runtime.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace {

struct DeviceFree {
  void operator()(void* p) const noexcept { cudaFree(p); }
};
template <class T>
using DevicePtr = std::unique_ptr<T[], DeviceFree>;

struct ExecFree {
  void operator()(cudaGraphExec_t e) const noexcept { cudaGraphExecDestroy(e); }
};
using Exec = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, ExecFree>;

struct Fault {
  std::string where;
  cudaError_t code = cudaSuccess;
};
using Compiled = std::variant<Exec, Fault>;

template <class T>
std::optional<DevicePtr<T>> upload(const std::vector<T>& host) {
  T* p = nullptr;
  if (cudaMalloc(&p, host.size() * sizeof(T)) != cudaSuccess) return std::nullopt;
  DevicePtr<T> owned(p);
  if (cudaMemcpy(p, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice) != cudaSuccess) return std::nullopt;
  return owned;
}

const int* scoringTable() {
  static const int* table = []() -> const int* {
    int* p = nullptr;
    if (cudaMalloc(&p, 2 * sizeof(int)) != cudaSuccess) return nullptr;  // HAZARD lazy_initialization #table
    const int scores[2] = {-1, 2};
    if (cudaMemcpy(p, scores, sizeof scores, cudaMemcpyHostToDevice) != cudaSuccess) return nullptr;
    return p;
  }();
  return table;
}

__global__ void extend(const char* reads, const char* ref, const int* score, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] += score[reads[i] == ref[i]];
}

class Aligner {
 public:
  explicit Aligner(int reads) : n_(reads) {
    cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    if (auto r = upload(std::vector<char>(n_, 'A'))) reads_ = std::move(*r);
    if (auto o = upload(std::vector<int>(n_, 0))) out_ = std::move(*o);
  }
  ~Aligner() { cudaStreamDestroy(stream_); }
  Aligner(const Aligner&) = delete;

  void addReference(std::string name, const std::vector<char>& bases) {
    if (auto d = upload(bases)) refs_.insert_or_assign(std::move(name), std::move(*d));
  }

  Compiled compile(std::string_view reference, std::optional<int> passes = std::nullopt) {
    cudaGraph_t graph = nullptr;
    if (auto e = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal); e != cudaSuccess)  // HAZARD capture_scope
      return Fault{"begin", e};
    const auto it = refs_.find(std::string(reference));
    if (it == refs_.end()) return Fault{"unknown reference " + std::string(reference), cudaErrorInvalidValue};
    const auto& [name, bases] = *it;
    for (int p = 0; p < passes.value_or(1); ++p) {
      extend<<<(n_ + 127) / 128, 128, 0, stream_>>>(reads_.get(), bases.get(), scoringTable(), out_.get(), n_);  // HAZARD lazy_initialization #table
    }
    if (auto e = cudaStreamEndCapture(stream_, &graph); e != cudaSuccess) return Fault{name, e};
    cudaGraphExec_t raw = nullptr;
    const auto e = cudaGraphInstantiate(&raw, graph, 0);
    cudaGraphDestroy(graph);
    if (e != cudaSuccess) return Fault{"instantiate", e};
    return Exec(raw);
  }

  cudaStream_t stream() const { return stream_; }

 private:
  int n_;
  cudaStream_t stream_ = nullptr;
  DevicePtr<char> reads_;
  DevicePtr<int> out_;
  std::unordered_map<std::string, DevicePtr<char>> refs_;
};

}  // namespace

int main() {
  Aligner aligner(500);
  aligner.addReference("chr1", std::vector<char>(500, 'A'));
  auto first = aligner.compile("chr1", 2);
  (void)cudaGetLastError();
  auto second = aligner.compile("chrUn");
  cudaStreamCaptureStatus state = cudaStreamCaptureStatusNone;
  const cudaError_t asked = cudaStreamIsCapturing(aligner.stream(), &state);
  const auto* f = std::get_if<Fault>(&first);
  const bool ok = f && f->code != cudaSuccess && scoringTable() == nullptr && std::holds_alternative<Fault>(second) &&
                  asked == cudaSuccess && state == cudaStreamCaptureStatusActive;
  cudaGraph_t rest = nullptr;
  if (state != cudaStreamCaptureStatusNone && cudaStreamEndCapture(aligner.stream(), &rest) == cudaSuccess) cudaGraphDestroy(rest);
  std::printf(ok ? "LABEL CONFIRMED\n" : "LABEL REFUTED fault=%d state=%d\n", f ? int(f->code) : 0, int(state));
  return 0;
}
