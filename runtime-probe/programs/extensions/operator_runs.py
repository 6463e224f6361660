# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How each operator is called: one run is (project, operators, variant, call), where
call(load) returns (function, arguments). The operators are named as `cudagraph-tidy ops`
names them; a run of the backward pass concerns autograd functions. The variant names
the property of the arguments on which a verdict may depend."""

import time

import torch

RUNS = []


def run(project, operators, variant="", training=False):
    """Registers the function that makes one call."""
    def register(make):
        names = operators if isinstance(operators, tuple) else (operators,)
        RUNS.append((project, names, variant, differentiated(make) if training else make))
        return make
    return register


def differentiated(make):
    """The forward pass and the backward pass of the call, for the first argument."""
    def train(load):
        function, arguments = make(load)

        def both(first, *others):
            first = first.detach().requires_grad_()
            result = function(first, *others)
            result = result[0] if isinstance(result, (tuple, list)) else result
            return torch.autograd.grad(result.sum(), first)
        return both, arguments
    return train


def floats(*shape, seed=1):
    made = torch.Generator().manual_seed(seed)
    return torch.rand(*shape, generator=made).cuda()


def ints(high, *shape, seed=2, dtype=torch.int64):
    made = torch.Generator().manual_seed(seed)
    return torch.randint(high, shape, generator=made, dtype=dtype).cuda()


def tensor(values, dtype=torch.int64):
    return torch.tensor(values, dtype=dtype).cuda()


# torch_scatter

SIZED, UNSIZED = "size given", "size not given"
POINTERS = [0, 5, 9, 16, 32]


def scatter_runs(kind):
    operator, function = f"torch_scatter::scatter_{kind}", f"Scatter{kind.capitalize()}"

    def call(size):
        return lambda load: (getattr(load.torch_scatter, f"scatter_{kind}"),
                             (floats(32, 16), ints(8, 32, 16), 0, None, size))
    run("torch_scatter", (operator, f"{function}.forward"), SIZED)(call(8))
    run("torch_scatter", (operator, f"{function}.forward"), UNSIZED)(call(None))
    run("torch_scatter", f"{function}.backward", training=True)(call(8))


def coo_runs(kind):
    operator, function = f"torch_scatter::segment_{kind}_coo", f"Segment{kind.capitalize()}COO"

    def call(size):
        return lambda load: (getattr(load.torch_scatter, f"segment_{kind}_coo"),
                             (floats(32, 16), ints(8, 32).sort().values, None, size))
    run("torch_scatter", (operator, f"{function}.forward"), SIZED)(call(8))
    run("torch_scatter", (operator, f"{function}.forward"), UNSIZED)(call(None))
    run("torch_scatter", f"{function}.backward", training=True)(call(8))


def csr_runs(kind):
    operator, function = f"torch_scatter::segment_{kind}_csr", f"Segment{kind.capitalize()}CSR"

    def call(load):
        return (getattr(load.torch_scatter, f"segment_{kind}_csr"),
                (floats(32, 16), tensor(POINTERS), None))
    run("torch_scatter", (operator, f"{function}.forward"))(call)
    run("torch_scatter", f"{function}.backward", training=True)(call)


for each in ("sum", "mul", "mean", "min", "max"):
    scatter_runs(each)
for each in ("sum", "mean", "min", "max"):
    coo_runs(each)
    csr_runs(each)


@run("torch_scatter", ("torch_scatter::gather_coo", "GatherCOO.forward"))
@run("torch_scatter", "GatherCOO.backward", training=True)
def gather_coo(load):
    return load.torch_scatter.gather_coo, (floats(8, 16), ints(8, 32).sort().values, None)


@run("torch_scatter", ("torch_scatter::gather_csr", "GatherCSR.forward"), UNSIZED)
def gather_csr(load):
    return load.torch_scatter.gather_csr, (floats(4, 16), tensor(POINTERS), None)


@run("torch_scatter", ("torch_scatter::gather_csr", "GatherCSR.forward"), SIZED)
def gather_csr_into(load):
    return load.torch_scatter.gather_csr, (floats(4, 16), tensor(POINTERS), floats(32, 16))


@run("torch_scatter", "GatherCSR.backward", training=True)
def gather_csr_backward(load):
    def gathered(src, pointers, out):
        return load.torch_scatter.gather_csr(src, pointers, out.clone())
    return gathered, (floats(4, 16), tensor(POINTERS), floats(32, 16))


# torch_cluster, torch_sparse: a ring of eight nodes

ROWS = [i for i in range(8) for _ in range(2)]
COLUMNS = [j % 8 for i in range(8) for j in sorted(((i + 1) % 8, (i - 1) % 8))]
ROW_POINTERS = list(range(0, 17, 2))


@run("torch_cluster", "torch_cluster::fps")
def fps(load):
    return load.torch_cluster.fps, (floats(32, 3), tensor([0, 16, 32]),
                                    tensor([0.5], torch.float32), False)


@run("torch_cluster", "torch_cluster::graclus")
def graclus(load):
    return load.torch_cluster.graclus, (tensor(ROW_POINTERS), tensor(COLUMNS), None)


@run("torch_cluster", "torch_cluster::grid", "range given")
def grid(load):
    zero, one = tensor([0, 0, 0], torch.float32), tensor([1, 1, 1], torch.float32)
    return load.torch_cluster.grid, (floats(32, 3), tensor([.25, .25, .25], torch.float32),
                                     zero, one)


@run("torch_cluster", "torch_cluster::grid", "range not given")
def grid_of_all(load):
    return load.torch_cluster.grid, (floats(32, 3), tensor([.25, .25, .25], torch.float32),
                                     None, None)


@run("torch_cluster", "torch_cluster::knn", "one example")
def knn(load):
    return load.torch_cluster.knn, (floats(32, 3), floats(8, 3, seed=3), None, None, 4, False,
                                    1)


@run("torch_cluster", "torch_cluster::knn", "two examples")
def knn_of_two(load):
    return load.torch_cluster.knn, (floats(32, 3), floats(8, 3, seed=3), tensor([0, 16, 32]),
                                    tensor([0, 4, 8]), 4, False, 1)


@run("torch_cluster", "torch_cluster::nearest")
def nearest(load):
    return load.torch_cluster.nearest, (floats(32, 3), floats(8, 3, seed=3),
                                        tensor([0, 16, 32]), tensor([0, 4, 8]))


@run("torch_cluster", "torch_cluster::radius")
def radius(load):
    return load.torch_cluster.radius, (floats(32, 3), floats(8, 3, seed=3), None, None, 0.5,
                                       32, 1, False)


@run("torch_cluster", "torch_cluster::random_walk", "uniform")
def cluster_walk(load):
    return load.torch_cluster.random_walk, (tensor(ROW_POINTERS), tensor(COLUMNS),
                                            tensor([0, 3, 5]), 5, 1.0, 1.0)


@run("torch_cluster", "torch_cluster::random_walk", "biased")
def biased_walk(load):
    """Seeded with the time in seconds."""
    def walk(*arguments):
        time.sleep(1.1)
        return load.torch_cluster.random_walk(*arguments)
    walk.tags = (torch.Tag.nondeterministic_seeded,)
    return walk, (tensor(ROW_POINTERS), tensor(COLUMNS), tensor([0, 3, 5] * 20), 5, 0.5, 2.0)


@run("torch_sparse", "torch_sparse::ind2ptr")
def ind2ptr(load):
    return load.torch_sparse.ind2ptr, (tensor(ROWS), 8)


@run("torch_sparse", "torch_sparse::ptr2ind")
def ptr2ind(load):
    return load.torch_sparse.ptr2ind, (tensor(ROW_POINTERS), 16)


@run("torch_sparse", "torch_sparse::non_diag_mask")
def non_diag_mask(load):
    return load.torch_sparse.non_diag_mask, (tensor(ROWS), tensor(COLUMNS), 8, 8, 0)


@run("torch_sparse", "torch_sparse::random_walk")
def sparse_walk(load):
    return load.torch_sparse.random_walk, (tensor(ROW_POINTERS), tensor(COLUMNS),
                                           tensor([0, 3, 5]), 5)


def spmm_runs(kind, between):
    """`between` are optional arguments between the values and the matrix."""
    def call(load):
        function = getattr(load.torch_sparse, f"spmm_{kind}")
        rows = (None,) if between else ()
        return function, (*rows, tensor(ROW_POINTERS), tensor(COLUMNS), floats(16),
                          *[None] * between, floats(8, 16, seed=4))

    def trained(load):
        function, given = call(load)
        leading, rest = given[:3 if between else 2], given[4 if between else 3:]
        order = tensor([r * 2 + (COLUMNS[r * 2 + 1] == c) for c, r in
                        sorted(zip(COLUMNS, ROWS))])
        counts, pointers = tensor([2] * 8), tensor(ROW_POINTERS)
        if between:
            leading = (tensor(ROWS), *leading[1:])
            rest = ((counts,) if between == 3 else ()) + (pointers, order, rest[-1])
        return (lambda values, *other: function(*leading, values, *other)), (floats(16), *rest)
    name = f"SPMM{kind.capitalize()}"
    run("torch_sparse", (f"torch_sparse::spmm_{kind}", f"{name}.forward"))(call)
    run("torch_sparse", f"{name}.backward", training=True)(trained)


for each, optional in (("sum", 2), ("mean", 3), ("min", 0), ("max", 0)):
    spmm_runs(each, optional)


# torch_spline_conv

def pseudo():
    return floats(16, 2), tensor([3, 3]), tensor([1, 1], torch.uint8), 1


@run("torch_spline_conv", ("torch_spline_conv::spline_basis", "SplineBasis.forward"))
@run("torch_spline_conv", "SplineBasis.backward", training=True)
def spline_basis(load):
    return load.torch_spline_conv.spline_basis, pseudo()


@run("torch_spline_conv", ("torch_spline_conv::spline_weighting", "SplineWeighting.forward"))
@run("torch_spline_conv", "SplineWeighting.backward", training=True)
def spline_weighting(load):
    return load.torch_spline_conv.spline_weighting, (
        floats(16, 4), floats(9, 4, 8, seed=5), floats(16, 4, seed=6), ints(9, 16, 4))


# pointnet2

def indices(*shape):
    return ints(16, *shape, dtype=torch.int32)


POINTNET2 = {
    "gather_points": lambda: (floats(2, 4, 16), indices(2, 8)),
    "gather_points_grad": lambda: (floats(2, 4, 8), indices(2, 8), 16),
    "furthest_point_sampling": lambda: (floats(2, 16, 3), 8),
    "three_nn": lambda: (floats(2, 16, 3), floats(2, 8, 3, seed=7)),
    "three_interpolate": lambda: (floats(2, 4, 16), indices(2, 8, 3), floats(2, 8, 3)),
    "three_interpolate_grad": lambda: (floats(2, 4, 8), indices(2, 8, 3), floats(2, 8, 3), 16),
    "ball_query": lambda: (floats(2, 8, 3), floats(2, 16, 3, seed=7), 0.5, 4),
    "group_points": lambda: (floats(2, 4, 16), indices(2, 8, 3)),
    "group_points_grad": lambda: (floats(2, 4, 8, 3), indices(2, 8, 3), 16),
}
for each, made in POINTNET2.items():
    run("pointnet2", each)(
        lambda load, name=each, made=made: (getattr(load.pointnet2, name), made()))
