// Game: the minions of a boss move by the phase of the fight. The movement of a frame is a graph.
#include <cuda_runtime.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <deque>

enum class Phase { Circle, Charge, Flee, Count };

struct Minion {
    float x, y;
};

static void verify(cudaError_t code, int line)
{
    if (code == cudaSuccess) return;
    std::printf("LABEL NOT CONFIRMED: line %d: %s\n", line, cudaGetErrorName(code));
    std::exit(1);
}
#define VERIFY(e) verify((e), __LINE__)

__global__ void circle(Minion* m) { m[threadIdx.x].y += 1.0f; }
__global__ void charge(Minion* m, const Minion* hero) { m[threadIdx.x].x = hero->x; }
__global__ void flee(Minion* m, const Minion* hero) { m[threadIdx.x].x += m[threadIdx.x].x < hero->x ? -2.0f : 2.0f; }

class Horde {
public:
    static constexpr int kMinions = 32;

    Horde()
    {
        VERIFY(cudaStreamCreate(&stream));
        VERIFY(cudaMalloc(&minions, kMinions * sizeof(Minion)));
        VERIFY(cudaMalloc(&hero, sizeof(Minion)));
        VERIFY(cudaMemset(minions, 0, kMinions * sizeof(Minion)));
    }

    void heroMoved(Minion position) { VERIFY(cudaMemcpyAsync(hero, &position, sizeof position, cudaMemcpyHostToDevice, stream)); }
    void enter(Phase next) { phase = next; }

    void frame()
    {
        if (!movement) movement = capture();
        VERIFY(cudaGraphLaunch(movement, stream));
    }

    Minion look()
    {
        Minion m{};
        VERIFY(cudaMemcpyAsync(&m, minions, sizeof m, cudaMemcpyDeviceToHost, stream));
        VERIFY(cudaStreamSynchronize(stream));
        return m;
    }

private:
    cudaGraphExec_t capture()
    {
        cudaGraph_t graph{};
        cudaGraphExec_t exec{};
        VERIFY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        switch (phase) { // HAZARD host_logic
        case Phase::Circle:
            circle<<<1, kMinions, 0, stream>>>(minions);
            break;
        case Phase::Charge:
            charge<<<1, kMinions, 0, stream>>>(minions, hero);
            break;
        case Phase::Flee:
            flee<<<1, kMinions, 0, stream>>>(minions, hero);
            break;
        default:
            break;
        }
        VERIFY(cudaStreamEndCapture(stream, &graph));
        VERIFY(cudaGraphInstantiate(&exec, graph, 0));
        VERIFY(cudaGraphDestroy(graph));
        return exec;
    }

    Phase phase = Phase::Circle;
    cudaStream_t stream{};
    Minion* minions{};
    Minion* hero{};
    cudaGraphExec_t movement{};
};

class Fight {
public:
    explicit Fight(std::deque<std::pair<int, Phase>> script) : script_(std::move(script)) {}

    // The health of the boss decides the phase.
    void tick(Horde& horde, int health)
    {
        while (!script_.empty() && health <= script_.front().first) {
            horde.enter(script_.front().second);
            script_.pop_front();
        }
        horde.frame();
    }

private:
    std::deque<std::pair<int, Phase>> script_;
};

int main()
{
    Horde horde;
    Fight fight({{60, Phase::Charge}, {30, Phase::Flee}});
    horde.heroMoved({5.0f, 0.0f});
    for (int health = 100; health > 0; health -= 10) fight.tick(horde, health);
    const Minion m = horde.look();
    std::printf("minion at %g, %g\n", m.x, m.y);
    // 4 frames of circling, 3 of charging, 3 of fleeing
    const bool confirmed = m.x == 0.0f && m.y == 10.0f;
    if (!confirmed) {
        std::puts("LABEL NOT CONFIRMED: the minion is elsewhere");
        return 1;
    }
    std::puts("LABEL CONFIRMED");
    return 0;
}
