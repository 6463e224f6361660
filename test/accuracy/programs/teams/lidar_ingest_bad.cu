/* Lidar ingest node: sensor packet -> vehicle frame -> occupancy hits. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

enum { kPoints = 4096, kCells = 64 };

typedef struct {
  float m[12];
} Pose;

typedef struct lidar_node {
  cudaStream_t stream;
  cudaGraphExec_t exec;
  float3 *d_points;
  float3 *d_world;
  Pose *d_pose;
  unsigned *d_hits;
  float mount_height;
  cudaError_t status;
} lidar_node;

static __global__ void transform_points(const float3 *in, float3 *out, const Pose *pose, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float3 p = in[i];
  const float *m = pose->m;
  out[i].x = m[0] * p.x + m[1] * p.y + m[2] * p.z + m[3];
  out[i].y = m[4] * p.x + m[5] * p.y + m[6] * p.z + m[7];
  out[i].z = m[8] * p.x + m[9] * p.y + m[10] * p.z + m[11];
}

static __global__ void count_hits(const float3 *world, unsigned *hits, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&hits[i % kCells], world[i].z > -1000.f ? 1u : 0u);
}

#define TRY(node, expr)                                                        \
  do {                                                                         \
    if ((node)->status == cudaSuccess) {                                       \
      (node)->status = (expr);                                                 \
      if ((node)->status != cudaSuccess)                                       \
        fprintf(stderr, "%s: %s\n", #expr, cudaGetErrorString((node)->status)); \
    }                                                                          \
  } while (0)

static void make_mount_pose(Pose *pose, float height) {
  memset(pose, 0, sizeof *pose);
  pose->m[0] = pose->m[5] = pose->m[10] = 1.0f;
  pose->m[11] = height;
}

static void accumulate_occupancy(lidar_node *node) {
  count_hits<<<kPoints / 256, 256>>>(node->d_world, node->d_hits, kPoints);  // HAZARD default_stream
  TRY(node, cudaGetLastError());
}

static void lidar_init(lidar_node *node, float mount_height) {
  memset(node, 0, sizeof *node);
  node->mount_height = mount_height;
  TRY(node, cudaStreamCreateWithFlags(&node->stream, cudaStreamNonBlocking));
  TRY(node, cudaMalloc((void **)&node->d_points, kPoints * sizeof(float3)));
  TRY(node, cudaMalloc((void **)&node->d_world, kPoints * sizeof(float3)));
  TRY(node, cudaMalloc((void **)&node->d_pose, sizeof(Pose)));
  TRY(node, cudaMalloc((void **)&node->d_hits, kCells * sizeof(unsigned)));
  TRY(node, cudaMemset(node->d_points, 0, kPoints * sizeof(float3)));
  TRY(node, cudaMemset(node->d_hits, 0, kCells * sizeof(unsigned)));
  TRY(node, cudaMemset(node->d_world, 0, kPoints * sizeof(float3)));
  TRY(node, cudaDeviceSynchronize());
}

static __attribute__((noinline)) void lidar_compile(lidar_node *node) {
  cudaGraph_t graph = NULL;
  Pose mount;
  make_mount_pose(&mount, node->mount_height);
  TRY(node, cudaStreamBeginCapture(node->stream, cudaStreamCaptureModeThreadLocal));
  TRY(node, cudaMemcpyAsync(node->d_pose, &mount, sizeof mount, cudaMemcpyHostToDevice, node->stream));  // HAZARD dangling
  transform_points<<<kPoints / 256, 256, 0, node->stream>>>(node->d_points, node->d_world, node->d_pose, kPoints);
  accumulate_occupancy(node);
  TRY(node, cudaStreamEndCapture(node->stream, &graph));
  TRY(node, cudaGraphInstantiate(&node->exec, graph, 0));
  TRY(node, cudaGraphDestroy(graph));
}

static __attribute__((noinline)) float decode_packet(unsigned seed) {
  volatile unsigned char packet[2048];
  for (int i = 0; i < 2048; ++i) packet[i] = (unsigned char)(seed + i * 7);
  return (float)packet[seed % 2048];
}

static void lidar_spin(lidar_node *node) {
  TRY(node, cudaGraphLaunch(node->exec, node->stream));
  TRY(node, cudaStreamSynchronize(node->stream));
}

static void lidar_close(lidar_node *node) {
  if (node->exec) cudaGraphExecDestroy(node->exec);
  cudaFree(node->d_points);
  cudaFree(node->d_world);
  cudaFree(node->d_pose);
  cudaFree(node->d_hits);
  cudaStreamDestroy(node->stream);
}

int main(void) {
  lidar_node node;
  lidar_init(&node, 1.75f);
  lidar_compile(&node);
  float checksum = 0;
  for (unsigned scan = 0; scan < 4; ++scan) {
    checksum += decode_packet(scan + 3);
    lidar_spin(&node);
  }
  float3 sample = {0, 0, 0};
  unsigned hits = 0;
  TRY(&node, cudaMemcpy(&sample, node.d_world + 100, sizeof sample, cudaMemcpyDeviceToHost));
  TRY(&node, cudaMemcpy(&hits, node.d_hits, sizeof hits, cudaMemcpyDeviceToHost));
  printf("z %.3f hits %u status %d packet %.0f\n", sample.z, hits, (int)node.status, checksum);
  const unsigned per_scan = kPoints / kCells;
  if (node.status != cudaSuccess || hits != per_scan)
    puts("LABEL REFUTED");
  else
    puts(sample.z != 1.75f ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  lidar_close(&node);
  return 0;
}
