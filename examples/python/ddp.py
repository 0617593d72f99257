"""PyTorch DDP with the constraint layer and the constraint loss: two processes compute what one does with the double batch.

    torchrun --nproc-per-node 2 examples/python/ddp.py      # gloo on CPUs, nccl where there are GPUs
    python examples/python/ddp.py                           # one process, the same losses

The layer has no parameters and the loss is a function of its arguments, so DDP needs nothing special. Three things are not
obvious, and each has a comment: the loss of unequal batches, rules that are sent in every step, and counts per process.
"""

import argparse
import os

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

import rulebound as rb
from rulebound.torch import ConstraintLayer, ConstraintLoss

ROWS, BATCH, EPOCHS = 193, 32, 20

rules = rb.Rules.parse(
    """
    circle -> round
    round -> thing
    thing, not round -> angular
    angular -> thing
    """
)


def draw_shapes(rows: int) -> tuple[Tensor, Tensor]:
    """Points, and the classes that hold there; somebody marked every tenth circle as nothing else, which breaks a rule."""
    points = torch.rand(rows, 2) * 4 - 2
    distance = points.norm(dim=1)
    truth = {
        "circle": distance < 0.7,
        "round": (distance < 1.1) & ((distance >= 0.7) | (torch.arange(rows) % 10 > 0)),
        "thing": distance < 1.7,
        "angular": (distance >= 1.1) & (distance < 1.7),
    }
    return points, torch.stack([truth[label] for label in rules.labels], dim=1)


class Network(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, len(rules.labels)))
        self.layer = ConstraintLayer(rules)

    def forward(self, x: Tensor) -> Tensor:
        logits = self.body(x)
        return logits if self.training else self.layer(logits)


def total(value: Tensor) -> Tensor:
    """The sum of all processes."""
    value = value.detach().clone()
    dist.all_reduce(value)
    return value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", help="write losses and gradients of all steps to this file")
    record = parser.parse_args().record

    # torchrun says who we are; without it we are alone.
    for name, alone in {"RANK": "0", "WORLD_SIZE": "1", "LOCAL_RANK": "0"}.items():
        os.environ.setdefault(name, alone)
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if torch.cuda.is_available() else torch.device("cpu")
    if device.type == "cuda":
        torch.cuda.set_device(device)
    backend = "nccl" if device.type == "cuda" else "gloo"
    # torchrun says where the processes meet; alone, there is nobody to meet.
    store = None if "MASTER_ADDR" in os.environ else dist.HashStore()
    dist.init_process_group(backend, store=store, rank=rank, world_size=world)

    # The same data and the same order everywhere; each process takes its rows of a batch.
    torch.manual_seed(0)
    points, target = (table.to(device) for table in draw_shapes(ROWS))
    # The rules are a buffer. They never change, so they need not be sent in every step.
    network = DistributedDataParallel(Network().to(device), broadcast_buffers=False)
    # DDP takes the mean of the processes' gradients. A mean of means is wrong where one process has fewer rows (the last batch
    # has one row here, so that the second process has none). So: sums, divided by the size of the whole batch.
    loss = ConstraintLoss(rules, reduction="sum").to(device)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.5)
    losses, gradients = [], []
    for _ in range(EPOCHS):
        for rows in torch.randperm(ROWS).split(BATCH):
            own = rows[rank::world].to(device)
            optimizer.zero_grad()
            value = loss(network(points[own]), target[own]) / (len(rows) * len(rules.labels))
            (value * world).backward()
            optimizer.step()
            losses.append(total(value).item())
            gradients.append(torch.cat([p.grad.flatten().cpu() for p in network.parameters() if p.grad is not None]))

    # Every process counts its own rows; what you print is the sum.
    network.eval()
    own = torch.arange(rank, ROWS, world, device=device)
    with torch.no_grad():
        predicted = network(points[own]) > 0
    broken_targets, broken_predictions = total(loss.count_broken(target[own])), total(loss.count_broken(predicted))
    right = total((predicted == target[own]).sum())
    if rank == 0:
        accuracy = right.item() / target.numel()
        print(f"{world} processes, {len(losses)} steps: loss {losses[0]:.4f}, at last {losses[-1]:.4f}")
        print(f"{int(broken_targets)} of {ROWS} targets break a rule, {int(broken_predictions)} predictions do")
        print(f"accuracy {accuracy:.3f}")
        assert int(broken_predictions) == 0
        if record:
            found = {"losses": torch.tensor(losses), "gradients": torch.stack(gradients)}
            torch.save({**found, "broken": int(broken_targets)}, record)
    # Nobody leaves while others still use the group, and no threads of it are left to the end of the interpreter.
    dist.barrier()
    del network
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
