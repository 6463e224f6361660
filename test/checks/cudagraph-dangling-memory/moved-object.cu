// A moved object takes with it the objects that it owns, but not its members,
// which have different addresses afterwards.

// RUN: %if gxx %{ %check %s cudagraph-dangling-memory --real-std %}

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

template <typename T> class Owner {
public:
  Owner() = default;
  Owner(Owner &&other) noexcept : held_(std::exchange(other.held_, nullptr)) {}
  ~Owner() {
    if (held_)
      drop(held_);
  }
  T get() const { return held_; }
  T *out() { return &held_; }

private:
  static void drop(cudaGraphExec_t exec) { cudaGraphExecDestroy(exec); }
  static void drop(float *memory) { cudaFree(memory); }
  T held_ = nullptr;
};

struct Plan {
  std::array<float, 8> numbers{};
  std::vector<float> list;
  float rows[2][4] = {};
  Owner<float *> memory;
  Owner<cudaGraphExec_t> exec;
};

static void finish(cudaStream_t s, Plan &plan) {
  cudaGraph_t graph;
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(plan.exec.out(), graph, 0);
  cudaGraphDestroy(graph);
}

static void upload(float *to, const void *from, cudaStream_t s) {
  cudaMemcpyAsync(to, from, 32, cudaMemcpyHostToDevice, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyAsync' copies from 'numbers', a local variable of 'Plans::by_helper'; {{.*}} [cudagraph-dangling-memory]
}

struct Plans {
  cudaStream_t s;
  std::map<int, Plan> table;
  std::map<int, std::unique_ptr<Plan>> owners;

  void into_map(int id) {
    Plan plan;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaMemcpyAsync(plan.memory.get(), plan.numbers.data(), 32, cudaMemcpyHostToDevice, s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMemcpyAsync' copies from 'numbers', a local variable of 'Plans::into_map'; {{.*}} [cudagraph-dangling-memory]
    cudaMemcpyAsync(plan.memory.get(), plan.rows[1], 16, cudaMemcpyHostToDevice, s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMemcpyAsync' copies from 'rows', a local variable of 'Plans::into_map'; {{.*}} [cudagraph-dangling-memory]
    cudaMemcpyAsync(plan.memory.get(), plan.list.data(), 32, cudaMemcpyHostToDevice, s);
    finish(s, plan);
    table.emplace(id, std::move(plan));
  }

  void by_helper(int id) {
    Plan plan;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    upload(plan.memory.get(), plan.numbers.data(), s);
    finish(s, plan);
    table.emplace(id, std::move(plan));
  }

  // The elements of a map do not move.
  void in_map(int id) {
    Plan &plan = table[id];
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaMemcpyAsync(plan.memory.get(), plan.numbers.data(), 32, cudaMemcpyHostToDevice, s);
    finish(s, plan);
  }

  // Memory that a pointer owns does not move either.
  void owned(int id) {
    auto plan = std::make_unique<Plan>();
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaMemcpyAsync(plan->memory.get(), plan->numbers.data(), 32, cudaMemcpyHostToDevice, s);
    finish(s, *plan);
    owners.emplace(id, std::move(plan));
  }
};

struct Record {
  Record() = default;
  Record(Record &&other) noexcept
      : memory(std::exchange(other.memory, nullptr)), exec(std::exchange(other.exec, nullptr)) {}
  float numbers[8] = {};
  float *memory = nullptr;
  cudaGraphExec_t exec = nullptr;
};

std::optional<Record> optional(cudaStream_t s) {
  Record record;
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMemcpyAsync(record.memory, record.numbers, 32, cudaMemcpyHostToDevice, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyAsync' copies from 'numbers', a local variable of 'optional'; {{.*}} [cudagraph-dangling-memory]
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&record.exec, graph, 0);
  cudaGraphDestroy(graph);
  return std::optional<Record>(std::move(record));
}

// Compilers construct a returned object in its final place.
Record moves_itself(cudaStream_t s) {
  Record record;
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMemcpyAsync(record.memory, record.numbers, 32, cudaMemcpyHostToDevice, s);
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&record.exec, graph, 0);
  cudaGraphDestroy(graph);
  return record;
}

Plan named(cudaStream_t s) {
  Plan plan;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMemcpyAsync(plan.memory.get(), plan.numbers.data(), 32, cudaMemcpyHostToDevice, s);
  finish(s, plan);
  return plan;
}
