struct Base { virtual void run(cudaStream_t); virtual ~Base(); };
struct Derived : Base { void run(cudaStream_t) override {} };
__global__ void k(float *, int);
static void work(cudaStream_t s, int n) {
  for (int i = 0; i < n; ++i) if (n % 2) cudaStreamSynchronize(s); // NOLINT
}
void (*table[])(cudaStream_t, int) = {work};
void region(cudaStream_t s, float *x, Base *b, cudaGraph_t *g) {
  static int calls = 0; ++calls;
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)) return;
  k<<<calls, 32, 0, s>>>(x, calls);
  auto f = [&] { b->run(s); table[calls](s, 3); };
  f();
  switch (calls) { case 1: work(s, -1); break; default: throw 1; }
  cudaStreamEndCapture(s, g);
}
