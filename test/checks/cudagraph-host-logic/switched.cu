// Stages that are switched on and off, and state that other code sets through a
// registered callback, a method of another object, or an optional.

// RUN: %check %s cudagraph-host-logic --real-std
// RUN: %check %s cudagraph-host-logic --real-std --suffix=RENEWED -- -DRENEWED

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

__global__ void a(float *x);
__global__ void b(float *x);

struct Io {
  cudaStream_t s;
  float *x;
};
static void blur(const Io &io) { a<<<1, 1, 0, io.s>>>(io.x); }
static void bloom(const Io &io) { b<<<1, 1, 0, io.s>>>(io.x); }

struct Replayed {
  Io io{};
  cudaGraphExec_t exec = nullptr;
  Replayed() {
    cudaStreamCreateWithFlags(&io.s, cudaStreamNonBlocking);
    cudaMalloc(&io.x, 4);
  }
  void changed() {
#ifdef RENEWED
    if (exec)
      cudaGraphExecDestroy(exec);
    exec = nullptr;
#endif
  }
  template <class Work> void replay(Work &&work) {
    if (!exec) {
      cudaGraph_t g;
      cudaStreamBeginCapture(io.s, cudaStreamCaptureModeThreadLocal);
      work();
      cudaStreamEndCapture(io.s, &g);
      cudaGraphInstantiate(&exec, g, 0);
      cudaGraphDestroy(g);
    }
    cudaGraphLaunch(exec, io.s);
  }
};

// Each stage has a flag, and is a function that the call does not name.
struct Stage {
  std::string name;
  bool enabled;
  void (*run)(const Io &);
};
class Stages : Replayed {
public:
  Stages() {
    stages_.push_back({"blur", true, blur});
    stages_.push_back({"bloom", true, bloom});
  }
  void toggle(const std::string &name) {
    for (auto &each : stages_)
      if (each.name == name)
        each.enabled = !each.enabled;
    changed();
  }
  void frame() {
    replay([this] {
      for (auto &each : stages_) {
        if (!each.enabled)
          // CHECK-MESSAGES: :[[@LINE-1]]:13: warning: the branch depends on host state that changes between replays
          continue;
        each.run(io);
      }
    });
  }

private:
  std::vector<Stage> stages_;
};

// The same, but the stages are objects of several classes.
struct Effect {
  bool enabled = true;
  virtual ~Effect() = default;
  virtual void enqueue(const Io &io) = 0;
};
struct Blur : Effect {
  void enqueue(const Io &io) override { blur(io); }
};
struct Bloom : Effect {
  void enqueue(const Io &io) override { bloom(io); }
};
class Effects : Replayed {
public:
  Effects() {
    all_.push_back(std::make_unique<Blur>());
    all_.push_back(std::make_unique<Bloom>());
  }
  void enable(int i, bool on) {
    all_[i]->enabled = on;
    changed();
  }
  void frame() {
    replay([this] {
      for (auto &each : all_)
        if (each->enabled)
          // CHECK-MESSAGES: :[[@LINE-1]]:13: warning: 'Effects::enable' sets a value that the branch depends on, while the graph exists
          each->enqueue(io);
    });
  }

private:
  std::vector<std::unique_ptr<Effect>> all_;
};

// State set by a listener that was registered at construction.
class Settings {
public:
  void listen(const std::string &name, std::function<void(int)> f) { listeners_[name] = std::move(f); }
  void set(const std::string &name, int value) {
    auto it = listeners_.find(name);
    if (it != listeners_.end())
      it->second(value);
  }

private:
  std::map<std::string, std::function<void(int)>> listeners_;
};
class Listening : Replayed {
public:
  explicit Listening(Settings &settings) {
    settings.listen("effect", [this](int value) { choose(value); });
  }
  void frame() {
    replay([this] { now_->enqueue(io); });
    // CHECK-MESSAGES: :[[@LINE-1]]:21: warning: 'Listening::choose' sets a value that the called function depends on, while the graph exists
  }

private:
  void choose(int value) {
    now_ = value ? static_cast<Effect *>(&bloom_) : &blur_;
    changed();
  }
  Blur blur_;
  Bloom bloom_;
  Effect *now_ = &blur_;
};

// An operator may also be virtual.
struct Step {
  virtual ~Step() = default;
  virtual void operator()(const Io &io) = 0;
};
struct Euler : Step {
  void operator()(const Io &io) override { blur(io); }
};
struct Heun : Step {
  void operator()(const Io &io) override { bloom(io); }
};
class Integrator : Replayed {
public:
  void use(std::shared_ptr<Step> step) {
    step_ = std::move(step);
    changed();
  }
  void advance() {
    replay([this] { (*step_)(io); });
    // CHECK-MESSAGES: :[[@LINE-1]]:21: warning: 'Integrator::use' sets a value that the called function depends on, while the graph exists
  }

private:
  std::shared_ptr<Step> step_ = std::make_shared<Euler>();
};

// An optional stage.
class Limited : Replayed {
public:
  void limit() {
    limiter_.emplace();
    changed();
  }
  void process() {
    replay([this] {
      blur(io);
      if (limiter_)
        // CHECK-MESSAGES: :[[@LINE-1]]:11: warning: 'Limited::limit' sets a value that the branch depends on, while the graph exists
        limiter_->enqueue(io);
    });
  }

private:
  std::optional<Bloom> limiter_;
};

// A source that both the capture and other code query selects no graph.
class Governor {
public:
  void report(float ms) { shedding_ = ms > 16; }
  bool shedding() const { return shedding_; }

private:
  bool shedding_ = false;
};
class Upscaler : Replayed {
public:
  explicit Upscaler(Governor &governor) : governor_(governor) {}
  void process() {
    replay([this] {
      blur(io);
      if (!governor_.shedding())
        // CHECK-MESSAGES: :[[@LINE-1]]:11: warning: 'Governor::report' sets a value that the branch depends on, while the graph exists
        bloom(io);
    });
  }
  using Replayed::changed;

private:
  Governor &governor_;
};

// A jump in an interpreter determines the next operation.
struct Instruction {
  int op, argument, target;
};
class Machine : Replayed {
public:
  explicit Machine(std::vector<Instruction> program) : program_(std::move(program)) {}
  void set(int i, int v) {
    registers_[i] = v;
    changed();
  }
  void run() {
    replay([this] {
      size_t pc = 0;
      while (pc < program_.size()) {
        const Instruction &now = program_[pc];
        if (now.op == 2) {
          if (registers_[now.argument] == 0)
            // CHECK-MESSAGES: :[[@LINE-1]]:15: warning: 'Machine::set' sets a value that the branch depends on, while the graph exists
            pc = now.target;
          else
            ++pc;
          continue;
        }
        if (now.op == 0)
          blur(io);
        else
          bloom(io);
        ++pc;
      }
    });
  }

private:
  std::vector<Instruction> program_;
  int registers_[4] = {};
};

int main() {
  Machine machine({{0, 0, 0}, {2, 1, 3}, {1, 0, 0}});
  machine.set(1, 0);
  machine.run();
  machine.set(1, 5);
  machine.run();
  Stages stages;
  stages.frame();
  stages.toggle("bloom");
  stages.frame();
  Effects effects;
  effects.frame();
  effects.enable(1, false);
  effects.frame();
  Settings settings;
  Listening listening(settings);
  listening.frame();
  settings.set("effect", 1);
  listening.frame();
  Integrator integrator;
  integrator.advance();
  integrator.use(std::make_shared<Heun>());
  integrator.advance();
  Limited limited;
  limited.process();
  limited.limit();
  limited.process();
  Governor governor;
  Upscaler upscaler(governor);
  float want = 0;
  for (float ms : {9.f, 20.f, 12.f}) {
    want += governor.shedding() ? 1.f : 2.f;
    upscaler.process();
    governor.report(ms);
    upscaler.changed();
  }
  return want > 5;
}
