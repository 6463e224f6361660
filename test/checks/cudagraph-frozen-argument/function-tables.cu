// An object has a pointer to a constant table of functions. A function of another table does
// not have this object, and a call through one member does not reach a function of another.

// RUN: %check %s cudagraph-frozen-argument

__global__ void drive(float *x, const float *gain);
__global__ void clip(float *x, float limit);
__global__ void level(float *x, float value);

struct Unit;
struct Ops {
  int (*open)(Unit *u, float value, cudaStream_t s);
  int (*enqueue)(Unit *u, float *x, cudaStream_t s);
  int (*set)(Unit *u, float value, cudaStream_t s); // null: not adjustable
};
struct Unit {
  const Ops *ops;
  float value;
  float *target;
};

static int driveSet(Unit *u, float value, cudaStream_t s) {
  u->value = value;
  return cudaMemcpyAsync(u->target, &u->value, sizeof(float), cudaMemcpyHostToDevice, s);
}
static int driveOpen(Unit *u, float value, cudaStream_t s) {
  if (cudaMalloc(&u->target, sizeof(float)))
    return 1;
  return driveSet(u, value, s);
}
static int driveEnqueue(Unit *u, float *x, cudaStream_t s) {
  drive<<<1, 1, 0, s>>>(x, u->target);
  return 0;
}

static int clipOpen(Unit *u, float value, cudaStream_t) {
  u->value = value;
  return 0;
}
static int clipEnqueue(Unit *u, float *x, cudaStream_t s) {
  clip<<<1, 1, 0, s>>>(x, u->value);
  return 0;
}

static int levelOpen(Unit *u, float value, cudaStream_t) {
  u->value = value;
  return 0;
}
static int levelSet(Unit *u, float value, cudaStream_t) {
  u->value = value;
  return 0;
}
static int levelEnqueue(Unit *u, float *x, cudaStream_t s) {
  level<<<1, 1, 0, s>>>(x, u->value);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: argument 'u->value' of kernel 'level' is set by 'levelSet' while the graph exists
  return 0;
}

static const Ops driveOps = {driveOpen, driveEnqueue, driveSet};
static const Ops clipOps = {clipOpen, clipEnqueue, nullptr};
static const Ops levelOps = {levelOpen, levelEnqueue, levelSet};

struct Rack {
  Unit units[8];
  int count;
  cudaStream_t stream;
  cudaGraphExec_t exec;
  float *x;
};

static int add(Rack *r, const Ops *ops, float value) {
  Unit *u = &r->units[r->count];
  u->ops = ops;
  int status = ops->open(u, value, r->stream);
  if (!status)
    r->count++;
  return status;
}
static int set(Rack *r, int number, float value) {
  Unit *u = &r->units[number];
  return u->ops->set ? u->ops->set(u, value, r->stream) : 1;
}
static int seal(Rack *r) {
  cudaGraph_t graph;
  if (cudaStreamBeginCapture(r->stream, cudaStreamCaptureModeGlobal))
    return 1;
  for (int i = 0; i < r->count; ++i)
    r->units[i].ops->enqueue(&r->units[i], r->x, r->stream);
  if (cudaStreamEndCapture(r->stream, &graph))
    return 2;
  return cudaGraphInstantiate(&r->exec, graph, 0);
}

int main() {
  Rack rack{};
  if (cudaStreamCreateWithFlags(&rack.stream, cudaStreamNonBlocking) || cudaMalloc(&rack.x, 4096))
    return 1;
  add(&rack, &driveOps, 1.f);
  add(&rack, &clipOps, 1.f);
  add(&rack, &levelOps, 1.f);
  seal(&rack);
  for (int i = 0; i < 4; ++i) {
    set(&rack, i % 3, 1.f * i);
    cudaGraphLaunch(rack.exec, rack.stream);
  }
}
