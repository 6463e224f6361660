// Rigid-body world with exchangeable integrators behind a pimpl; a step is a recorded graph.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

namespace phys {

void require(cudaError_t e)
{
    if (e != cudaSuccess) {
        std::printf("LABEL NOT CONFIRMED: %s\n", cudaGetErrorString(e));
        std::exit(1);
    }
}

struct Bodies {
    float* position;
    float* velocity;
    int count;
};

__global__ void explicitEuler(Bodies b, float dt, float gravity)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= b.count) return;
    b.position[i] += dt * b.velocity[i];
    b.velocity[i] += dt * gravity;
}

__global__ void semiImplicitEuler(Bodies b, float dt, float gravity)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= b.count) return;
    b.velocity[i] += dt * gravity;
    b.position[i] += dt * b.velocity[i];
}

__global__ void applyDamping(Bodies b, float keep)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < b.count) b.velocity[i] *= keep;
}

class Integrator {
public:
    virtual ~Integrator() = default;
    virtual void enqueue(const Bodies& bodies, cudaStream_t stream) const = 0;
};

class ExplicitIntegrator final : public Integrator {
public:
    void enqueue(const Bodies& b, cudaStream_t stream) const override
    {
        explicitEuler<<<(b.count + 63) / 64, 64, 0, stream>>>(b, 0.5f, -8.0f);
    }
};

class SemiImplicitIntegrator final : public Integrator {
public:
    void enqueue(const Bodies& b, cudaStream_t stream) const override
    {
        semiImplicitEuler<<<(b.count + 63) / 64, 64, 0, stream>>>(b, 0.5f, -8.0f);
    }
};

struct Tuning {
    float damping = 1.0f;
};

class World {
public:
    explicit World(int bodies);
    ~World();
    void setIntegrator(std::unique_ptr<Integrator> integrator);
    Tuning& tuning();
    void step();
    float height(int body) const;
    float speed(int body) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

struct World::Impl {
    cudaStream_t stream = nullptr;
    Bodies bodies{};
    Tuning tuning;
    std::unique_ptr<Integrator> integrator = std::make_unique<ExplicitIntegrator>();
    cudaGraphExec_t exec = nullptr;

    void record()
    {
        cudaGraph_t graph = nullptr;
        require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        integrator->enqueue(bodies, stream); // HAZARD host_logic
        applyDamping<<<(bodies.count + 63) / 64, 64, 0, stream>>>(bodies, tuning.damping); // HAZARD frozen
        require(cudaStreamEndCapture(stream, &graph));
        require(cudaGraphInstantiate(&exec, graph, 0));
        require(cudaGraphDestroy(graph));
    }

    float read(const float* from) const
    {
        float v = 0.0f;
        require(cudaMemcpyAsync(&v, from, sizeof v, cudaMemcpyDeviceToHost, stream));
        require(cudaStreamSynchronize(stream));
        return v;
    }
};

World::World(int count) : impl_(std::make_unique<Impl>())
{
    require(cudaStreamCreateWithFlags(&impl_->stream, cudaStreamNonBlocking));
    impl_->bodies.count = count;
    require(cudaMalloc(&impl_->bodies.position, count * sizeof(float)));
    require(cudaMalloc(&impl_->bodies.velocity, count * sizeof(float)));
    require(cudaMemsetAsync(impl_->bodies.position, 0, count * sizeof(float), impl_->stream));
    require(cudaMemsetAsync(impl_->bodies.velocity, 0, count * sizeof(float), impl_->stream));
}

World::~World()
{
    require(cudaStreamSynchronize(impl_->stream));
    if (impl_->exec) require(cudaGraphExecDestroy(impl_->exec));
    require(cudaFree(impl_->bodies.position));
    require(cudaFree(impl_->bodies.velocity));
    require(cudaStreamDestroy(impl_->stream));
}

void World::setIntegrator(std::unique_ptr<Integrator> integrator) { impl_->integrator = std::move(integrator); }

Tuning& World::tuning() { return impl_->tuning; }

void World::step()
{
    if (!impl_->exec) impl_->record();
    require(cudaGraphLaunch(impl_->exec, impl_->stream));
}

float World::height(int body) const { return impl_->read(impl_->bodies.position + body); }
float World::speed(int body) const { return impl_->read(impl_->bodies.velocity + body); }

} // namespace phys

struct Reference {
    float x = 0.0f, v = 0.0f;
    void step(bool semi, float damping)
    {
        const float old = v;
        v += 0.5f * -8.0f;
        x += 0.5f * (semi ? v : old);
        v *= damping;
    }
};

int main()
{
    phys::World world(100);
    Reference follows, frozen, onlyDamping, onlyIntegrator;
    const auto advance = [&](bool semi, float damping) {
        world.step();
        follows.step(semi, damping);
        frozen.step(false, 1.0f);
        onlyDamping.step(false, damping);
        onlyIntegrator.step(semi, 1.0f);
    };
    advance(false, 1.0f);
    advance(false, 1.0f);
    world.setIntegrator(std::make_unique<phys::SemiImplicitIntegrator>());
    advance(true, 1.0f);
    world.tuning().damping = 0.5f;
    advance(true, 0.5f);
    advance(true, 0.5f);

    const float x = world.height(42), v = world.speed(42);
    const auto is = [&](const Reference& r) { return std::fabs(x - r.x) < 1e-4f && std::fabs(v - r.v) < 1e-4f; };
    if (is(frozen) && !is(follows) && !is(onlyDamping) && !is(onlyIntegrator)) {
        std::puts("LABEL CONFIRMED");
        return 0;
    }
    std::printf("LABEL NOT CONFIRMED: x %g v %g, expected %g %g\n", x, v, follows.x, follows.v);
    return 1;
}
