// Only the part that a node receives matters, for objects in a braced
// initializer list and for two members of one class. A function that compares
// members with copies from the last capture makes only these members
// keys.

// RUN: %check %s cudagraph-frozen-argument,cudagraph-host-logic --real-std

#include <cuda_runtime.h>
#include <vector>

__global__ void scale(float *x, float k);

struct Arena {
  struct Entry {
    size_t Offset = 0;
    unsigned Generation = 0;
  };
  std::vector<Entry> Entries;
  char *Slab;
  unsigned Live = 0;
  unsigned allocate() {
    unsigned Slot = Live++;
    if (Slot == Entries.size())
      Entries.push_back({});
    return Slot;
  }
  void reset() {
    for (auto &E : Entries)
      ++E.Generation;
    Live = 0;
  }
  float *resolve(unsigned I) const {
    return reinterpret_cast<float *>(Slab + Entries[I].Offset);
  }
};

struct Instruction {
  unsigned Target;
  float Factor = 0;
};

struct Device {
  cudaStream_t S;
  Arena Persistent, Frame;
};

static void interpret(Device &D, const std::vector<Instruction> &Program) {
  for (const Instruction &I : Program)
    scale<<<1, 32, 0, D.S>>>(D.Persistent.resolve(I.Target), I.Factor);
}

static cudaGraphExec_t bake(Device &D,
                            const std::vector<Instruction> &Program) {
  cudaGraph_t G;
  cudaGraphExec_t E;
  cudaStreamBeginCapture(D.S, cudaStreamCaptureModeGlobal);
  interpret(D, Program);
  cudaStreamEndCapture(D.S, &G);
  cudaGraphInstantiate(&E, G, 0);
  return E;
}

// Legal: only the other arena is reset.
void frames(Device &D) {
  unsigned Slot = D.Persistent.allocate();
  std::vector<Instruction> Program = {{Slot, 2.0f}, {Slot, 3.0f}};
  cudaGraphExec_t E = bake(D, Program);
  for (int Frame = 0; Frame < 3; ++Frame) {
    cudaGraphLaunch(E, D.S);
    D.Frame.reset();
    D.Frame.allocate();
  }
}

struct Node {
  float *Target;
  int Kind;
  float Level;
};
struct Plan {
  std::vector<Node> Nodes;
};
struct Copy {
  float *Target;
  int Kind;
};
struct Entry {
  cudaGraphExec_t Exec = nullptr;
  std::vector<Copy> Copies;
};

static bool matches(const Node &N, const Copy &C) {
  return N.Target == C.Target && N.Kind == C.Kind;
}

static bool mustCapture(Entry &E, const Plan &P) {
  bool Changed = E.Exec == nullptr || E.Copies.size() != P.Nodes.size();
  E.Copies.resize(P.Nodes.size());
  for (size_t I = 0; I < P.Nodes.size(); ++I) {
    const Node &N = P.Nodes[I];
    if (!Changed)
      Changed = !matches(N, E.Copies[I]);
    E.Copies[I] = {N.Target, N.Kind};
  }
  return Changed;
}

__global__ void fill(float *x, float level);
__global__ void select(float *x, int kind);

static void compute(Entry &E, const Plan &P, cudaStream_t S) {
  if (mustCapture(E, P)) {
    cudaGraph_t G;
    cudaStreamBeginCapture(S, cudaStreamCaptureModeRelaxed);
    for (const Node &N : P.Nodes) {
      select<<<1, 32, 0, S>>>(N.Target, N.Kind);
      fill<<<1, 32, 0, S>>>(N.Target, N.Level);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'N.Level' of kernel 'fill' has a different value when the graph is launched
    }
    cudaStreamEndCapture(S, &G);
    cudaGraphInstantiate(&E.Exec, G, 0);
  }
  cudaGraphLaunch(E.Exec, S);
}

int main() {
  cudaStream_t S;
  cudaStreamCreate(&S);
  float *X;
  cudaMalloc(&X, 128);
  Entry E;
  Plan P{{{X, 1, 2.0f}}};
  const float Levels[3] = {2.0f, 2.0f, 7.0f};
  for (int I = 0; I < 3; ++I) {
    P.Nodes[0].Level = Levels[I];
    P.Nodes[0].Kind = I / 2;
    compute(E, P, S);
  }
}
