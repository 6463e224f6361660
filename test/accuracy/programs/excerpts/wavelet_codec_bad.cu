/*
 * wavelet_codec - integer Haar + dead-zone quantiser for planar images.
 *
 * One stream per plane. wc_encoder_set_format() records the encode of one
 * image as a CUDA graph; wc_encode() replays it.
 */
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum {
  WC_OK = 0,
  WC_ERR_PARAM,
  WC_ERR_MEMORY,
  WC_ERR_CUDA,
  WC_ERR_NOT_READY
} wc_status_t;

#define WC_TRY(x)                     \
  do {                                \
    wc_status_t s_ = (x);             \
    if (s_ != WC_OK) return s_;       \
  } while (0)

#define WC_CUDA(x) wc_from_cuda((x), #x)

enum { WC_W = 64, WC_H = 32, WC_PIXELS = WC_W * WC_H, WC_MAX_PLANES = 4 };
enum { WC_Y = 0, WC_CB = 1, WC_CR = 2, WC_A = 3 };

typedef struct {
  int has_alpha;
  int quant_luma;
  int quant_chroma;
} wc_format_t;

typedef struct {
  wc_format_t fmt;
  cudaStream_t stream[WC_MAX_PLANES];
  cudaEvent_t fork;
  cudaEvent_t done[WC_MAX_PLANES];
  uint8_t *h_pixels; /* pinned, plane after plane */
  int16_t *h_coeffs; /* pinned, plane after plane */
  uint8_t *d_pixels;
  int16_t *d_bands;
  int16_t *d_coeffs;
  cudaGraphExec_t exec;
} wc_encoder_t;

static wc_status_t wc_from_cuda(cudaError_t e, const char *what) {
  if (e == cudaSuccess) return WC_OK;
  fprintf(stderr, "wavelet_codec: %s: %s\n", what, cudaGetErrorName(e));
  return e == cudaErrorMemoryAllocation ? WC_ERR_MEMORY : WC_ERR_CUDA;
}

__global__ void wc_haar_rows(const uint8_t *src, int16_t *dst) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; /* one pair */
  if (i >= WC_PIXELS / 2) return;
  int y = i / (WC_W / 2), x = i % (WC_W / 2);
  int a = src[y * WC_W + 2 * x], b = src[y * WC_W + 2 * x + 1];
  dst[y * WC_W + x] = (int16_t)(a + b);
  dst[y * WC_W + WC_W / 2 + x] = (int16_t)(a - b);
}

__global__ void wc_quantise(const int16_t *src, int16_t *dst, int q) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < WC_PIXELS) dst[i] = (int16_t)(src[i] / q);
}

void wc_encoder_destroy(wc_encoder_t *enc) {
  if (!enc) return;
  if (enc->exec) cudaGraphExecDestroy(enc->exec);
  for (int p = 0; p < WC_MAX_PLANES; ++p) {
    if (enc->done[p]) cudaEventDestroy(enc->done[p]);
    if (enc->stream[p]) cudaStreamDestroy(enc->stream[p]);
  }
  if (enc->fork) cudaEventDestroy(enc->fork);
  cudaFree(enc->d_coeffs);
  cudaFree(enc->d_bands);
  cudaFree(enc->d_pixels);
  cudaFreeHost(enc->h_coeffs);
  cudaFreeHost(enc->h_pixels);
  free(enc);
}

static wc_status_t wc_encoder_init(wc_encoder_t *enc) {
  const size_t n = (size_t)WC_PIXELS * WC_MAX_PLANES;
  for (int p = 0; p < WC_MAX_PLANES; ++p) {
    WC_TRY(WC_CUDA(cudaStreamCreateWithFlags(&enc->stream[p], cudaStreamNonBlocking)));
    WC_TRY(WC_CUDA(cudaEventCreateWithFlags(&enc->done[p], cudaEventDisableTiming)));
  }
  WC_TRY(WC_CUDA(cudaEventCreateWithFlags(&enc->fork, cudaEventDisableTiming)));
  WC_TRY(WC_CUDA(cudaMallocHost((void **)&enc->h_pixels, n)));
  WC_TRY(WC_CUDA(cudaMallocHost((void **)&enc->h_coeffs, n * sizeof(int16_t))));
  WC_TRY(WC_CUDA(cudaMalloc((void **)&enc->d_pixels, n)));
  WC_TRY(WC_CUDA(cudaMalloc((void **)&enc->d_bands, n * sizeof(int16_t))));
  WC_TRY(WC_CUDA(cudaMalloc((void **)&enc->d_coeffs, n * sizeof(int16_t))));
  return WC_OK;
}

wc_status_t wc_encoder_create(wc_encoder_t **out) {
  wc_encoder_t *enc = (wc_encoder_t *)calloc(1, sizeof(*enc));
  if (!enc) return WC_ERR_MEMORY;
  wc_status_t st = wc_encoder_init(enc);
  if (st != WC_OK) {
    wc_encoder_destroy(enc);
    enc = NULL;
  }
  *out = enc;
  return st;
}

static wc_status_t wc_encode_plane(wc_encoder_t *enc, int p, int q) {
  const size_t at = (size_t)p * WC_PIXELS;
  cudaStream_t s = enc->stream[p];
  WC_TRY(WC_CUDA(cudaMemcpyAsync(enc->d_pixels + at, enc->h_pixels + at, WC_PIXELS, cudaMemcpyHostToDevice, s)));
  wc_haar_rows<<<WC_PIXELS / 2 / 128, 128, 0, s>>>(enc->d_pixels + at, enc->d_bands + at);
  wc_quantise<<<WC_PIXELS / 128, 128, 0, s>>>(enc->d_bands + at, enc->d_coeffs + at, q);
  WC_TRY(WC_CUDA(cudaGetLastError()));
  return WC_CUDA(cudaMemcpyAsync(enc->h_coeffs + at, enc->d_coeffs + at, WC_PIXELS * sizeof(int16_t),
                                 cudaMemcpyDeviceToHost, s));
}

static wc_status_t wc_fork(wc_encoder_t *enc, int p) {
  return WC_CUDA(cudaStreamWaitEvent(enc->stream[p], enc->fork, 0));
}

static wc_status_t wc_join(wc_encoder_t *enc, int p) {
  WC_TRY(WC_CUDA(cudaEventRecord(enc->done[p], enc->stream[p])));
  return WC_CUDA(cudaStreamWaitEvent(enc->stream[WC_Y], enc->done[p], 0));
}

/* Luma stays on the origin stream, the other planes branch off and come back. */
static wc_status_t wc_record_planes(wc_encoder_t *enc) {
  const wc_format_t *f = &enc->fmt;
  WC_TRY(WC_CUDA(cudaEventRecord(enc->fork, enc->stream[WC_Y])));
  for (int p = WC_CB; p <= WC_CR; ++p) {
    WC_TRY(wc_fork(enc, p));
    WC_TRY(wc_encode_plane(enc, p, f->quant_chroma));
  }
  if (f->has_alpha) {
    WC_TRY(wc_fork(enc, WC_A));
    WC_TRY(wc_encode_plane(enc, WC_A, 1)); // HAZARD dependency #alpha
  }
  WC_TRY(wc_encode_plane(enc, WC_Y, f->quant_luma));
  for (int p = WC_CB; p <= WC_CR; ++p) WC_TRY(wc_join(enc, p));
  return WC_OK;
}

wc_status_t wc_encoder_set_format(wc_encoder_t *enc, const wc_format_t *fmt) {
  if (!enc || !fmt || fmt->quant_luma < 1 || fmt->quant_chroma < 1) return WC_ERR_PARAM;
  if (enc->exec) WC_TRY(WC_CUDA(cudaGraphExecDestroy(enc->exec))); /* quantisers are baked into it */
  enc->exec = NULL;
  enc->fmt = *fmt;
  cudaGraph_t graph = NULL;
  WC_TRY(WC_CUDA(cudaStreamBeginCapture(enc->stream[WC_Y], cudaStreamCaptureModeThreadLocal)));
  wc_status_t body = wc_record_planes(enc);
  wc_status_t end = WC_CUDA(cudaStreamEndCapture(enc->stream[WC_Y], &graph)); // HAZARD dependency #alpha
  if (body == WC_OK && end == WC_OK) body = WC_CUDA(cudaGraphInstantiate(&enc->exec, graph, 0));
  if (graph) cudaGraphDestroy(graph);
  return body != WC_OK ? body : end;
}

wc_status_t wc_encode(wc_encoder_t *enc, const uint8_t *planes, int nplanes) {
  if (!enc->exec) return WC_ERR_NOT_READY;
  if (nplanes != (enc->fmt.has_alpha ? 4 : 3)) return WC_ERR_PARAM;
  memcpy(enc->h_pixels, planes, (size_t)nplanes * WC_PIXELS);
  WC_TRY(WC_CUDA(cudaGraphLaunch(enc->exec, enc->stream[WC_Y])));
  return WC_CUDA(cudaStreamSynchronize(enc->stream[WC_Y]));
}

static int count_wrong(const wc_encoder_t *enc, const uint8_t *px, int nplanes) {
  int wrong = 0;
  for (int p = 0; p < nplanes; ++p) {
    const int q = p == WC_Y ? enc->fmt.quant_luma : p == WC_A ? 1 : enc->fmt.quant_chroma;
    for (int i = 0; i < WC_PIXELS / 2; ++i) {
      const int y = i / (WC_W / 2), x = i % (WC_W / 2), base = p * WC_PIXELS + y * WC_W;
      const int a = px[base + 2 * x], b = px[base + 2 * x + 1];
      wrong += enc->h_coeffs[base + x] != (a + b) / q;
      wrong += enc->h_coeffs[base + WC_W / 2 + x] != (a - b) / q;
    }
  }
  return wrong;
}

int main(void) {
  static uint8_t px[WC_PIXELS * WC_MAX_PLANES];
  const wc_format_t formats[2] = {{0, 2, 6}, {1, 3, 8}};
  int wrong = 0, encoded = 0, format_errors = 0, failed = 0;
  wc_encoder_t *enc = NULL;
  if (wc_encoder_create(&enc) != WC_OK) failed = 1;
  for (int f = 0; f < 2 && !failed; ++f) {
    const int nplanes = formats[f].has_alpha ? 4 : 3;
    if (wc_encoder_set_format(enc, &formats[f]) != WC_OK) {
      ++format_errors;
      continue;
    }
    for (int img = 0; img < 4; ++img) {
      for (int i = 0; i < nplanes * WC_PIXELS; ++i) px[i] = (uint8_t)(i * 31 + img * 57 + (i >> 5));
      if (wc_encode(enc, px, nplanes) != WC_OK) failed = 1;
      else wrong += count_wrong(enc, px, nplanes);
      ++encoded;
    }
  }
  printf("encoded %d, wrong coefficients %d, refused formats %d\n", encoded, wrong, format_errors);
  wc_encoder_destroy(enc);
  puts(!failed && wrong == 0 && encoded == 4 && format_errors == 1 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
