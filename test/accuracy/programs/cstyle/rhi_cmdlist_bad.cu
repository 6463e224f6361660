/* Software rasterizer on a thin RHI: command lists are recorded once and replayed every frame. */
#include <cuda.h>
#include <cuda_runtime.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RHI_TRY(x)                  \
    do {                            \
        CUresult r_ = (x);          \
        if (r_ != CUDA_SUCCESS)     \
            return r_;              \
    } while (0)

#define RHI_MAX_CMDS 16

enum rhi_cmd_type { RHI_CMD_CLEAR, RHI_CMD_DRAW_RECT, RHI_CMD_RESOLVE, RHI_CMD_TYPE_COUNT };

struct rhi_target {
    CUdeviceptr color;
    CUdeviceptr resolved;
    int width, height;
};

struct rhi_push {
    float x0, x1;
    uint32_t rgba;
};

struct rhi_cmd {
    enum rhi_cmd_type type;
    struct rhi_target *target;
    union {
        struct { uint32_t rgba; } clear;
        struct { struct rhi_push push; } draw;
    } u;
};

struct rhi_cmdlist {
    struct rhi_cmd cmds[RHI_MAX_CMDS];
    int count;
    unsigned updates;   /* frame statistics */
    unsigned dirty : 1;
    CUgraphExec exec;
};

struct rhi_device {
    CUstream stream;
};

__global__ void rect_kernel(uint32_t *color, int w, int h, rhi_push pc)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    if (x < w && y < h && x >= (int)(pc.x0 * w) && x < (int)(pc.x1 * w))
        color[y * w + x] = pc.rgba;
}

static CUresult exec_clear(struct rhi_device *dev, const struct rhi_cmd *cmd)
{
    const struct rhi_target *t = cmd->target;
    return cuMemsetD32Async(t->color, cmd->u.clear.rgba, (size_t)t->width * t->height, dev->stream); // HAZARD frozen #2
}

static CUresult exec_draw_rect(struct rhi_device *dev, const struct rhi_cmd *cmd)
{
    const struct rhi_target *t = cmd->target;
    dim3 grid((t->width + 63) / 64, t->height);
    rect_kernel<<<grid, 64, 0, dev->stream>>>((uint32_t *)t->color, t->width, t->height, cmd->u.draw.push); // HAZARD frozen #1
    return cudaGetLastError() == cudaSuccess ? CUDA_SUCCESS : CUDA_ERROR_LAUNCH_FAILED;
}

static CUresult exec_resolve(struct rhi_device *dev, const struct rhi_cmd *cmd)
{
    const struct rhi_target *t = cmd->target;
    return cuMemcpyDtoDAsync(t->resolved, t->color, (size_t)t->width * t->height * 4, dev->stream);
}

typedef CUresult (*rhi_exec_fn)(struct rhi_device *, const struct rhi_cmd *);
static const rhi_exec_fn rhi_exec_table[RHI_CMD_TYPE_COUNT] = {exec_clear, exec_draw_rect, exec_resolve};

static struct rhi_cmd *cmdlist_append(struct rhi_cmdlist *cl, enum rhi_cmd_type type, struct rhi_target *t)
{
    struct rhi_cmd *cmd = &cl->cmds[cl->count++];
    cmd->type = type;
    cmd->target = t;
    cl->dirty = 1;
    return cmd;
}

static struct rhi_cmd *rhi_cmd_clear(struct rhi_cmdlist *cl, struct rhi_target *t, uint32_t rgba)
{
    struct rhi_cmd *cmd = cmdlist_append(cl, RHI_CMD_CLEAR, t);
    cmd->u.clear.rgba = rgba;
    return cmd;
}

static struct rhi_cmd *rhi_cmd_draw_rect(struct rhi_cmdlist *cl, struct rhi_target *t, const struct rhi_push *push)
{
    struct rhi_cmd *cmd = cmdlist_append(cl, RHI_CMD_DRAW_RECT, t);
    cmd->u.draw.push = *push;
    return cmd;
}

static void rhi_cmdlist_set_push(struct rhi_cmdlist *cl, struct rhi_cmd *cmd, const struct rhi_push *push)
{
    if (!memcmp(&cmd->u.draw.push, push, sizeof(*push)))
        return;
    cmd->u.draw.push = *push; // HAZARD frozen #1
    cl->updates++;
}

static void rhi_cmdlist_set_clear(struct rhi_cmdlist *cl, struct rhi_cmd *cmd, uint32_t rgba)
{
    if (cmd->u.clear.rgba == rgba)
        return;
    cmd->u.clear.rgba = rgba; // HAZARD frozen #2
    cl->updates++;
}

static CUresult rhi_bake(struct rhi_device *dev, struct rhi_cmdlist *cl)
{
    CUgraphExecUpdateResultInfo info;
    CUgraph graph = NULL;
    CUresult res = CUDA_SUCCESS, end;

    RHI_TRY(cuStreamBeginCapture(dev->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    for (int i = 0; i < cl->count && res == CUDA_SUCCESS; i++)
        res = rhi_exec_table[cl->cmds[i].type](dev, &cl->cmds[i]);
    end = cuStreamEndCapture(dev->stream, &graph);
    if (res == CUDA_SUCCESS)
        res = end;
    if (res == CUDA_SUCCESS && cl->exec && cuGraphExecUpdate(cl->exec, graph, &info) != CUDA_SUCCESS) {
        cuGraphExecDestroy(cl->exec);
        cl->exec = NULL;
    }
    if (res == CUDA_SUCCESS && !cl->exec)
        res = cuGraphInstantiate(&cl->exec, graph, 0);
    if (graph)
        cuGraphDestroy(graph);
    if (res == CUDA_SUCCESS)
        cl->dirty = 0;
    return res;
}

static CUresult rhi_submit(struct rhi_device *dev, struct rhi_cmdlist *cl)
{
    if (cl->dirty)
        RHI_TRY(rhi_bake(dev, cl));
    RHI_TRY(cuGraphLaunch(cl->exec, dev->stream));
    return cuStreamSynchronize(dev->stream);
}

static CUresult run(int *frames_right)
{
    static uint32_t pixels[128 * 4];
    struct rhi_device dev = {};
    struct rhi_target rt = {};
    struct rhi_cmdlist cl = {};
    struct rhi_push push = {0.0f, 0.5f, 0xff0000ffu};
    struct rhi_cmd *clear, *rect;

    if (cudaSetDevice(0) != cudaSuccess)
        return CUDA_ERROR_NO_DEVICE;
    RHI_TRY(cuStreamCreate(&dev.stream, CU_STREAM_NON_BLOCKING));
    rt.width = 128;
    rt.height = 4;
    RHI_TRY(cuMemAlloc(&rt.color, sizeof(pixels)));
    RHI_TRY(cuMemAlloc(&rt.resolved, sizeof(pixels)));
    clear = rhi_cmd_clear(&cl, &rt, 0);
    rect = rhi_cmd_draw_rect(&cl, &rt, &push);
    cmdlist_append(&cl, RHI_CMD_RESOLVE, &rt);

    for (uint32_t frame = 0; frame < 3; frame++) {
        push.x1 = 0.25f + 0.25f * frame;
        push.rgba = 0xff000000u | frame;
        rhi_cmdlist_set_push(&cl, rect, &push);
        rhi_cmdlist_set_clear(&cl, clear, 0x80u + frame);
        RHI_TRY(rhi_submit(&dev, &cl));
        RHI_TRY(cuMemcpyDtoH(pixels, rt.resolved, sizeof(pixels)));
        *frames_right += pixels[0] == push.rgba && pixels[127] == 0x80u + frame && pixels[31 + 32 * frame] == push.rgba;
    }
    cuGraphExecDestroy(cl.exec);
    cuMemFree(rt.color);
    cuMemFree(rt.resolved);
    return cuStreamDestroy(dev.stream);
}

int main(void)
{
    int right = 0;
    CUresult res = cuInit(0);
    if (res == CUDA_SUCCESS)
        res = run(&right);
    puts(res == CUDA_SUCCESS && right == 1 ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
