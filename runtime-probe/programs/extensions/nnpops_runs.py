# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operators of NNPOps; see operator_runs.py. Objects that hold device memory are created in the call, or before it and used once: the first use allocates."""

import torch

from operator_runs import floats, run, tensor

ATOMS = 16
FIRST, LATER = "first call of the object", "later call of the object"


def neighbors(check, pairs):
    return lambda load: (load.neighbors.getNeighborPairs,
                         (floats(ATOMS, 3), 0.8, pairs, floats(0, 0), check))


FORWARD = ("neighbors::getNeighborPairs", "Autograd.forward")
run("NNPOps", FORWARD, "checkErrors is false")(neighbors(False, -1))
run("NNPOps", FORWARD, "checkErrors is true")(neighbors(True, 256))


@run("NNPOps", "Autograd.backward", training=True)
def neighbors_backward(load):
    def distances(positions):
        return load.neighbors.getNeighborPairs(positions, 2.0, -1, floats(0, 0), False)[2]
    return distances, (floats(ATOMS, 3),)


def pairs():
    upper = torch.triu_indices(ATOMS, ATOMS, 1, dtype=torch.int32).cuda()
    deltas = floats(upper.shape[1], 3, seed=8) + 0.1
    return upper, deltas, deltas.norm(dim=1)


@run("NNPOps", ("pme::pme_direct", "PmeDirectFunctionCuda.forward"))
@run("NNPOps", "PmeFunctionCuda.backward", training=True)
def pme_direct(load):
    none = tensor([[-1]] * ATOMS, torch.int32)
    return load.pme.pme_direct, (floats(ATOMS, 3), floats(ATOMS, seed=9), *pairs(), none, 4.0,
                                 138.9)


@run("NNPOps", ("pme::pme_reciprocal", "PmeFunctionCuda.forward"))
@run("NNPOps", "PmeFunctionCuda.backward", "reciprocal", training=True)
def pme_reciprocal(load):
    box = torch.eye(3, device="cuda") * 2
    moduli = [floats(16, seed=s) + 0.5 for s in (10, 11, 12)]
    return load.pme.pme_reciprocal, (floats(ATOMS, 3), floats(ATOMS, seed=9), box, 16, 16, 16,
                                     4, 4.0, 138.9, *moduli)


@run("NNPOps", ("NNPOpsBatchedNN::BatchedLinear", "BatchedLinearFunction.forward"))
@run("NNPOps", "BatchedLinearFunction.backward", training=True)
def batched_linear(load):
    return load.NNPOpsBatchedNN.BatchedLinear, (
        floats(1, ATOMS, 8, 1), floats(1, ATOMS, 4, 8, seed=13), floats(1, ATOMS, 4, 1, seed=14))


def symmetry(load):
    return torch.classes.NNPOpsANISymmetryFunctions.Holder(
        2, 5.1, 3.5, [16.0], [0.9, 1.2], [8.0], [32.0], [0.9, 1.5], [0.2, 1.1],
        [i % 2 for i in range(ATOMS)])


SYMMETRY = ("NNPOpsANISymmetryFunctions::operation",
            "NNPOpsANISymmetryFunctions::Holder.forward")


@run("NNPOps", SYMMETRY, FIRST)
def symmetry_first(load):
    return (lambda positions: load.NNPOpsANISymmetryFunctions.operation(
        symmetry(load), positions, None)), (floats(ATOMS, 3),)


@run("NNPOps", SYMMETRY, LATER)
@run("NNPOps", "NNPOpsANISymmetryFunctions::Holder.backward", LATER, training=True)
def symmetry_later(load):
    holder = symmetry(load)
    return (lambda positions: load.NNPOpsANISymmetryFunctions.operation(
        holder, positions, None)), (floats(ATOMS, 3),)


def convolution():
    return torch.classes.NNPOpsCFConv.Holder(
        0.2, "ssp", torch.rand(8, 16), torch.rand(16), torch.rand(16, 16), torch.rand(16))


@run("NNPOps", "NNPOpsCFConvNeighbors::Holder.build", FIRST)
def build_first(load):
    def build(positions):
        torch.classes.NNPOpsCFConvNeighbors.Holder(0.8).build(positions)
    return build, (floats(ATOMS, 3),)


@run("NNPOps", "NNPOpsCFConvNeighbors::Holder.build", LATER)
def build_later(load):
    holder = torch.classes.NNPOpsCFConvNeighbors.Holder(0.8)
    return (lambda positions: holder.build(positions)), (floats(ATOMS, 3),)


def convolved(load, holder):
    near = torch.classes.NNPOpsCFConvNeighbors.Holder(0.8)
    near.build(floats(ATOMS, 3))

    def operation(positions, atoms):
        used = convolution() if holder is None else holder
        return load.NNPOpsCFConv.operation(used, near, positions, atoms)
    return operation, (floats(ATOMS, 3), floats(ATOMS, 16, seed=15))


CONVOLUTION = ("NNPOpsCFConv::operation", "NNPOpsCFConv::Holder.forward")


@run("NNPOps", CONVOLUTION, FIRST)
def convolution_first(load):
    return convolved(load, None)


@run("NNPOps", CONVOLUTION, LATER)
@run("NNPOps", "NNPOpsCFConv::Holder.backward", LATER, training=True)
def convolution_later(load):
    return convolved(load, convolution())
