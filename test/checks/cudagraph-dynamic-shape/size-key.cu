// RUN: %check %s cudagraph-dynamic-shape --real-std
// RUN: %check %s cudagraph-dynamic-shape --real-std --suffix=BOTH -- -DBOTH
// RUN: %check %s cudagraph-dynamic-shape --real-std --suffix=NAMED -- -DNAMED
// The key of a graph is the size of a container, which does not depend on the
// elements. An object with a name as key has its own graph.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

__global__ void attend(float *memory, int splits);

#if defined(NAMED)
struct Book {
  std::string name;
  int rows = 0;
  float *memory = nullptr;
};

class Service {
public:
  explicit Service(cudaStream_t stream) : stream(stream) {}
  ~Service() {
    for (auto &each : execs)
      cudaGraphExecDestroy(each.second);
  }
  void run(const Book &book) {
    auto it = execs.find(book.name);
    if (it == execs.end())
      it = execs.emplace(book.name, capture(book)).first;
    cudaGraphLaunch(it->second, stream);
    cudaStreamSynchronize(stream);
  }

private:
  cudaGraphExec_t capture(const Book &book) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    attend<<<book.rows, 64, 0, stream>>>(book.memory, book.rows);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    return exec;
  }
  cudaStream_t stream;
  std::map<std::string, cudaGraphExec_t> execs;
};

static Book make(const char *name, int rows) {
  Book book;
  book.name = name;
  book.rows = rows;
  cudaMalloc(&book.memory, rows * sizeof(float));
  return book;
}

int main() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  Service service(stream);
  const char *names[3] = {"first", "second", "third"};
  for (int b = 0; b < 3; ++b) {
    const Book book = make(names[b], 1000 + 500 * b);
    for (int day = 0; day < 4; ++day)
      service.run(book);
  }
}
#else
struct Sequence {
  int length = 0;
  void step() { ++length; }
};

class Session {
public:
  explicit Session(cudaStream_t stream) : stream(stream) {
    cudaMalloc(&memory, 4096);
  }
  ~Session() {
    for (auto &each : execs)
      cudaGraphExecDestroy(each.second);
  }
  void reset(int batch) { sequences.assign(batch, Sequence()); }
  void decode() {
    for (Sequence &each : sequences)
      each.step();
#if defined(BOTH)
    cudaGraphExec_t &exec = execs[{int(sequences.size()), splits()}];
#else
    cudaGraphExec_t &exec = execs[int(sequences.size())];
#endif
    if (!exec)
      exec = capture();
    cudaGraphLaunch(exec, stream);
    cudaStreamSynchronize(stream);
  }

private:
  int splits() const {
    int longest = 1;
    for (const Sequence &each : sequences)
      longest = std::max(longest, each.length);
    return (longest + 31) / 32;
  }
  cudaGraphExec_t capture() {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    attend<<<splits(), 32, 0, stream>>>(memory, 0);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the grid of kernel 'attend' is computed from host state that changes between replays; replays keep the value from the capture [cudagraph-dynamic-shape]
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    return exec;
  }

  std::vector<Sequence> sequences;
  cudaStream_t stream;
  float *memory = nullptr;
#if defined(BOTH)
  std::map<std::pair<int, int>, cudaGraphExec_t> execs;
#else
  std::map<int, cudaGraphExec_t> execs;
#endif
};

int main() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  Session session(stream);
  session.reset(2);
  for (int i = 0; i < 100; ++i)
    session.decode();
}
#endif
