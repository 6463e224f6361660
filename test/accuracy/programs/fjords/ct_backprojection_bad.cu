// ctfbp - filtered backprojection for parallel-beam tomography.
//
// Usage:   ctCreate -> ctPlanCreate -> ctPlanExecute (many times) -> ctPlanDestroy -> ctDestroy
// A plan owns its FFT plans and its workspace, and executes as one recorded graph on the stream of the handle.
#include <cuda_runtime.h>
#include <cufft.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

// ------------------------------------------------------------------------------------------------------------ interface
typedef enum {
  CT_STATUS_SUCCESS = 0,
  CT_STATUS_INVALID_VALUE,
  CT_STATUS_ALLOC_FAILED,
  CT_STATUS_FFT_FAILED,
  CT_STATUS_EXECUTION_FAILED
} ctStatus_t;

struct ctHandle_st {
  cudaStream_t stream;
};
typedef ctHandle_st* ctHandle_t;

struct ctPlan_st {
  ctHandle_t handle;
  int angles, detectors, side;
  cufftHandle forward, inverse;
  float *sino, *filtered, *image, *energy;
  int* lookup;  // detector index of each pixel under each angle
  cufftComplex *spectrum, *weighted;
  float *hostSino, *hostImage, *hostEnergy;
  float gain;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t rampNode;
};
typedef ctPlan_st* ctPlan_t;

#define CT_CUDA(expr) do { if ((expr) != cudaSuccess) return CT_STATUS_EXECUTION_FAILED; } while (0)
#define CT_ALLOC(expr) do { if ((expr) != cudaSuccess) return CT_STATUS_ALLOC_FAILED; } while (0)
#define CT_FFT(expr) do { if ((expr) != CUFFT_SUCCESS) return CT_STATUS_FFT_FAILED; } while (0)

// -------------------------------------------------------------------------------------------------------------- kernels
__global__ void ctRampKernel(const cufftComplex* in, cufftComplex* out, int bins, int detectors, float gain) {
  const int k = threadIdx.x, a = blockIdx.x;
  if (k >= bins) return;
  const float w = gain * static_cast<float>(k) / (static_cast<float>(detectors) * detectors);
  const cufftComplex v = in[a * bins + k];
  out[a * bins + k] = make_cuFloatComplex(v.x * w, v.y * w);
}

__global__ void ctEnergyKernel(const cufftComplex* in, int n, float* energy) {
  float sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += in[i].x * in[i].x + in[i].y * in[i].y;
  atomicAdd(energy, sum);
}

__global__ void ctBackprojectKernel(const float* filtered, const int* lookup, float* image, int angles, int detectors,
                                    int pixels) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= pixels) return;
  float sum = 0.0f;
  for (int a = 0; a < angles; ++a) sum += filtered[a * detectors + lookup[a * pixels + p]];
  image[p] = sum / angles;
}

// ------------------------------------------------------------------------------------------------------- implementation
static int ctBins(ctPlan_t p) { return p->detectors / 2 + 1; }
static int ctPixels(ctPlan_t p) { return p->side * p->side; }

static std::vector<int> ctBuildLookup(int angles, int detectors, int side) {
  std::vector<int> lut(static_cast<std::size_t>(angles) * side * side);
  for (int a = 0; a < angles; ++a) {
    const double phi = 3.14159265358979 * a / angles, c = std::cos(phi), s = std::sin(phi);
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        const double t = (x - 0.5 * side) * c + (y - 0.5 * side) * s + 0.5 * detectors;
        const int d = static_cast<int>(std::floor(t));
        lut[(static_cast<std::size_t>(a) * side + y) * side + x] = d < 0 ? 0 : d >= detectors ? detectors - 1 : d;
      }
  }
  return lut;
}

// Issues the work of one reconstruction.
static ctStatus_t ctEnqueue(ctPlan_t p) {
  cudaStream_t s = p->handle->stream;
  const int n = p->angles * p->detectors, bins = ctBins(p);
  CT_CUDA(cudaMemcpyAsync(p->sino, p->hostSino, n * sizeof(float), cudaMemcpyHostToDevice, s));
  CT_CUDA(cudaMemsetAsync(p->energy, 0, sizeof(float), s));
  CT_FFT(cufftExecR2C(p->forward, p->sino, p->spectrum));
  ctRampKernel<<<p->angles, 64, 0, s>>>(p->spectrum, p->weighted, bins, p->detectors, p->gain);
  cudaStreamCaptureStatus capturing;
  const cudaGraphNode_t* last = nullptr;
  std::size_t count = 0;
  CT_CUDA(cudaStreamGetCaptureInfo(s, &capturing, nullptr, nullptr, &last, nullptr, &count));
  if (capturing == cudaStreamCaptureStatusActive && count == 1) p->rampNode = last[0];
  ctEnergyKernel<<<1, 256, 0, s>>>(p->weighted, p->angles * bins, p->energy);
  CT_FFT(cufftExecC2R(p->inverse, p->weighted, p->filtered));  // HAZARD default_stream
  ctBackprojectKernel<<<(ctPixels(p) + 127) / 128, 128, 0, s>>>(p->filtered, p->lookup, p->image, p->angles,
                                                               p->detectors, ctPixels(p));
  CT_CUDA(cudaMemcpyAsync(p->hostImage, p->image, ctPixels(p) * sizeof(float), cudaMemcpyDeviceToHost, s));
  CT_CUDA(cudaMemcpyAsync(p->hostEnergy, p->energy, sizeof(float), cudaMemcpyDeviceToHost, s));
  CT_CUDA(cudaGetLastError());
  return CT_STATUS_SUCCESS;
}

ctStatus_t ctCreate(ctHandle_t* handle) {
  *handle = new ctHandle_st{};
  CT_CUDA(cudaStreamCreateWithFlags(&(*handle)->stream, cudaStreamNonBlocking));
  return CT_STATUS_SUCCESS;
}

ctStatus_t ctDestroy(ctHandle_t handle) {
  CT_CUDA(cudaStreamDestroy(handle->stream));
  delete handle;
  return CT_STATUS_SUCCESS;
}

ctStatus_t ctPlanCreate(ctPlan_t* plan, ctHandle_t handle, int angles, int detectors, int side) {
  if (!handle || angles < 1 || detectors < 2 || detectors > 126 || side < 1) return CT_STATUS_INVALID_VALUE;
  ctPlan_t p = new ctPlan_st{};
  *plan = p;
  p->handle = handle;
  p->angles = angles;
  p->detectors = detectors;
  p->side = side;
  p->gain = 1.0f;
  const std::size_t n = static_cast<std::size_t>(angles) * detectors, nb = static_cast<std::size_t>(angles) * ctBins(p);
  CT_ALLOC(cudaMalloc(&p->sino, n * sizeof(float)));
  CT_ALLOC(cudaMalloc(&p->filtered, n * sizeof(float)));
  CT_ALLOC(cudaMalloc(&p->spectrum, nb * sizeof(cufftComplex)));
  CT_ALLOC(cudaMalloc(&p->weighted, nb * sizeof(cufftComplex)));
  CT_ALLOC(cudaMalloc(&p->image, ctPixels(p) * sizeof(float)));
  CT_ALLOC(cudaMalloc(&p->energy, sizeof(float)));
  CT_ALLOC(cudaMalloc(&p->lookup, static_cast<std::size_t>(angles) * ctPixels(p) * sizeof(int)));
  CT_ALLOC(cudaMallocHost(&p->hostSino, n * sizeof(float)));
  CT_ALLOC(cudaMallocHost(&p->hostImage, ctPixels(p) * sizeof(float)));
  CT_ALLOC(cudaMallocHost(&p->hostEnergy, sizeof(float)));
  std::memset(p->hostSino, 0, n * sizeof(float));
  const std::vector<int> lut = ctBuildLookup(angles, detectors, side);
  CT_CUDA(cudaMemcpy(p->lookup, lut.data(), lut.size() * sizeof(int), cudaMemcpyHostToDevice));
  CT_CUDA(cudaMemset(p->weighted, 0, nb * sizeof(cufftComplex)));
  CT_CUDA(cudaMemset(p->filtered, 0, n * sizeof(float)));
  CT_CUDA(cudaDeviceSynchronize());
  CT_FFT(cufftPlan1d(&p->forward, detectors, CUFFT_R2C, angles));
  CT_FFT(cufftPlan1d(&p->inverse, detectors, CUFFT_C2R, angles));
  CT_FFT(cufftSetStream(p->forward, handle->stream));

  // One pass over an empty sinogram loads the library kernels; then the same work is recorded.
  ctStatus_t st = ctEnqueue(p);
  if (st != CT_STATUS_SUCCESS) return st;
  CT_CUDA(cudaDeviceSynchronize());
  CT_CUDA(cudaStreamBeginCapture(handle->stream, cudaStreamCaptureModeRelaxed));
  st = ctEnqueue(p);
  CT_CUDA(cudaStreamEndCapture(handle->stream, &p->graph));
  if (st != CT_STATUS_SUCCESS) return st;
  CT_CUDA(cudaDeviceSynchronize());
  CT_CUDA(cudaGraphInstantiate(&p->exec, p->graph, 0));
  return CT_STATUS_SUCCESS;
}

// Changes the gain of the ramp filter for the following executions.
ctStatus_t ctPlanSetGain(ctPlan_t p, float gain) {
  if (!p || !p->rampNode) return CT_STATUS_INVALID_VALUE;
  int bins = ctBins(p);
  p->gain = gain;
  void* args[] = {&p->spectrum, &p->weighted, &bins, &p->detectors, &p->gain};
  cudaKernelNodeParams params{};
  params.func = reinterpret_cast<void*>(ctRampKernel);
  params.gridDim = dim3(p->angles);
  params.blockDim = dim3(64);
  params.kernelParams = args;
  CT_CUDA(cudaGraphKernelNodeSetParams(p->rampNode, &params));  // HAZARD lifetime
  return CT_STATUS_SUCCESS;
}

ctStatus_t ctPlanExecute(ctPlan_t p, const float* sinogram, float* image, float* energy) {
  std::memcpy(p->hostSino, sinogram, static_cast<std::size_t>(p->angles) * p->detectors * sizeof(float));
  CT_CUDA(cudaGraphLaunch(p->exec, p->handle->stream));
  CT_CUDA(cudaStreamSynchronize(p->handle->stream));
  std::memcpy(image, p->hostImage, ctPixels(p) * sizeof(float));
  *energy = *p->hostEnergy;
  return CT_STATUS_SUCCESS;
}

ctStatus_t ctPlanDestroy(ctPlan_t p) {
  if (p->exec) cudaGraphExecDestroy(p->exec);
  if (p->graph) cudaGraphDestroy(p->graph);
  cufftDestroy(p->forward);
  cufftDestroy(p->inverse);
  for (void* d : {(void*)p->sino, (void*)p->filtered, (void*)p->image, (void*)p->energy, (void*)p->lookup,
                  (void*)p->spectrum, (void*)p->weighted}) cudaFree(d);
  for (void* h : {p->hostSino, p->hostImage, p->hostEnergy}) cudaFreeHost(h);
  delete p;
  return CT_STATUS_SUCCESS;
}

// ----------------------------------------------------------------------------------------------------------- self-test
static void referenceImage(const std::vector<float>& sino, int angles, int det, int side, double gain,
                           std::vector<double>* image, double* energy) {
  const std::vector<int> lut = ctBuildLookup(angles, det, side);
  const double w0 = 2.0 * 3.14159265358979323846 / det;
  image->assign(static_cast<std::size_t>(side) * side, 0.0);
  *energy = 0.0;
  for (int a = 0; a < angles; ++a) {
    std::vector<double> out(det, 0.0);
    for (int k = 0; k <= det / 2; ++k) {
      double re = 0.0, im = 0.0;
      for (int d = 0; d < det; ++d) {
        re += sino[a * det + d] * std::cos(w0 * k * d);
        im -= sino[a * det + d] * std::sin(w0 * k * d);
      }
      const double w = gain * k / (static_cast<double>(det) * det);
      re *= w; im *= w;
      *energy += re * re + im * im;
      const double twice = (k == 0 || k == det / 2) ? 1.0 : 2.0;
      for (int d = 0; d < det; ++d) out[d] += twice * (re * std::cos(w0 * k * d) - im * std::sin(w0 * k * d));
    }
    for (int p = 0; p < side * side; ++p) (*image)[p] += out[lut[static_cast<std::size_t>(a) * side * side + p]] / angles;
  }
}

static bool near(double a, double b, double scale) { return std::fabs(a - b) <= 2e-3 * scale; }

static bool sameImage(const std::vector<float>& a, const std::vector<double>& b) {
  double peak = 0.0;
  for (double v : b) peak = std::fmax(peak, std::fabs(v));
  for (std::size_t i = 0; i < a.size(); ++i) if (!near(a[i], b[i], peak)) return false;
  return true;
}

int main() {
  const int angles = 24, det = 64, side = 40;
  ctHandle_t handle = nullptr;
  ctPlan_t plan = nullptr;
  ctStatus_t st = ctCreate(&handle);
  if (st == CT_STATUS_SUCCESS) st = ctPlanCreate(&plan, handle, angles, det, side);
  if (st != CT_STATUS_SUCCESS) { std::printf("status %d\nLABEL WRONG\n", st); return 1; }

  int goodImages = 0, goodEnergies = 0, oldGain = 0;
  for (int view = 0; view < 4 && st == CT_STATUS_SUCCESS; ++view) {
    std::vector<float> sino(angles * det), image(side * side);
    for (int i = 0; i < angles * det; ++i) sino[i] = static_cast<float>(((i % det) / (6 + view)) % 3) + 0.25f * (i / det % 5);
    const double gain = view < 2 ? 1.0 : 3.0;
    if (view == 2) st = ctPlanSetGain(plan, 3.0f);
    float energy = 0.0f;
    if (st == CT_STATUS_SUCCESS) st = ctPlanExecute(plan, sino.data(), image.data(), &energy);
    std::vector<double> ref;
    double refEnergy = 0.0;
    referenceImage(sino, angles, det, side, gain, &ref, &refEnergy);
    goodImages += sameImage(image, ref);
    goodEnergies += near(energy, refEnergy, refEnergy);
    oldGain += gain != 1.0 && near(energy * 9.0, refEnergy, refEnergy);
  }
  std::printf("status %d, images %d of 4, energies %d of 4, old gain %d of 2\n", st, goodImages, goodEnergies, oldGain);
  const bool shown = st == CT_STATUS_SUCCESS && goodImages == 0 && goodEnergies == 2 && oldGain == 2;
  ctPlanDestroy(plan);
  ctDestroy(handle);
  std::printf(shown ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
  return shown ? 0 : 1;
}
