"""Rules about classes, and what they do to scores."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulebound import _native
from rulebound.applied import Applied
from rulebound.explanation import Explanation
from rulebound.label_table import LabelTable
from rulebound.long_scores import LongScores, class_places, id_rows, listed_scores, whole_numbers
from rulebound.report import Report, RuleWarning
from rulebound.rule_card import card
from rulebound.rule_sources import Path, RuleSources
from rulebound.score_stream import applied_stream, is_stream
from rulebound.score_table import open_table
from rulebound.thresholds import Thresholds, threshold_list


class Rules(RuleSources):
    """Rules about classes: a validated, stratified program. It never changes.

    >>> rules = Rules.parse("stomach -> abdomen\\nabdomen, not stomach -> other")
    >>> rules.labels
    ('stomach', 'abdomen', 'other')
    >>> rules.kind, rules.is_hierarchy
    ('semi-positive', False)
    """

    __slots__ = ("__weakref__",)

    # What they are

    @property
    def labels(self) -> tuple[str, ...]:
        """The classes in order."""
        return self._labels

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules as they would be written, in order; requirements come after them."""
        return tuple(self._program.rules())

    @property
    def kind(self) -> str:
        """How much of the rule language they use: "definite" (no negation), "semi-positive" (only classes
        without rules are negated) or "stratified"."""
        return self._program.kind()

    @property
    def is_hierarchy(self) -> bool:
        """Whether all rules are `child -> parent`, no class is its own ancestor, and there are no requirements."""
        return self._program.is_hierarchy() and not self._program.has_requirements()

    @property
    def strata(self) -> list[list[str]]:
        """The classes, in the order in which they can be decided.

        >>> Rules.parse("not a -> b").strata
        [['a'], ['b']]
        """
        return self._program.strata()

    @property
    def components(self) -> list[list[str]]:
        """The classes that depend on each other, bodies before heads."""
        return self._program.components()

    def check(self, *, deep: bool = False) -> Report:
        """Warnings about rules that are valid and probably not what was meant; `deep` also finds rules that
        follow from others together."""
        return Report(tuple(RuleWarning(*found) for found in self._program.lints(deep)))

    def text(self) -> str:
        """The rules as text, one per line."""
        return self._program.text()

    def save(self, path: Path) -> None:
        """Writes the rules as text."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.text())

    def to_bytes(self) -> bytes:
        """The rules as bytes, in whole words of 32 bits. Equal rules have equal bytes.

        >>> rules = Rules.parse("cat -> animal")
        >>> Rules.from_bytes(rules.to_bytes()) == rules
        True
        """
        return self._program.to_bytes()

    # What they do

    def in_order(self, labels: Iterable[str]) -> Rules:
        """The same rules about these classes in this order, that of whoever gives the scores: column `i` is `labels[i]`.
        There may be classes that no rule is about; one that the rules need and `labels` lacks is a `RuleError`.

        >>> Rules.parse("cat -> animal").in_order(["animal", "plant", "cat"]).labels
        ('animal', 'plant', 'cat')
        """
        from rulebound.class_order import rules_in_order

        return rules_in_order(self, labels)

    def apply(
        self,
        scores: Any,
        *,
        kind: str = "probabilities",
        thresholds: Thresholds = None,
        decisions: bool = False,
        delegates: bool = False,
    ) -> Any:
        """Scores that satisfy the rules, in what they came in: an array, a tensor, a frame of pandas or
        polars, or a Table of pyarrow; class columns of frames are found by name. A RecordBatchReader
        becomes another one, which reads when it is read.

        `kind` says what scores are: "probabilities", "logits", or "margins" (logits less that of the
        threshold). With `decisions` or `delegates` the result is an `Applied`.

        Requirements are settled by how sure the scores are, preferred classes first.

        >>> Rules.parse("cat -> animal").apply([[0.9, 0.2], [0.1, 0.2]])
        array([[0.9, 0.9],
               [0.1, 0.2]])
        >>> Rules.parse("exclusive(red, green)").apply([[0.6, 0.9]])
        array([[0.1, 0.9]])
        """
        if is_stream(scores):
            if decisions or delegates:
                raise ValueError("a stream has one table: leave out decisions and delegates")
            return applied_stream(
                scores,
                self._labels,
                lambda part: self.apply(part, kind=kind, thresholds=thresholds),
            )
        table = open_table(scores, self._labels)
        coherent, decided, by = _native.apply(
            self._program,
            table.values(),
            kind,
            threshold_list(thresholds, self._labels),
            decisions,
            delegates,
        )
        if decided is None and by is None:
            return table.replaced(coherent)
        return Applied(
            table.replaced(coherent),
            None if decided is None else table.replaced(decided),
            None if by is None else table.replaced(self._delegate_names()[by]),
        )

    def apply_sparse(
        self,
        offsets: Any,
        classes: Any,
        scores: Any,
        *,
        kind: str = "probabilities",
        thresholds: Thresholds = None,
        delegates: bool = False,
        top: int | None = None,
        above: float | None = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any], NDArray[np.int64] | None]:
        """Coherent rows of which few classes are listed; those that are not have a probability of 0, or a logit
        of minus infinity. Row `r` is at `offsets[r]:offsets[r + 1]` of `classes`, which are places in
        `labels`, and `scores`; the result is laid out in the same way, each row in the order of `labels`.
        The cost is that of the listed classes and their ancestors, however many classes there are.

        `top` keeps so many classes of each row, the highest, and `above` those with a higher score; both keep the
        parents of what they keep. Delegates are places among the classes, their negations, and their facts.

        >>> rules = Rules.parse("siamese -> cat\\ncat -> animal\\ndog -> animal")
        >>> offsets, classes, scores, _ = rules.apply_sparse([0, 1, 2], [0, 3], [0.9, 0.4])
        >>> offsets.tolist(), classes.tolist(), scores.tolist()
        ([0, 3, 5], [0, 1, 2, 2, 3], [0.9, 0.9, 0.9, 0.4, 0.4])
        """
        return _native.apply_sparse(
            self._program,
            whole_numbers("offsets", offsets),
            whole_numbers("classes", classes),
            listed_scores(scores),
            kind,
            threshold_list(thresholds, self._labels),
            delegates,
            top,
            above,
        )

    def apply_long(
        self,
        ids: Any,
        classes: Any,
        scores: Any,
        *,
        kind: str = "probabilities",
        thresholds: Thresholds = None,
        delegates: bool = False,
        top: int | None = None,
        above: float | None = None,
    ) -> LongScores:
        """Coherent scores of a long table: one line per id and class. Classes are names, or places in `labels`;
        the lines of an id are to be one after the other. See `apply_sparse`.

        >>> rules = Rules.parse("cat -> animal")
        >>> found = rules.apply_long(["p1", "p2"], ["cat", "animal"], [0.9, 0.4])
        >>> list(zip(found.ids.tolist(), found.classes.tolist(), found.scores.tolist()))
        [('p1', 'cat', 0.9), ('p1', 'animal', 0.9), ('p2', 'animal', 0.4)]
        """
        rows, offsets = id_rows(ids)
        places, named = class_places(classes, self._program)
        starts, found, values, by = self.apply_sparse(
            offsets,
            places,
            scores,
            kind=kind,
            thresholds=thresholds,
            delegates=delegates,
            top=top,
            above=above,
        )
        return LongScores(
            np.repeat(rows, np.diff(starts)),
            np.array(self._labels, dtype=object)[found] if named else found,
            values,
            None if by is None else self._delegate_names()[by],
        )

    def close(self, y: Any) -> Any:
        """Labels with every class that follows from them: an array of 0 and 1, a frame, or lists of names. A label
        that is NaN is not known: it stays so unless it follows whatever the others are.

        >>> Rules.parse("cat -> animal").close([["cat"], []])
        [['cat', 'animal'], []]
        """
        table = LabelTable(y, self._labels)
        return table.replaced(_native.close(self._program, table.marks()))

    def violations(self, y: Any) -> list[dict[str, Any]]:
        """The rules and requirements that labels break: row and rule of each, as records of a frame. A label that is NaN
        is not known and breaks nothing.

        >>> Rules.parse("cat -> animal").violations([[1, 0], [1, 1]])
        [{'row': 0, 'rule': 'cat -> animal'}]
        """
        rules = self._program.rules()
        marks = LabelTable(y, self._labels).marks()
        broken = _native.violations(self._program, marks)
        return [{"row": row, "rule": rules[rule]} for row, rule in broken]

    def explain(
        self,
        scores: Any,
        label: str,
        *,
        row: int = 0,
        kind: str = "probabilities",
        thresholds: Thresholds = None,
    ) -> Explanation:
        """How a class gets its score in one row."""
        place = self._place(label)
        values = open_table(scores, self._labels).values()
        if not 0 <= row < len(values):
            raise IndexError(f"no row {row}; there are {len(values)}")
        given = threshold_list(thresholds, self._labels)
        # What is not a score is found by `apply`, which says where.
        _native.apply(self._program, values[row : row + 1], kind, given, False, False)
        is_f32 = values.dtype == np.float32
        numbers = [float(value) for value in values[row]]
        tree, classes = _native.explain(self._program, numbers, place, kind, given, is_f32)
        return Explanation(label, tree, classes)

    def export_onnx(
        self,
        path: Path,
        *,
        network: Path | None = None,
        output: str | None = None,
        labels: Iterable[str] | None = None,
        kind: str = "logits",
        thresholds: Thresholds = None,
        margins: bool = False,
        loops: bool = True,
    ) -> list[str]:
        """Writes the rules as an ONNX file: scores in, coherent probabilities and decisions out. The result are the names
        of the outputs.

        With `network`, an ONNX file, the rules are put behind it; `output` names the one with the scores if there are
        several. Column `i` of the scores is the class `labels[i]`, without `labels` that of the rules. `kind` says what the scores are: "logits", "probabilities", or "margins".
        With `margins` those are returned too. `loops=False` writes out long cycles of rules, for runtimes without `Loop`.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Rules.parse("cat -> animal").export_onnx(f"{folder}/rules.onnx")
        ['probabilities', 'predicted']
        """
        rules = self if labels is None else self.in_order(labels)
        given = threshold_list(thresholds, rules.labels)
        return _native.export_rules(rules._program, path, network, output, kind, given, margins, loops)

    def _place(self, label: str) -> int:
        place = self._program.find(label)
        if place is None:
            near = self._program.nearest(label)
            hint = f"; did you mean `{near}`?" if near else ""
            raise KeyError(f"`{label}` is not a class of the rules{hint}")
        return place

    def _delegate_names(self) -> Any:
        return np.array(_native.delegate_names(self._program), dtype=object)

    # As a value

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("rules never change; make others")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("rules never change; make others")

    def __len__(self) -> int:
        return len(self._program)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rules):
            return NotImplemented
        return self is other or self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash(self.to_bytes())

    def __copy__(self) -> Rules:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Rules:
        return self

    def __reduce__(self) -> tuple[Any, tuple[bytes]]:
        return (Rules.from_bytes, (self.to_bytes(),))

    def __repr__(self) -> str:
        required = len(self.rules) - len(self)
        requirements = f", {required} requirement{'s' if required > 1 else ''}" if required else ""
        return f"<Rules: {len(self.labels)} classes, {len(self)} rules, {self.kind}{requirements}>"

    def _repr_html_(self) -> str:
        warnings = len(self.check())
        strata = len(self.strata)
        has_requirements = self._program.has_requirements()
        kind = f"{self.kind}, with requirements" if has_requirements else self.kind
        return card(len(self.labels), self.rules, kind, strata, self.is_hierarchy, warnings)
