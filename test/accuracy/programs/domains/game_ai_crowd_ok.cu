#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <new>
#include <thread>
#include <vector>

typedef uint32_t u32;
typedef float f32;

struct FrameArena {
  unsigned char* base = nullptr;
  size_t used = 0, size = 0;

  void init(size_t bytes) {
    size = bytes;
    cudaMallocHost(&base, bytes);
  }
  void rewind() { used = 0; }
  template <class T>
  T* push() {
    size_t at = (used + alignof(T) - 1) & ~(alignof(T) - 1);
    used = at + sizeof(T);
    return new (base + at) T();
  }
};

struct SteerParams {
  f32 speed = 1.0f;
};

struct Waypoint {
  f32 x = 99.0f, y = 99.0f;
};

struct GraphHandle { u32 index = 0, generation = 0; };

struct GraphTable {
  struct Slot {
    cudaGraphExec_t exec = nullptr;
    u32 generation = 1;
  };
  std::vector<Slot> slots;

  GraphHandle add(cudaGraphExec_t e) {
    slots.push_back({e, 1});
    return {static_cast<u32>(slots.size() - 1), 1};
  }
  cudaGraphExec_t get(GraphHandle h) const {
    return h.index < slots.size() && slots[h.index].generation == h.generation ? slots[h.index].exec : nullptr;
  }
  void release(GraphHandle h) {
    if (cudaGraphExec_t e = get(h)) {
      cudaGraphExecDestroy(e);
      slots[h.index].exec = nullptr;
      ++slots[h.index].generation;
    }
  }
  void shutdown() {
    for (Slot& s : slots)
      if (s.exec) cudaGraphExecDestroy(s.exec);
  }
};

__global__ void steer(f32* pos, const SteerParams* p, int agents) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < agents) pos[i] += p->speed;
}

__global__ void blend(f32* pose, int agents) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < agents) pose[i] += 1.0f;
}

struct World {
  FrameArena frame, level;
  GraphTable graphs;
  cudaStream_t stream = nullptr;
  int agents = 256;
  f32 *pos = nullptr, *pose = nullptr, *clip = nullptr;
  SteerParams* steerDev = nullptr;
  SteerParams* steerHost = nullptr;
  cudaError_t streamed = cudaSuccess, animated = cudaSuccess;
};

static GraphHandle finish(World& w, cudaError_t* status) {
  cudaGraph_t g = nullptr;
  cudaGraphExec_t exec = nullptr;
  *status = cudaStreamEndCapture(w.stream, &g);
  if (*status != cudaSuccess) return {};
  *status = cudaGraphInstantiate(&exec, g, 0);
  cudaGraphDestroy(g);
  return w.graphs.add(exec);
}

static GraphHandle buildSteering(World& w) {
  cudaError_t status;
  cudaStreamBeginCapture(w.stream, cudaStreamCaptureModeThreadLocal);
  SteerParams* p = w.level.push<SteerParams>();
  w.steerHost = p;
  cudaMemcpyAsync(w.steerDev, p, sizeof *p, cudaMemcpyHostToDevice, w.stream);
  steer<<<(w.agents + 63) / 64, 64, 0, w.stream>>>(w.pos, w.steerDev, w.agents);
  return finish(w, &status);
}

static GraphHandle buildAnimation(World& w) {
  cudaStreamBeginCapture(w.stream, cudaStreamCaptureModeThreadLocal);
  std::thread loader([&w] { w.streamed = cudaMalloc(&w.clip, 4096); });
  blend<<<(w.agents + 63) / 64, 64, 0, w.stream>>>(w.pose, w.agents);
  loader.join();
  return finish(w, &w.animated);
}

static f32 agentAt(World& w, const f32* field, int i) {
  f32 v = -1.0f;
  cudaMemcpyAsync(&v, field + i, sizeof v, cudaMemcpyDeviceToHost, w.stream);
  cudaStreamSynchronize(w.stream);
  return v;
}

int main() {
  World w;
  cudaStreamCreateWithFlags(&w.stream, cudaStreamNonBlocking);
  w.frame.init(1 << 16);
  w.level.init(1 << 16);
  cudaMalloc(&w.pos, w.agents * sizeof(f32));
  cudaMalloc(&w.pose, w.agents * sizeof(f32));
  cudaMalloc(&w.steerDev, sizeof(SteerParams));
  cudaMemsetAsync(w.pos, 0, w.agents * sizeof(f32), w.stream);
  cudaMemsetAsync(w.pose, 0, w.agents * sizeof(f32), w.stream);

  GraphHandle steering = buildSteering(w);
  GraphHandle animation = buildAnimation(w);
  (void)cudaGetLastError();
  cudaError_t run = cudaSuccess;
  for (int frame = 0; frame < 3 && run == cudaSuccess; ++frame) {
    w.steerHost->speed = 1.0f + frame;
    run = cudaGraphLaunch(w.graphs.get(steering), w.stream);
    if (run == cudaSuccess) run = cudaGraphLaunch(w.graphs.get(animation), w.stream);
    if (run == cudaSuccess) run = cudaStreamSynchronize(w.stream);
    w.frame.rewind();
    w.frame.push<Waypoint>();
  }
  const f32 x = agentAt(w, w.pos, 100);
  w.graphs.release(animation);
  const bool ok = run == cudaSuccess && x == 6.0f && agentAt(w, w.pose, 3) == 3.0f && w.streamed == cudaSuccess &&
                  w.animated == cudaSuccess && w.graphs.get(animation) == nullptr;
  if (ok) printf("LABEL CONFIRMED\n");
  else printf("LABEL REFUTED run=%d x=%f streamed=%d animated=%d\n", run, x, w.streamed, w.animated);
  w.graphs.shutdown();
  cudaFreeHost(w.frame.base);
  cudaFreeHost(w.level.base);
  for (f32* p : {w.pos, w.pose, w.clip}) cudaFree(p);
  cudaFree(w.steerDev);
  cudaStreamDestroy(w.stream);
  return 0;
}
