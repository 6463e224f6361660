// RUN: %check %s cudagraph-stream-dependency

// A number whose operands are shared has many more paths than operands: 2 to
// the power of 48 here. Each operand is examined once, if the number comes from
// a loop, and if it comes from a slot of a pool.

__global__ void fill(float *To);

static bool Used[8];

int take() {
  for (int I = 0; I < 8; ++I)
    if (!Used[I]) {
      Used[I] = true;
      return I;
    }
  return -1;
}

unsigned mix(unsigned H) {
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  H = (H ^ (H >> 3)) + (H << 1);
  return H;
}

unsigned takeMixed() { return mix(take()); }

struct Buffers {
  float *Each[64];
};

int run(Buffers &B, cudaStream_t S, int Count, unsigned Seed) {
  unsigned Sum = Seed;
  for (int I = 0; I < Count; ++I)
    Sum += I * Seed;
  cudaGraph_t Graph;
  if (cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal) != cudaSuccess)
    return 1;
  fill<<<1, 32, 0, S>>>(B.Each[mix(Sum) % 64]);
  fill<<<1, 32, 0, S>>>(B.Each[takeMixed() % 64]);
  return cudaStreamEndCapture(S, &Graph) != cudaSuccess;
}
