# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators by name, arguments for them, and noteworthy facts about the arguments.

Arguments are passed by name: a dict from the names of the schema to values.
"""

import torch
from torch.utils._pytree import tree_leaves, tree_map

SHAPES = [(4, 4), (4,), (2, 3, 8, 8), (2, 4, 4), (2, 3, 4, 8, 8), (2, 8), ()]
DTYPES = ["float32", "int64", "bool", "float16", "complex64", "uint8", "float64"]
INDEX_NAMES = {"index", "indices", "target", "indices_a", "ind", "batch1_idx"}
INDEX_LISTS = {"index", "index_put", "index_put_", "_index_put_impl",
               "_index_put_impl_", "_unsafe_index", "_unsafe_index_put",
               "_unsafe_masked_index", "_unsafe_masked_index_put_accumulate"}
LISTS = {"kernel_size": 2, "stride": 1, "padding": 0, "dilation": 1,
         "output_padding": 0, "output_size": 4, "dims": 0, "dim": 0, "pad": 1,
         "input_size": 8, "self_size": 4, "split_sizes": 2, "shifts": 1,
         "repeats": 2, "sizes": 4, "size": 4, "shape": 4, "upscale_factor": 2}
INTS = {"k": 1, "n": 4, "m": 4, "dim": 0, "dim0": 0, "dim1": 1, "split_size": 2,
        "chunks": 2, "sections": 2, "groups": 1, "num_classes": 5, "steps": 4,
        "length": 2, "num_weights": 4, "padding_idx": -1, "N": 2, "C": 4,
        "HxW": 4, "group": 2, "num_groups": 1, "reduction": 1, "bins": 4,
        "upscale_factor": 2, "downscale_factor": 2, "dtype": 6}
STRINGS = {"reduce": "sum", "mode": "constant", "compute_mode": "",
           "rounding_mode": "floor", "UPLO": "L", "driver": "gels",
           "indexing": "ij", "side": "left", "approximate": "none"}


def names():
    """Every aten operator that is registered with the dispatcher: "NAME.OVERLOAD"."""
    found = []
    for name in torch._C._dispatch_get_all_op_names():
        if name.startswith("aten::"):
            found.append(name[len("aten::"):])
    return sorted(set(found))


def resolve(name):
    """The callable overload, or None."""
    base, _, overload = name.partition(".")
    try:
        return getattr(getattr(torch.ops.aten, base), overload or "default")
    except (AttributeError, RuntimeError):
        return None


def is_out(argument):
    info = argument.alias_info
    return argument.kwarg_only and info is not None and info.is_write


def takes_tensors(schema):
    types = [str(a.type) for a in schema.arguments]
    return any("Tensor" in t for t in types + [str(r.type) for r in schema.returns])


def fits(argument, value):
    """Python converts a tensor to numbers before a call; C++ does not."""
    return "Tensor" in str(argument.type) or not isinstance(value, torch.Tensor)


def bind(schema, args, kwargs):
    """The arguments of a call by name."""
    values = dict(zip((a.name for a in schema.arguments), args))
    values.update(kwargs or {})
    return values


def unbind(schema, values):
    """Converts arguments by name to (args, kwargs)."""
    args, kwargs, gap = [], {}, False
    for a in schema.arguments:
        if a.name not in values:
            gap = True
        elif a.kwarg_only or gap:
            kwargs[a.name] = values[a.name]
        else:
            args.append(values[a.name])
    return tuple(args), kwargs


def generic(schema, shape, dtype, out_dtype=None):
    """Arguments that fit the schema, whether or not the operator accepts them."""
    values = {}
    kind = getattr(torch, dtype)
    has_tensor = any("Tensor" in str(a.type) and not is_out(a)
                     for a in schema.arguments)
    for a in schema.arguments:
        text, optional = str(a.type), str(a.type).startswith("Optional[")
        if a.name == "device" and not has_tensor:
            values[a.name] = torch.device("cuda")
        elif is_out(a):
            made = torch.empty(0, dtype=out_dtype or kind, device="cuda")
            values[a.name] = [made, made.clone()] if "List" in text else made
        elif a.has_default_value():
            continue
        elif optional:
            values[a.name] = None
        else:
            values[a.name] = value_for(a, text, shape, kind)
    return values


def tensor_for(name, shape, kind):
    if name in INDEX_NAMES:
        return torch.zeros(shape, dtype=torch.int64, device="cuda")
    if name in ("mask", "condition"):
        return torch.ones(shape, dtype=torch.bool, device="cuda")
    if name in ("found_inf", "inv_scale", "scale", "grad_scale"):
        return torch.ones((), device="cuda")
    if kind == torch.bool:
        return torch.ones(shape, dtype=kind, device="cuda")
    made = torch.rand(shape, device="cuda") + 0.5
    return (made * 4).to(kind) if not kind.is_floating_point else made.to(kind)


def value_for(a, text, shape, kind):
    size = a.N or 2
    if text == "Tensor":
        return tensor_for(a.name, shape, kind)
    if text == "List[Tensor]":
        return [tensor_for(a.name, shape, kind) for _ in range(2)]
    if text == "List[Optional[Tensor]]":
        return [torch.zeros(2, dtype=torch.int64, device="cuda")]
    if text == "List[int]":
        value = LISTS.get(a.name, 1)
        return [value] * size
    if text in ("int", "SymInt"):
        return INTS.get(a.name, 1)
    if text in ("number", "Scalar"):
        return 2
    if text == "List[number]":
        return [2, 2]
    if text == "List[float]":
        return [1.0] * size
    if text == "List[bool]":
        return [True] * size
    return {"float": 0.5, "bool": True, "str": STRINGS.get(a.name, "none"),
            "Device": torch.device("cuda")}.get(text)


def transfer(schema, donor):
    """Arguments of another overload, for the names in this schema; None if one is
    missing."""
    values = {}
    for a in schema.arguments:
        if is_out(a):
            continue
        if a.name in donor and not fits(a, donor[a.name]):
            return None
        if a.name in donor:
            values[a.name] = donor[a.name]
        elif not a.has_default_value():
            if str(a.type).startswith("Optional["):
                values[a.name] = None
            else:
                return None
    return values


def with_outs(schema, values, dtype):
    """Adds empty results to write to: the first eager call sets their
    size."""
    values = dict(values)
    for a in schema.arguments:
        if is_out(a):
            if "List" in str(a.type):
                like = [t for t in tree_leaves(values.get("self"))
                        if isinstance(t, torch.Tensor)]
                values[a.name] = [torch.empty_like(t) for t in like]
            else:
                values[a.name] = torch.empty(0, dtype=dtype, device="cuda")
    return values


def pack(value):
    """A value that can be written to a file and needs no device."""
    def one(t):
        if not isinstance(t, torch.Tensor):
            return t
        return ("tensor", t.device.type, t.detach().resolve_conj().cpu())
    return tree_map(one, value)


def unpack(value):
    if isinstance(value, tuple) and len(value) == 3 and value[0] == "tensor":
        return value[2].to(value[1]) if value[1] != "cpu" else value[2]
    if isinstance(value, dict):
        return {key: unpack(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(unpack(each) for each in value)
    return value


def describe(value):
    """A short phrase for one value that distinguishes forms of a call."""
    if isinstance(value, torch.Tensor):
        where = "" if value.device.type == "cuda" else " on the host"
        kind = str(value.dtype).replace("torch.", "")
        layout = "" if value.layout == torch.strided else f" {value.layout}"[7:]
        empty = " empty" if value.numel() == 0 else ""
        return f"{kind}[{value.dim()}]{empty}{layout}{where}"
    if isinstance(value, (list, tuple)):
        parts = [describe(v) for v in value]
        if len(set(parts)) == 1 and len(parts) > 1:
            return f"[{parts[0]} x{len(parts)}]"
        return "[" + ", ".join(parts[:4]) + "]"
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return repr(value)
    if isinstance(value, (int, float, complex)):
        return "0" if value == 0 else ("-" if isinstance(value, (int, float))
                                       and value < 0 else "") + type(value).__name__
    return str(value).replace("torch.", "")


def form_of(values):
    return ", ".join(f"{name}={describe(value)}"
                     for name, value in values.items())


def labels(name, values):
    """The catalogue's conditions that these arguments fulfill."""
    base = name.partition(".")[0]
    tensors = [t for t in tree_leaves(values) if isinstance(t, torch.Tensor)]
    hosts = [t for t in tensors if t.device.type == "cpu"]
    cuda = any(t.device.type == "cuda" for t in tensors)
    found = set()
    device = values.get("device")
    device = torch.device(device).type if device is not None else None
    if device == "cpu" and cuda:
        found.add("host-target")
    if device == "cuda" and hosts and not cuda:
        found.add("host-source")
    if values.get("pin_memory"):
        found.add("pinned")
    if values.get("non_blocking"):
        found.add("non-blocking")
    if base == "repeat_interleave" and (values.get("output_size") is not None
                                        or isinstance(values.get("repeats"), int)):
        found.add("size-given")
    if base == "one_hot" and values.get("num_classes", -1) != -1:
        found.add("size-given")
    if base in INDEX_LISTS:
        for t in tree_leaves(values.get("indices")):
            if isinstance(t, torch.Tensor):
                if t.dtype in (torch.bool, torch.uint8):
                    found.add("mask-index")
                if t.device.type == "cpu":
                    found.add("host-index")
    elif base in ("copy_", "copy", "_copy_from", "_copy_from_and_resize"):
        if hosts and cuda:
            found.add("host-source" if values["self"].device.type == "cuda"
                      else "host-target")
    elif cuda and any(t.dim() == 0 for t in hosts):
        found.add("host-value")
    if name == "where":
        found.add("one-argument")
    return sorted(found)
