"""An exported model in a browser: onnxruntime-web in headless Chromium decides as we do."""

import http.server
import json
import os
import queue
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rulebound as rb

#: The folder of the package; scripts/peers sets it.
WEB = os.environ.get("RULEBOUND_WEB", "")
BROWSER = shutil.which(os.environ.get("RULEBOUND_BROWSER", "chromium"))

PAGE = """<!doctype html><title>onnxruntime-web</title><script type="module">
async function run() {
    const ort = await import("/web/dist/ort.wasm.min.mjs");
    ort.env.wasm.numThreads = 1;
    ort.env.wasm.wasmPaths = "/web/dist/";
    const session = await ort.InferenceSession.create("/model.onnx");
    const given = await (await fetch("/rows.json")).json();
    const numbers = given.numbers.map(value => value === null ? NaN : value);
    const feeds = {numbers: new ort.Tensor("float32", Float32Array.from(numbers), given.shape)};
    const found = await session.run(feeds);
    return {probabilities: Array.from(found.probabilities.data), predicted: Array.from(found.predicted.data)};
}
run().catch(error => ({error: String(error)})).then(
    result => fetch("/result", {method: "POST", body: JSON.stringify(result)}));
</script>"""


class Handler(http.server.SimpleHTTPRequestHandler):
    """The page, the package and the files of a test; what the page found comes back."""

    folder: Path
    found: "queue.Queue[dict[str, Any]]"

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path == "/":
            return self.send(PAGE.encode(), "text/html")
        file = Path(WEB, path.removeprefix("/web/")) if path.startswith("/web/") else self.folder / path[1:]
        if not file.is_file():
            return self.send_error(404)
        self.send(file.read_bytes(), self.guess_type(file.name))

    def do_POST(self) -> None:
        self.found.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send(b"", "text/plain")

    def send(self, content: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def guess_type(self, path: Any) -> str:
        kinds = {"mjs": "text/javascript", "wasm": "application/wasm", "json": "application/json"}
        return kinds.get(str(path).rpartition(".")[2], "application/octet-stream")

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def browse(tmp_path: Path) -> Iterator[Any]:
    found: queue.Queue[dict[str, Any]] = queue.Queue()
    handler = type("Here", (Handler,), {"folder": tmp_path, "found": found})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def result() -> dict[str, Any]:
        address = f"http://127.0.0.1:{server.server_port}/"
        profile = tmp_path / "profile"
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}"]
        browser = subprocess.Popen(
            [BROWSER or "", *options, address], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            return found.get(timeout=120)
        finally:
            browser.terminate()
            browser.wait(30)

    yield result
    server.shutdown()


@pytest.mark.skipif(not WEB or BROWSER is None, reason="needs onnxruntime-web in RULEBOUND_WEB and a browser")
@pytest.mark.parametrize("method", ["ccn", "forest"])
def test_a_browser_decides_as_we_do(method: str, tmp_path: Path, browse: Any) -> None:
    random = np.random.default_rng(4)
    features = random.normal(size=(400, 5)).astype(np.float32)
    features[random.random(features.shape) < 0.05] = np.nan
    is_set = np.nan_to_num(features[:, :3]) > 0.3
    labels = np.column_stack([is_set, is_set.any(1), ~is_set.any(1)]).astype(int)
    rules = rb.Rules.parse("a -> any\nb -> any\nc -> any\nnot any -> none", ["a", "b", "c", "any", "none"])
    settings: dict[str, Any] = {"hidden": [16], "epochs": 10} if method == "ccn" else {"trees": 20}
    model = rb.train((features, labels), rules=rules, method=method, **settings)
    model = model.with_thresholds([0.5, 0.4, 0.6, 0.5, 0.3])
    model.export_onnx(tmp_path / "model.onnx")
    numbers = [None if np.isnan(value) else float(value) for value in features.ravel()]
    (tmp_path / "rows.json").write_text(json.dumps({"numbers": numbers, "shape": features.shape}))

    found = browse()
    assert "error" not in found, found
    predicted = np.array(found["predicted"], bool).reshape(-1, 5)
    probabilities = np.array(found["probabilities"]).reshape(-1, 5)
    expected = model.predict(features)
    sure = np.abs(expected.margins) > 1e-4
    assert sure.mean() > 0.9
    assert np.array_equal(predicted[sure], expected.margins[sure] > 0)
    assert rules.violations(predicted) == []
    assert np.array_equal(probabilities > np.array(model.thresholds), predicted)
    assert np.allclose(probabilities, expected.probabilities, atol=1e-5)
