# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records, for each process group, the number of its collectives in a graph, and
whether the group ends before the graph. NCCL's ncclCommDestroy waits until all such
graphs are destroyed."""

import sys
import weakref


def groups(torch):
    """Maps the name of each process group of this process to its ranks and sequence
    number."""
    found = {}
    try:
        c10d = torch.distributed.distributed_c10d
        if not torch.distributed.is_initialized():
            return found
        world = c10d._world
        for group, name in list(world.pg_names.items()):
            ranks = sorted(world.pg_group_ranks.get(group, {}))
            try:
                number = group._get_sequence_number_for_group()
            except Exception:
                continue
            found[str(name)] = (ranks, int(number))
    except Exception:
        pass
    return found


def rank(torch):
    try:
        if torch.distributed.is_initialized():
            return torch.distributed.get_rank(), torch.distributed.get_world_size()
    except Exception:
        pass
    return None


def captured(before, after):
    """The collectives between two calls to groups()."""
    return [dict(name=name, ranks=ranks, collectives=number - before[name][1])
            for name, (ranks, number) in after.items()
            if name in before and number > before[name][1]]


class Live:
    """The graphs that contain collectives."""

    def __init__(self):
        self.graphs = []

    def add(self, graph, block, collectives):
        if collectives:
            self.graphs.append((weakref.ref(graph), block, collectives))

    def drop(self, graph):
        self.graphs = [g for g in self.graphs if g[0]() is not None and g[0]() is not graph]

    def held(self, name):
        """Returns {block, group, ranks, collectives} for each existing graph, of the
        group `name` or, if it is None, of all groups."""
        self.drop(None)
        return [dict(block=block, group=c["name"], ranks=c["ranks"],
                     collectives=c["collectives"])
                for _, block, collectives in self.graphs for c in collectives
                if name in (None, c["name"]) and len(c["ranks"]) > 1]


def name_of(torch, group):
    """The name of `group`; None for all of them."""
    try:
        c10d = torch.distributed.distributed_c10d
        if group is None or group is c10d.GroupMember.WORLD:
            return None
        return str(c10d._world.pg_names.get(group))
    except Exception:
        return None


def warn(held, where):
    """Prints to standard error immediately, because the process may never reach its
    report."""
    count = sum(h["collectives"] for h in held)
    sys.stderr.write(
        f"cudagraph-probe: warning: {where}: a process group is destroyed while "
        f"{len(held)} CUDA graph{'s' if len(held) != 1 else ''} hold{'' if len(held) != 1 else 's'} "
        f"{count} of its collectives: NCCL waits for the graphs, and the process hangs; "
        "delete or reset() the graphs first\n")
    sys.stderr.flush()
