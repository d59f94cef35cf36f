"""A real browser without a window, by its own protocol over a pipe: what a page does there."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_PATIENCE = 30.0
_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars",
    "--disable-dev-shm-usage", "--remote-debugging-pipe",
)  # fmt: skip


def browser_or_skip() -> str:
    """The path of a browser; a skipped test without one."""
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        pytest.skip(f"needs a browser: none of {', '.join(_NAMES)} is installed")
    return found


class Browser:
    """One page, its console, and the files that it downloads into a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        read_by_it, self._to = os.pipe()
        self._from, written_by_it = os.pipe()
        command = [browser_or_skip(), *_FLAGS, f"--user-data-dir={folder / 'profile'}"]
        self._process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{read_by_it} 4>&{written_by_it}', "bash", *command],
            pass_fds=(read_by_it, written_by_it),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(read_by_it)
        os.close(written_by_it)
        self._rest, self._number, self._session = b"", 0, None
        self.events: list[dict] = []
        try:
            self._attach()
        except BaseException:
            self.close()
            raise

    def _attach(self) -> None:
        """Open a page, and listen to it."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self.call(
            "Browser.setDownloadBehavior",
            behavior="allow", downloadPath=str(self.folder), eventsEnabled=True,
        )  # fmt: skip
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def close(self) -> None:
        """End the browser, and wait for it."""
        os.close(self._to)
        os.close(self._from)
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def call(self, method: str, **params: object) -> dict:
        """The result of a command; what happens meanwhile is kept in ``events``."""
        self._number += 1
        message: dict = {"id": self._number, "method": method, "params": params}
        if self._session is not None and not method.startswith(("Target.", "Browser.")):
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, method: str, **params: object) -> dict:
        """The parameters of the next event of a kind with such parameters."""
        while True:
            for event in self.events:
                found = event.get("params", {})
                if event.get("method") == method and params.items() <= found.items():
                    self.events.remove(event)
                    return found
            self.events.append(self._next())

    def open(self, page: Path) -> None:
        """Load a page, and wait until it is there."""
        self.events.clear()
        self.call("Page.navigate", url=page.as_uri())
        self.wait_for("Page.loadEventFired")

    def evaluate(self, expression: str) -> object:
        """The value of an expression of JavaScript."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def press(self, key: str) -> None:
        """Press and release a key."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                      windowsVirtualKeyCode={"Tab": 9, "Enter": 13}[key])  # fmt: skip

    def complaints(self) -> list[dict]:
        """What the console, the log and uncaught errors say."""
        self.evaluate("0")  # so that what was said before is here
        kinds = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
        return [event for event in self.events if event.get("method") in kinds]

    def screenshot(self, width: int, height: int) -> bytes:
        """A PNG of so many pixels."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def _next(self) -> dict:
        end = time.monotonic() + _PATIENCE
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._from], [], [], end - time.monotonic())
            assert ready, f"the browser says nothing for {_PATIENCE:.0f} s"
            piece = os.read(self._from, 1 << 20)
            assert piece, "the browser has ended"
            self._rest += piece
        message, _, self._rest = self._rest.partition(b"\0")
        return json.loads(message)
