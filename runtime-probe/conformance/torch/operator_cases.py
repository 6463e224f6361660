# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Deliberate cases: copies between host and device, values and indices on the host, and sizes that are fixed or depend on data.
"""

import torch

from case import A, Table, d, h, i, mask, p, scalar

CASES = Table()
case, call = CASES.case, CASES.call
CPU, CUDA, F32 = torch.device("cpu"), torch.device("cuda"), torch.float32

# To the host. Without pinned memory at the other end, libtorch must wait.
case("to.device", "to the host", ["host-target"], lambda: A(d(4), CPU, F32))
case("to.device", "to the host, non_blocking", ["host-target", "non-blocking"],
     lambda: A(d(4), CPU, F32, True))
case("to.dtype_layout", "to the host", ["host-target"], lambda: A(d(4), device=CPU))
case("to.dtype_layout", "to the host, non_blocking", ["host-target", "non-blocking"],
     lambda: A(d(4), device=CPU, non_blocking=True))
case("to.other", "to the host", ["host-target"], lambda: A(d(4), h(4)))
case("to.prim_Device", "to the host", ["host-target"], lambda: A(d(4), CPU))
case("_to_copy", "to the host", ["host-target"], lambda: A(d(4), device=CPU))
case("_to_copy", "to the host, non_blocking", ["host-target", "non-blocking"],
     lambda: A(d(4), device=CPU, non_blocking=True))
case("_to_copy", "to the host, non_blocking, pinned", ["host-target", "non-blocking", "pinned"],
     lambda: A(d(4), device=CPU, non_blocking=True, pin_memory=True))
case("_to_copy", "to the host, pinned", ["host-target", "pinned"],
     lambda: A(d(4), device=CPU, pin_memory=True))
case("copy_", "to the host", ["host-target"], lambda: A(h(4), d(4)))
case("copy_", "to the host, non_blocking", ["host-target", "non-blocking"],
     lambda: A(h(4), d(4), True))
case("copy_", "to the host, pinned", ["host-target", "pinned"], lambda: A(p(4), d(4)))
case("copy_", "to the host, pinned, non_blocking", ["host-target", "non-blocking", "pinned"],
     lambda: A(p(4), d(4), True))
case("copy_", "to the host, pinned, non_blocking, other type",
     ["host-target", "non-blocking", "pinned"], lambda: A(p(4), d(4, dtype=torch.float64), True))
call("at::Tensor::cpu", "", ["host-target"], lambda t: t.cpu(), lambda: A(d(4)))
call("at::Tensor::cuda", "of the host", ["host-source"], lambda t: t.cuda(), lambda: A(h(4)))
call("at::Tensor::cuda", "pinned", ["host-source", "pinned"], lambda t: t.cuda(), lambda: A(p(4)))

# From the host.
case("to.device", "from the host", ["host-source"], lambda: A(h(4), CUDA, F32))
case("to.device", "from the host, non_blocking", ["host-source", "non-blocking"],
     lambda: A(h(4), CUDA, F32, True))
case("to.device", "from the host, pinned", ["host-source", "pinned"], lambda: A(p(4), CUDA, F32))
case("to.device", "from the host, pinned, non_blocking", ["host-source", "non-blocking", "pinned"],
     lambda: A(p(4), CUDA, F32, True))
case("to.dtype_layout", "from the host", ["host-source"], lambda: A(h(4), device=CUDA))
case("to.dtype_layout", "from the host, non_blocking", ["host-source", "non-blocking"],
     lambda: A(h(4), device=CUDA, non_blocking=True))
case("to.dtype_layout", "from the host, pinned, non_blocking",
     ["host-source", "non-blocking", "pinned"], lambda: A(p(4), device=CUDA, non_blocking=True))
case("to.other", "from the host", ["host-source"], lambda: A(h(4), d(4)))
case("to.dtype", "on the device", [], lambda: A(d(4), torch.float64))
case("_to_copy", "from the host", ["host-source"], lambda: A(h(4), device=CUDA))
case("_to_copy", "from the host, non_blocking", ["host-source", "non-blocking"],
     lambda: A(h(4), device=CUDA, non_blocking=True))
case("_to_copy", "from the host, pinned", ["host-source", "pinned"], lambda: A(p(4), device=CUDA))
case("_to_copy", "from the host, pinned, non_blocking", ["host-source", "non-blocking", "pinned"],
     lambda: A(p(4), device=CUDA, non_blocking=True))
case("copy_", "from the host", ["host-source"], lambda: A(d(4), h(4)))
case("copy_", "from the host, non_blocking", ["host-source", "non-blocking"],
     lambda: A(d(4), h(4), True))
case("copy_", "from the host, pinned", ["host-source", "pinned"], lambda: A(d(4), p(4)))
case("copy_", "from the host, pinned, non_blocking", ["host-source", "non-blocking", "pinned"],
     lambda: A(d(4), p(4), True))
case("copy_", "on the device", [], lambda: A(d(4), d(4)))
case("copy_", "one value from the host", ["host-source"], lambda: A(d(4), scalar(2.0, "cpu")))
case("copy", "from the host", ["host-source"], lambda: A(d(4), h(4)))

# Factories; their contents come from the host or are uninitialized.
call("at::tensor", "of a list", [], lambda: torch.tensor([1.0, 2.0], device="cuda"))
call("at::tensor", "of one number", [], lambda: torch.tensor(2.0, device="cuda"))
case("scalar_tensor", "", [], lambda: A(2.0, device=CUDA))
case("full", "", [], lambda: A([4], 2.0, device=CUDA))
case("zeros", "", [], lambda: A([4], device=CUDA))
case("ones", "", [], lambda: A([4], device=CUDA))
case("eye", "", [], lambda: A(4, device=CUDA))
case("arange", "", [], lambda: A(4, device=CUDA))
case("arange.start_step", "", [], lambda: A(0, 8, 2, device=CUDA))
case("linspace", "", [], lambda: A(0, 1, 5, device=CUDA))
case("logspace", "", [], lambda: A(0, 1, 5, device=CUDA))
case("linspace.Tensor_Tensor", "bounds on the device", [],
     lambda: A(scalar(0.0), scalar(1.0), 5, device=CUDA))
case("linspace.Tensor_Tensor", "bounds on the host", ["host-value"],
     lambda: A(scalar(0.0, "cpu"), scalar(1.0, "cpu"), 5, device=CUDA))
case("triu_indices", "", [], lambda: A(4, 4, device=CUDA))
case("tril_indices", "", [], lambda: A(4, 4, device=CUDA))
case("hann_window", "", [], lambda: A(8, device=CUDA))
case("empty.memory_format", "pinned", ["pinned"], lambda: A([4], pin_memory=True), False)
case("zeros", "pinned", ["pinned"], lambda: A([4], pin_memory=True))
case("rand", "pinned", ["pinned"], lambda: A([4], pin_memory=True), False)
case("full", "pinned", ["pinned"], lambda: A([4], 2.0, pin_memory=True))
case("empty_like", "pinned", ["pinned"], lambda: A(d(4), device=CPU, pin_memory=True), False)
case("empty.memory_format", "host", ["host-target"], lambda: A([4]), False)
case("zeros", "host", ["host-target"], lambda: A([4]))
case("empty_like", "host", ["host-target"], lambda: A(d(4), device=CPU), False)
case("zeros_like", "host", ["host-target"], lambda: A(d(4), device=CPU))
case("full_like", "host", ["host-target"], lambda: A(d(4), 1.0, device=CPU))
case("new_zeros", "host", ["host-target"], lambda: A(d(4), [4], device=CPU))
case("pin_memory", "", ["pinned"], lambda: A(h(4)))
case("_pin_memory", "", ["pinned"], lambda: A(h(4)))
case("is_pinned", "", [], lambda: A(h(4)))
case("is_pinned", "pinned", [], lambda: A(p(4)))

# Indices and masks.
X = (4, 4)
case("index.Tensor", "", [], lambda: A(d(*X), [i(0, 2)]))
case("index.Tensor", "mask", ["mask-index"], lambda: A(d(*X), [mask(4)]))
case("index.Tensor", "mask of all", ["mask-index"], lambda: A(d(*X), [mask(*X)]))
case("index.Tensor", "host", ["host-index"], lambda: A(d(*X), [i(0, 2, device="cpu")]))
case("index.Tensor", "host, pinned", ["host-index", "pinned"],
     lambda: A(d(*X), [i(0, 2, device="cpu").pin_memory()]))
for name in ("index_put", "index_put_", "_index_put_impl_", "_unsafe_index_put"):
    case(name, "", [], lambda: A(d(*X), [i(0, 2)], d(4)))
    case(name, "accumulate", [], lambda: A(d(*X), [i(0, 2)], d(4), True))
    case(name, "mask", ["mask-index"], lambda: A(d(*X), [mask(4)], d(4)))
    case(name, "mask, one value", ["mask-index"], lambda: A(d(*X), [mask(*X)], scalar(2.0)))
    case(name, "mask, one value of the host", ["mask-index", "host-value"],
         lambda: A(d(*X), [mask(*X)], scalar(2.0, "cpu")))
    case(name, "mask, one value, accumulate", ["mask-index"],
         lambda: A(d(*X), [mask(*X)], scalar(2.0), True))
    case(name, "host", ["host-index"], lambda: A(d(*X), [i(0, 2, device="cpu")], d(4)))
    case(name, "one value of the host", ["host-value"],
         lambda: A(d(*X), [i(0, 2)], scalar(2.0, "cpu")))
case("masked_scatter", "", ["mask-index"], lambda: A(d(*X), mask(*X), d(16)))
case("masked_scatter_", "", ["mask-index"], lambda: A(d(*X), mask(*X), d(16)))
case("masked_select", "", [], lambda: A(d(*X), mask(*X)))
case("where", "", ["one-argument"], lambda: A(mask(*X)))
case("where.self", "", [], lambda: A(mask(*X), d(*X), d(*X)))
case("where.self", "value of the host", ["host-value"],
     lambda: A(mask(*X), d(*X), scalar(0.0, "cpu")))
case("index_fill.int_Tensor", "value of the host", ["host-value"],
     lambda: A(d(*X), 0, i(0, 2), scalar(2.0, "cpu")))
case("index_select", "", [], lambda: A(d(*X), 0, i(0, 2)))
case("select.int", "", [], lambda: A(d(*X), 0, 1))
call("at::Tensor::operator[]", "index on the device", [], lambda x, n: x[n],
     lambda: A(d(*X), i(1)[0]))
case("narrow.Tensor", "start on the device", [], lambda: A(d(*X), 0, i(1)[0], 2))
case("narrow.Tensor", "start on the host", ["host-value"],
     lambda: A(d(*X), 0, i(1, device="cpu")[0], 2))
case("tensor_split.tensor_indices_or_sections", "host", ["host-index"],
     lambda: A(d(8), i(2, 4, device="cpu")))
case("tensor_split.tensor_indices_or_sections", "device", [], lambda: A(d(8), i(2, 4)))
case("tensor_split.indices", "", ["size-given"], lambda: A(d(8), [2, 4]))
case("split_with_sizes", "", ["size-given"], lambda: A(d(8), [2, 6]))
case("_assert_async", "", [], lambda: A(torch.ones(1, device="cuda")))
case("_assert_async.msg", "", [], lambda: A(torch.ones(1, device="cuda"), "message"))

# Host values among tensors on the device.
for name in ("add.Tensor", "sub.Tensor", "mul.Tensor", "div.Tensor", "add_.Tensor",
             "mul_.Tensor", "eq.Tensor", "maximum", "pow.Tensor_Tensor", "atan2",
             "fill_.Tensor", "fill.Tensor", "copysign.Tensor"):
    case(name, "value of the host", ["host-value"], lambda: A(d(4), scalar(0.5, "cpu")))
case("add.Tensor", "value of the host, first", ["host-value"],
     lambda: A(scalar(0.5, "cpu"), d(4)))
case("fill_.Tensor", "", [], lambda: A(d(4), scalar(0.5)))
case("fill.Tensor", "", [], lambda: A(d(4), scalar(0.5)))
case("masked_fill.Tensor", "", [], lambda: A(d(*X), mask(*X), scalar(0.5)))
case("masked_fill.Tensor", "value of the host", ["host-value"],
     lambda: A(d(*X), mask(*X), scalar(0.5, "cpu")))
case("masked_fill_.Tensor", "", [], lambda: A(d(*X), mask(*X), scalar(0.5)))
case("masked_fill_.Tensor", "value of the host", ["host-value"],
     lambda: A(d(*X), mask(*X), scalar(0.5, "cpu")))
case("clamp.Tensor", "", [], lambda: A(d(4), scalar(0.5)))
case("lerp.Tensor", "", [], lambda: A(d(4), d(4), scalar(0.5)))
case("lerp.Tensor", "weight of the host", ["host-value"],
     lambda: A(d(4), d(4), scalar(0.5, "cpu")))
case("addcmul", "value of the host", ["host-value"], lambda: A(d(4), d(4), scalar(0.5, "cpu")))

# Sizes that depend on data, and the forms that receive the size.
INTS = lambda: i(1, 2, 0, 2)
case("repeat_interleave.Tensor", "", [], lambda: A(INTS()))
case("repeat_interleave.Tensor", "size", ["size-given"], lambda: A(INTS(), output_size=5))
case("repeat_interleave.self_Tensor", "", [], lambda: A(d(4), INTS()))
case("repeat_interleave.self_Tensor", "size", ["size-given"],
     lambda: A(d(4), INTS(), output_size=5))
case("repeat_interleave.self_int", "", ["size-given"], lambda: A(d(4), 2))
case("bincount", "", [], lambda: A(INTS()))
case("bincount", "minlength", [], lambda: A(INTS(), None, 8))
case("nonzero", "", [], lambda: A(mask(*X)))
case("nonzero_static", "", ["size-given"], lambda: A(mask(*X), size=4))
case("nonzero_numpy", "", [], lambda: A(mask(*X)))
case("argwhere", "", [], lambda: A(mask(*X)))
case("count_nonzero", "", [], lambda: A(mask(*X)))
case("one_hot", "", [], lambda: A(INTS()))
case("one_hot", "classes", ["size-given"], lambda: A(INTS(), 5))
for name in ("_unique", "_unique2", "unique_consecutive"):
    case(name, "", [], lambda: A(INTS()))
for name in ("unique_dim", "unique_dim_consecutive"):
    case(name, "", [], lambda: A(i(1, 2, 2, 0), 0))
case("combinations", "", [], lambda: A(d(4)))
case("cartesian_prod", "", [], lambda: A([d(3), d(2)]))
case("block_diag", "", [], lambda: A([d(2, 2), d(3, 3)]))

# Operators that return to the host.
for name in ("item", "_local_scalar_dense", "is_nonzero"):
    case(name, "", [], lambda: A(d(1)))
case("equal", "", [], lambda: A(d(4), d(4)))
case("equal", "same sizes, same values", [], lambda: A(torch.ones(4, device="cuda"),
                                                      torch.ones(4, device="cuda")))
case("equal", "different sizes", [], lambda: A(d(4), d(3)))
case("allclose", "", [], lambda: A(d(4), d(4)))
case("isclose", "", [], lambda: A(d(4), d(4)))
case("isfinite", "", [], lambda: A(d(4)))
case("nan_to_num", "", [], lambda: A(d(4)))
