"""A bar of tqdm that follows training."""

from __future__ import annotations

from typing import Any


class Progress:
    """Follows the epochs of all members, or the pieces of a learner without epochs."""

    def __init__(self) -> None:
        from tqdm.auto import tqdm

        self._tqdm = tqdm
        self._bar: Any = None

    def show(self, event: dict[str, Any]) -> None:
        """Shows what happened."""
        kind = event["event"]
        if kind == "phase":
            self.close()
            epochs = event["epochs"]
            total = None if epochs is None else epochs * event["members"]
            self._bar = self._tqdm(total=total, unit="epoch", desc=event["phase"])
        elif kind == "epoch" and self._bar is not None:
            self._bar.set_postfix(loss=f"{event['loss']:.4g}", refresh=False)
            self._bar.update()
        elif kind == "pieces":
            if self._bar is None or self._bar.total != event["all"]:
                self.close()
                self._bar = self._tqdm(total=event["all"], unit="piece")
            self._bar.update(event["pieces"] - self._bar.n)

    def close(self) -> None:
        """Ends the bar."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None
