"""Threads, forks and several processes at once."""

import concurrent.futures
import os
import pathlib
import subprocess
import sys

import torch
from programs import parse, stratified
from torch.utils.data import DataLoader, Dataset

from rulebound.torch import ConstraintLayer, ConstraintLoss


class Coherent(Dataset[torch.Tensor]):
    """Rows that a worker makes coherent, each large enough for several threads."""

    def __init__(self, layer: ConstraintLayer, x: torch.Tensor) -> None:
        self.layer, self.x = layer, x

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, at: int) -> torch.Tensor:
        torch.set_num_threads(2)
        try:
            return self.layer(self.x[at])
        finally:
            torch.set_num_threads(1)  # PyTorch's own threads do not survive a fork


def test_a_forked_worker_does_not_hang() -> None:
    layer = ConstraintLayer(parse(stratified(3, 60, 90), 60))
    x = torch.randn(4, 2500, 60)
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        expected = layer(x)  # the pool of this process has threads now
    finally:
        torch.set_num_threads(threads)
    loader = DataLoader(Coherent(layer, x), batch_size=1, num_workers=2, multiprocessing_context="fork", timeout=60)
    assert torch.equal(torch.cat(list(loader)), expected)


def test_eight_threads_on_one_layer() -> None:
    rules = parse(stratified(3, 60, 90), 60)
    layer, loss = ConstraintLayer(rules), ConstraintLoss(rules)
    batches = [torch.randn(rows, 60) for rows in (1, 5, 40, 300, 1200, 3, 77, 2000)]
    target = [batch.roll(1) > 0 for batch in batches]
    expected = [(layer(x), loss(x, t)) for x, t in zip(batches, target, strict=True)]

    def work(at: int) -> bool:
        for _ in range(30):
            x = batches[at].clone().requires_grad_()
            y, value = layer(x), loss(x, target[at])
            (y.sum() + value).backward()
            if not (torch.equal(y, expected[at][0]) and torch.equal(value, expected[at][1])):
                return False
        return True

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))


DISTRIBUTED = """
import os, sys, torch
import torch.distributed as dist
sys.path.insert(0, sys.argv[2])
from programs import parse, stratified
from rulebound.torch import ConstraintLayer, ConstraintLoss
rank = int(sys.argv[1])
dist.init_process_group("gloo", init_method="file://" + sys.argv[3], rank=rank, world_size=2)
torch.manual_seed(0)
rules = parse(stratified(1), 9)
class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear, self.layer = torch.nn.Linear(4, 9), ConstraintLayer(rules)
    def forward(self, x):
        return self.layer(self.linear(x))
x, target = torch.randn(8, 4), torch.rand(8, 9) < 0.5
alone = Network()
network = torch.nn.parallel.DistributedDataParallel(alone)
loss = ConstraintLoss(rules)
part = slice(4 * rank, 4 * rank + 4)
(loss(network.module.linear(x[part]), target[part]) + 0 * network(x[part]).nan_to_num(posinf=0).sum()).backward()
shared = alone.linear.weight.grad.clone()
network(x[part]).nan_to_num(posinf=0).sum().backward()
plain = Network()
plain.load_state_dict(alone.state_dict())
loss(plain.linear(x), target).backward()
gathered = [torch.empty_like(shared) for _ in range(2)]
dist.all_gather(gathered, shared)
torch.testing.assert_close(sum(gathered) / 2, plain.linear.weight.grad)
dist.destroy_process_group()
print("equal")
"""


def test_two_processes_with_ddp(tmp_path: pathlib.Path) -> None:
    here = str(pathlib.Path(__file__).parent)
    environment = {**os.environ, "GLOO_SOCKET_IFNAME": "lo"}
    started = [
        subprocess.Popen(
            [sys.executable, "-c", DISTRIBUTED, str(rank), here, str(tmp_path / "meeting")],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for rank in range(2)
    ]
    for process in started:
        output, errors = process.communicate(timeout=120)
        assert output.strip() == "equal", errors
