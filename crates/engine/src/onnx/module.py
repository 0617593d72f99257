"""@TITLE@

Written by rulebound @VERSION@. The weights are in @WEIGHTS@ beside this file.

    from @MODULE@ import load
    model = load()
    probabilities, predicted = model.predict(numbers, codes)    # no prediction breaks a rule

`numbers` is `[rows, @NUMBERS@]`, a missing number is NaN; `codes` is `[rows, @CODES@]`, each the place of a value in
CATEGORIES, a missing or unknown one is -1. To go on training, `model.each(numbers, codes)` gives the raw logits of each
member for `loss = rulebound.torch.ConstraintLoss(model.layer.rules)`: `sum(loss(one, target) for one in model.each(...))`.
"""

import json
from pathlib import Path

import torch
from rulebound import Rules
from rulebound.torch import ConstraintLayer
from safetensors.torch import load_file
from torch import Tensor, nn

#: What the model was trained to know: classes, thresholds, rules, columns.
ABOUT = json.loads(
    r"""
@ABOUT@
"""
)
CLASSES = ABOUT["classes"]
COLUMNS = ABOUT["numbers"]
CATEGORIES = ABOUT["categories"]
WEIGHTS = Path(__file__).with_name(ABOUT["weights"])


class Encoder(nn.Module):
    """Rows as they are in the data to what the networks were trained on."""

    def __init__(self) -> None:
        super().__init__()
        count = len(COLUMNS)
        self.register_buffer("offset", torch.zeros(count, dtype=torch.float64))
        self.register_buffer("deviation", torch.ones(count, dtype=torch.float64))
        self.register_buffer("fill", torch.zeros(count))
        for place, column in enumerate(CATEGORIES):
            self.register_buffer(f"hot_{place}", torch.zeros(len(column["values"])))
            self.register_buffer(f"cold_{place}", torch.zeros(len(column["values"])))
        self.register_buffer("order", torch.zeros(ABOUT["width"], dtype=torch.int64))

    def forward(self, numbers: Tensor | None, codes: Tensor | None) -> Tensor:
        parts = []
        if COLUMNS:
            scaled = ((numbers.to(torch.float64) - self.offset) / self.deviation).to(torch.float32)
            parts.append(torch.where(numbers.isnan(), self.fill, scaled))
        for place, column in enumerate(CATEGORIES):
            values = torch.arange(len(column["values"]), device=codes.device)
            is_value = codes[:, place, None] == values
            parts.append(torch.where(is_value, getattr(self, f"hot_{place}"), getattr(self, f"cold_{place}")))
        return torch.cat(parts, dim=1)[:, self.order]


class Network(nn.Module):
    """A perceptron."""

    def __init__(self, sizes: list[int]) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(*pair) for pair in zip(sizes, sizes[1:]))
        self.activation = {"relu": nn.ReLU, "tanh": nn.Tanh}[ABOUT["activation"]]()

    def forward(self, encoded: Tensor) -> Tensor:
        for layer in self.layers[:-1]:
            encoded = self.activation(layer(encoded))
        return self.layers[-1](encoded)


def mean_of_probabilities(logits: Tensor) -> Tensor:
    """The logits of the mean over the first axis, where logits stand for probabilities. Both sides are summed, in 64
    bits, so that neither a very small nor a very large one is rounded away."""
    with_it, without = (torch.sigmoid(side).mean(dim=0).log() for side in (logits.double(), -logits.double()))
    return (with_it - without).to(logits.dtype)


class Model(nn.Module):
    """Networks, and the layer of the rules: for each of several networks, and for their mean, which also has the requirements."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = Encoder()
        self.members = nn.ModuleList(Network(sizes) for sizes in ABOUT["members"])
        layers = (Rules.parse(ABOUT[which], labels=CLASSES) for which in ("rules_of_members", "rules"))
        self.member_layer, self.layer = (ConstraintLayer(rules, kind="margins") for rules in layers)
        thresholds = torch.tensor(ABOUT["thresholds"], dtype=torch.float64)
        self.register_buffer("shift", torch.logit(thresholds).to(torch.float32), persistent=False)

    def each(self, numbers: Tensor | None = None, codes: Tensor | None = None) -> Tensor:
        """The raw logits of each member, `[members, rows, classes]`: what a loss is computed of."""
        encoded = self.encoder(numbers, codes)
        return torch.stack([member(encoded) for member in self.members])

    def forward(self, numbers: Tensor | None = None, codes: Tensor | None = None) -> Tensor:
        """What the layer is given, `[rows, classes]`: the logits of a single network. Several are each made coherent,
        then their probabilities are averaged."""
        members = self.each(numbers, codes)
        logits = members[0] if len(members) == 1 else mean_of_probabilities(self.member_layer(members))
        return logits / ABOUT["temperature"]

    def coherent(self, numbers: Tensor | None = None, codes: Tensor | None = None) -> Tensor:
        """Coherent margins: how far each class is from its threshold. Above 0 it is predicted."""
        return self.layer(self(numbers, codes) - self.shift)

    @torch.no_grad()
    def predict(self, numbers: Tensor | None = None, codes: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Probabilities, and which classes are predicted; every row satisfies the rules."""
        margins = self.coherent(numbers, codes)
        return torch.sigmoid(margins + self.shift), margins > 0


def load(path: Path | str = WEIGHTS) -> Model:
    """The trained model."""
    model = Model()
    found = model.load_state_dict(load_file(path), strict=False)
    # Rules are buffers of layers, and come from this file.
    unknown = [name for name in found.missing_keys if not name.startswith(("layer.", "member_layer."))]
    if unknown or found.unexpected_keys:
        raise ValueError(f"{path} is not of this model: {unknown or found.unexpected_keys}")
    return model.eval()
