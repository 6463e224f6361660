// Reduction of exposures of a mosaic camera: bias and flat-field correction, source detection, aperture photometry.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace telescope {

enum class StatusCode { kOk, kNotFound, kFailedPrecondition, kInternal };

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string text) : code_(code), text_(std::move(text)) {}
  static Status OfCuda(cudaError_t e, const char* where) {
    return e == cudaSuccess ? Status() : Status(StatusCode::kInternal, std::string(where) + ": " + cudaGetErrorName(e));
  }
  bool ok() const { return code_ == StatusCode::kOk; }
  StatusCode code() const { return code_; }
  const std::string& text() const { return text_; }

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string text_;
};

template <typename T>
class [[nodiscard]] StatusOr {
 public:
  StatusOr(Status s) : rep_(std::move(s)) {}
  StatusOr(T v) : rep_(std::move(v)) {}
  bool ok() const { return std::holds_alternative<T>(rep_); }
  Status status() const { return ok() ? Status() : std::get<Status>(rep_); }
  T& value() { return std::get<T>(rep_); }

 private:
  std::variant<Status, T> rep_;
};

#define RETURN_IF_ERROR(expr)            \
  do {                                   \
    Status status_ = (expr);             \
    if (!status_.ok()) return status_;   \
  } while (0)

constexpr int kSide = 256;
constexpr int kPixels = kSide * kSide;
constexpr int kMaxSources = 4096;
constexpr int kThreads = 64;

__global__ void SubtractBias(const float* raw, float* image, float bias, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) image[i] = raw[i] - bias;
}

__global__ void DivideFlat(float* image, const float* flat, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) image[i] /= flat[i];
}

__global__ void FindSources(const float* image, int* list, int* count, float threshold) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= kSide || image[y * kSide + x] <= threshold) return;
  int slot = atomicAdd(count, 1);
  if (slot < kMaxSources) list[slot] = y * kSide + x;
}

// 3x3 aperture around each source of the list.
__global__ void AperturePhotometry(const float* image, const int* list, float* flux, int sources) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= sources) return;
  int cx = list[s] % kSide, cy = list[s] / kSide;
  float sum = 0.0f;
  for (int y = max(cy - 1, 0); y <= min(cy + 1, kSide - 1); ++y)
    for (int x = max(cx - 1, 0); x <= min(cx + 1, kSide - 1); ++x) sum += image[y * kSide + x];
  flux[s] = sum;
}

struct Catalog {
  int sources = 0;
  double total_flux = 0.0;
};

class Exposure {
 public:
  // Stars on a regular grid; every star has the same counts over a sky of zero.
  static Exposure WithStars(int stars, float counts, float bias) {
    std::vector<float> px(kPixels, bias);
    for (int s = 0; s < stars; ++s) px[(8 + 8 * (s / 30)) * kSide + 8 + 8 * (s % 30)] += counts;
    return Exposure(std::move(px));
  }
  const std::vector<float>& pixels() const { return pixels_; }

 private:
  explicit Exposure(std::vector<float> px) : pixels_(std::move(px)) {}
  std::vector<float> pixels_;
};

class FlatLibrary {
 public:
  ~FlatLibrary() { for (auto& f : flats_) cudaFree(f.second); }
  Status Add(const std::string& filter, float response) {
    float* device = nullptr;
    std::vector<float> values(kPixels, response);
    RETURN_IF_ERROR(Status::OfCuda(cudaMalloc(&device, kPixels * sizeof(float)), "flat"));
    flats_[filter] = device;
    RETURN_IF_ERROR(Status::OfCuda(cudaMemcpy(device, values.data(), kPixels * sizeof(float), cudaMemcpyHostToDevice), "flat"));
    return Status::OfCuda(cudaDeviceSynchronize(), "flat");
  }
  StatusOr<const float*> Find(const std::string& filter) const {
    auto it = flats_.find(filter);
    if (it == flats_.end()) return Status(StatusCode::kNotFound, "no flat for filter " + filter);
    return static_cast<const float*>(it->second);
  }

 private:
  std::map<std::string, float*> flats_;
};

class ReductionPipeline {
 public:
  static StatusOr<std::unique_ptr<ReductionPipeline>> Create(const FlatLibrary* flats, float bias) {
    std::unique_ptr<ReductionPipeline> p(new ReductionPipeline(flats, bias));
    RETURN_IF_ERROR(Status::OfCuda(cudaStreamCreateWithFlags(&p->stream_, cudaStreamNonBlocking), "stream"));
    RETURN_IF_ERROR(Status::OfCuda(cudaMalloc(&p->raw_, 2 * kPixels * sizeof(float)), "frames"));
    p->image_ = p->raw_ + kPixels;
    RETURN_IF_ERROR(Status::OfCuda(cudaMalloc(&p->flux_, kMaxSources * sizeof(float)), "flux"));
    RETURN_IF_ERROR(Status::OfCuda(cudaMalloc(&p->list_, (kMaxSources + 1) * sizeof(int)), "list"));
    p->count_ = p->list_ + kMaxSources;
    RETURN_IF_ERROR(Status::OfCuda(cudaMallocHost(&p->host_raw_, kPixels * sizeof(float)), "host"));
    RETURN_IF_ERROR(Status::OfCuda(cudaMallocHost(&p->host_flux_, kMaxSources * sizeof(float)), "host"));
    RETURN_IF_ERROR(Status::OfCuda(cudaMallocHost(&p->host_count_, sizeof(int)), "host"));
    return StatusOr<std::unique_ptr<ReductionPipeline>>(std::move(p));
  }
  ~ReductionPipeline() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(raw_); cudaFree(flux_); cudaFree(list_);
    cudaFreeHost(host_raw_); cudaFreeHost(host_flux_); cudaFreeHost(host_count_);
    if (stream_) cudaStreamDestroy(stream_);
  }

  // Records the reduction for `filter`; `reference` is the pointing exposure of the night.
  Status Record(const std::string& filter, const Exposure& reference) {
    const int sources = CountReference(reference);
    RETURN_IF_ERROR(Status::OfCuda(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed), "begin"));
    cudaMemcpyAsync(raw_, host_raw_, kPixels * sizeof(float), cudaMemcpyHostToDevice, stream_);
    cudaMemsetAsync(count_, 0, sizeof(int), stream_);
    cudaMemsetAsync(flux_, 0, kMaxSources * sizeof(float), stream_);
    SubtractBias<<<kPixels / 256, 256, 0, stream_>>>(raw_, image_, bias_, kPixels);
    RETURN_IF_ERROR(EnqueueFlat(filter));  // HAZARD scope
    FindSources<<<dim3(1, kSide), kSide, 0, stream_>>>(image_, list_, count_, kThreshold);
    const int blocks = (sources + kThreads - 1) / kThreads;
    AperturePhotometry<<<blocks, kThreads, 0, stream_>>>(image_, list_, flux_, sources);  // HAZARD dynamic_shape
    cudaMemcpyAsync(host_flux_, flux_, kMaxSources * sizeof(float), cudaMemcpyDeviceToHost, stream_);
    cudaMemcpyAsync(host_count_, count_, sizeof(int), cudaMemcpyDeviceToHost, stream_);
    cudaGraph_t graph = nullptr;
    RETURN_IF_ERROR(Status::OfCuda(cudaStreamEndCapture(stream_, &graph), "end"));
    if (exec_) cudaGraphExecDestroy(std::exchange(exec_, nullptr));
    Status status = Status::OfCuda(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
    cudaGraphDestroy(graph);
    return status;
  }

  StatusOr<Catalog> Reduce(const Exposure& exposure) {
    if (!exec_) return Status(StatusCode::kFailedPrecondition, "not recorded");
    std::copy(exposure.pixels().begin(), exposure.pixels().end(), host_raw_);
    RETURN_IF_ERROR(Status::OfCuda(cudaGraphLaunch(exec_, stream_), "launch"));
    RETURN_IF_ERROR(Status::OfCuda(cudaStreamSynchronize(stream_), "synchronize"));
    Catalog c;
    c.sources = std::min(*host_count_, kMaxSources);
    c.total_flux = std::accumulate(host_flux_, host_flux_ + c.sources, 0.0);
    return c;
  }

  bool recording() const {
    cudaStreamCaptureStatus s = cudaStreamCaptureStatusNone;
    return cudaStreamIsCapturing(stream_, &s) == cudaSuccess && s == cudaStreamCaptureStatusActive;
  }

 private:
  static constexpr float kThreshold = 50.0f;

  ReductionPipeline(const FlatLibrary* flats, float bias) : flats_(flats), bias_(bias) {}

  int CountReference(const Exposure& e) const {
    return static_cast<int>(std::count_if(e.pixels().begin(), e.pixels().end(),
                                          [this](float v) { return v - bias_ > kThreshold; }));
  }

  Status EnqueueFlat(const std::string& filter) {
    StatusOr<const float*> flat = flats_->Find(filter);
    RETURN_IF_ERROR(flat.status());
    DivideFlat<<<kPixels / 256, 256, 0, stream_>>>(image_, flat.value(), kPixels);
    return Status::OfCuda(cudaGetLastError(), "divide");
  }

  const FlatLibrary* const flats_;
  const float bias_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  float *raw_ = nullptr, *image_ = nullptr, *flux_ = nullptr, *host_raw_ = nullptr, *host_flux_ = nullptr;
  int *list_ = nullptr, *count_ = nullptr, *host_count_ = nullptr;
};

}  // namespace telescope

int main() {
  using namespace telescope;
  constexpr float kBias = 16.0f, kCounts = 400.0f;
  FlatLibrary flats;
  Status setup = flats.Add("r", 2.0f);
  if (setup.ok()) setup = flats.Add("g", 1.0f);
  auto made = ReductionPipeline::Create(&flats, kBias);
  if (!setup.ok() || !made.ok()) { std::printf("%s\nLABEL WRONG\n", made.status().text().c_str()); return 1; }
  ReductionPipeline& pipeline = *made.value();

  const int nights[] = {100, 100, 320, 500};
  Status status = pipeline.Record("r", Exposure::WithStars(nights[0], kCounts, kBias));
  int complete = 0, truncated = 0;
  for (int stars : nights) {
    if (!status.ok()) break;
    StatusOr<Catalog> catalog = pipeline.Reduce(Exposure::WithStars(stars, kCounts, kBias));
    status = catalog.status();
    if (!status.ok()) break;
    const Catalog c = catalog.value();
    std::printf("stars %d: sources %d, flux %.0f\n", stars, c.sources, c.total_flux);
    complete += c.sources == stars && c.total_flux == stars * 200.0;
    truncated += c.sources == stars && stars > 100 && c.total_flux == 100 * 200.0;
  }

  const Status unknown = pipeline.Record("y", Exposure::WithStars(10, kCounts, kBias));
  const bool open = pipeline.recording();
  const Status retry = pipeline.Record("g", Exposure::WithStars(10, kCounts, kBias));
  std::printf("filter y: %s; recording %d; filter g: %s\n", unknown.text().c_str(), open, retry.text().c_str());
  const bool shown = status.ok() && complete == 2 && truncated == 2 && unknown.code() == StatusCode::kNotFound && open &&
                     !retry.ok();
  std::printf(shown ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
  return shown ? 0 : 1;
}
