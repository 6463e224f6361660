// soft_substeps: explicit mass-spring world. A frame of variable length is divided into as many
// substeps as stability asks for; the frame is recorded anew and the executable graph is updated.
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

typedef double real;

struct WorldDef {
	int  bodyCount     = 300;
	real stiffness     = 90.0;
	real damping       = 0.4;
	real maxSubstep    = 0.010;
};

static int g_cudaErrors = 0;

static bool Verify( cudaError_t result, const char* operation )
{
	if ( result == cudaSuccess )
	{
		return true;
	}
	std::fprintf( stderr, "physics: %s -> %s\n", operation, cudaGetErrorString( result ) );
	++g_cudaErrors;
	return false;
}

__global__ void SpringForces( const real* x, const real* v, real* a, int count, real stiffness, real damping )
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if ( i >= count )
	{
		return;
	}
	real left  = i > 0 ? x[i - 1] : 0.0;
	real right = i + 1 < count ? x[i + 1] : 0.0;
	a[i] = stiffness * ( left - 2.0 * x[i] + right ) - damping * v[i];
}

__global__ void Integrate( real* x, real* v, const real* a, int count, real dt )
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if ( i < count )
	{
		v[i] += a[i] * dt;
		x[i] += v[i] * dt;
	}
}

class World
{
public:
	explicit World( const WorldDef& def, const std::vector<real>& x );
	~World();

	void Step( real frameTime );
	std::vector<real> Positions() const;

	int RebuildCount() const { return m_rebuilds; }

	static int SubstepsFor( real frameTime, real maxSubstep )
	{
		return std::max( 1, int( std::ceil( frameTime / maxSubstep - 1e-9 ) ) );
	}

private:
	void EnqueueSubsteps( int substeps, real dt );
	bool RefreshExecutable( cudaGraph_t graph );

	WorldDef        m_def;
	cudaStream_t    m_stream = nullptr;
	cudaGraphExec_t m_exec   = nullptr;
	real *m_x = nullptr, *m_v = nullptr, *m_a = nullptr;
	int m_rebuilds = 0;
};

World::World( const WorldDef& def, const std::vector<real>& x ) : m_def( def )
{
	const size_t bytes = def.bodyCount * sizeof( real );
	Verify( cudaStreamCreate( &m_stream ), "create stream" );
	Verify( cudaMalloc( &m_x, bytes ), "allocate x" );
	Verify( cudaMalloc( &m_v, bytes ), "allocate v" );
	Verify( cudaMalloc( &m_a, bytes ), "allocate a" );
	Verify( cudaMemcpy( m_x, x.data(), bytes, cudaMemcpyHostToDevice ), "upload x" );
	Verify( cudaMemset( m_v, 0, bytes ), "clear v" );
}

World::~World()
{
	if ( m_exec )
	{
		Verify( cudaGraphExecDestroy( m_exec ), "destroy executable" );
	}
	Verify( cudaFree( m_x ), "free x" );
	Verify( cudaFree( m_v ), "free v" );
	Verify( cudaFree( m_a ), "free a" );
	Verify( cudaStreamDestroy( m_stream ), "destroy stream" );
}

void World::EnqueueSubsteps( int substeps, real dt )
{
	const int blocks = ( m_def.bodyCount + 127 ) / 128;
	for ( int s = 0; s < substeps; ++s )
	{
		SpringForces<<<blocks, 128, 0, m_stream>>>( m_x, m_v, m_a, m_def.bodyCount, m_def.stiffness, m_def.damping );
		Integrate<<<blocks, 128, 0, m_stream>>>( m_x, m_v, m_a, m_def.bodyCount, dt );
	}
}

// Brings m_exec in line with the graph of this frame.
bool World::RefreshExecutable( cudaGraph_t graph )
{
	if ( m_exec )
	{
		cudaGraphExecUpdateResultInfo info = {};
		cudaGraphExecUpdate( m_exec, graph, &info );  // HAZARD ignored
		return true;
	}
	++m_rebuilds;
	return Verify( cudaGraphInstantiate( &m_exec, graph, 0 ), "instantiate" );
}

void World::Step( real frameTime )
{
	const int  substeps = SubstepsFor( frameTime, m_def.maxSubstep );
	const real dt       = frameTime / substeps;

	cudaGraph_t graph = nullptr;
	if ( !Verify( cudaStreamBeginCapture( m_stream, cudaStreamCaptureModeThreadLocal ), "begin" ) )
	{
		return;
	}
	EnqueueSubsteps( substeps, dt );
	if ( !Verify( cudaStreamEndCapture( m_stream, &graph ), "end" ) )
	{
		return;
	}
	if ( RefreshExecutable( graph ) )
	{
		Verify( cudaGraphLaunch( m_exec, m_stream ), "launch" );
	}
	Verify( cudaGraphDestroy( graph ), "destroy graph" );
}

std::vector<real> World::Positions() const
{
	std::vector<real> out( m_def.bodyCount );
	Verify( cudaMemcpyAsync( out.data(), m_x, out.size() * sizeof( real ), cudaMemcpyDeviceToHost, m_stream ), "download" );
	Verify( cudaStreamSynchronize( m_stream ), "synchronize" );
	return out;
}

static void ReferenceStep( const WorldDef& def, real frameTime, std::vector<real>& x, std::vector<real>& v )
{
	const int  n        = def.bodyCount;
	const int  substeps = World::SubstepsFor( frameTime, def.maxSubstep );
	const real dt       = frameTime / substeps;
	std::vector<real> a( n );
	for ( int s = 0; s < substeps; ++s )
	{
		for ( int i = 0; i < n; ++i )
		{
			real left  = i > 0 ? x[i - 1] : 0.0;
			real right = i + 1 < n ? x[i + 1] : 0.0;
			a[i] = def.stiffness * ( left - 2.0 * x[i] + right ) - def.damping * v[i];
		}
		for ( int i = 0; i < n; ++i )
		{
			v[i] += a[i] * dt;
			x[i] += v[i] * dt;
		}
	}
}

int main()
{
	// Frame times as delivered by a display that misses a refresh now and then.
	const real frames[] = { 0.0166, 0.0166, 0.0172, 0.0333, 0.0166, 0.0499, 0.0341, 0.0166 };

	WorldDef def;
	std::vector<real> x( def.bodyCount ), v( def.bodyCount, 0.0 );
	for ( int i = 0; i < def.bodyCount; ++i )
	{
		x[i] = std::sin( 0.11 * i ) + 0.25 * ( i % 3 );
	}

	int wrongFrames = 0;
	{
		World world( def, x );
		for ( real frameTime : frames )
		{
			world.Step( frameTime );
			ReferenceStep( def, frameTime, x, v );
			const std::vector<real> got = world.Positions();
			real worst = 0.0;
			for ( int i = 0; i < def.bodyCount; ++i )
			{
				worst = std::max( worst, std::fabs( got[i] - x[i] ) );
			}
			wrongFrames += worst > 1e-9;
		}
		std::printf( "executables built: %d, wrong frames: %d\n", world.RebuildCount(), wrongFrames );
	}
	std::puts( g_cudaErrors > 0 || wrongFrames > 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED" );
	return 0;
}
