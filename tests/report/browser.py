"""A headless Chromium, driven through a pipe by the DevTools protocol: no driver, no server and no open port.

Source: https://chromedevtools.github.io/devtools-protocol/; with --remote-debugging-pipe, messages are JSON that ends
in a zero byte, to file descriptor 3 of the browser and from its 4.
"""

import base64
import json
import os
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 30  # seconds
# Whether the part of a report that is seen is drawn and says what it was asked. A map waits until a reader is near it.
DRAWN = (
    "(!document.getElementById('data-counts') || Boolean(document.getElementById('explore').dataset.shown))"
    " && [...document.querySelectorAll('.drawing:not(#map-drawing)')].every(d => d.dataset.drawn || !d.clientWidth)"
)
_FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--mute-audio"),
    *("--disable-extensions", "--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--hide-scrollbars", "--remote-debugging-pipe", "--window-size=1280,900"),
)


def browser_program() -> str | None:
    """The browser of this machine; None where there is none."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


@dataclass
class Browser:
    """One browser with one page. events: every message that answered no command, oldest first."""

    process: subprocess.Popen[bytes]
    to_browser: int
    from_browser: int
    session: str | None = None
    events: list[dict[str, Any]] = field(default_factory=list)
    commands: int = 0
    unread: bytes = b""

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Give a command and wait for its result."""
        self.commands += 1
        message = {"id": self.commands, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to_browser, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self.commands:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]
            self.events.append(answer)

    def open(self, page: Path) -> None:
        """Load a file, forgetting the events before; returns when its charts are drawn."""
        self.events.clear()
        self.send("Page.navigate", url=page.resolve().as_uri())
        self.wait(f"document.readyState === 'complete' && {DRAWN}")

    def value(self, expression: str) -> Any:
        """What a JavaScript expression gives, as JSON."""
        found = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def wait(self, expression: str) -> None:
        """Return when the expression is true."""
        end = time.monotonic() + PATIENCE
        while not self.value(expression):
            assert time.monotonic() < end, f"never true: {expression}"
            time.sleep(0.02)

    def wait_for(self, event: str) -> None:
        """Return when the event has come. To a command, a page that is being left answers with an error."""
        while event not in (each.get("method") for each in self.events):
            self.events.append(self._receive())

    def press(self, key: str, text: str = "") -> None:
        """Press a key, such as Tab."""
        code = {"Tab": 9, "Enter": 13, " ": 32, "ArrowDown": 40}.get(key, 0)
        common = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        self.send("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.send("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text: str) -> None:
        """Type a text where the focus is."""
        self.send("Input.insertText", text=text)

    def media(self, kind: str = "", **features: str) -> None:
        """Imagine a medium (screen, print) and what its reader prefers: media(prefers_color_scheme="dark")."""
        wanted = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.send("Emulation.setEmulatedMedia", media=kind, features=wanted)

    def size(self, width: int, height: int = 900) -> None:
        """Give the window a size, in pixels."""
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )

    def pdf(self) -> bytes:
        """The page as it prints."""
        return base64.b64decode(
            self.send("Page.printToPDF", printBackground=True, paperWidth=8.27, paperHeight=11.69)["data"]
        )

    def complaints(self) -> list[str]:
        """What the console was told since the page was opened: errors, warnings, uncaught exceptions."""
        said = []
        for event in self.events:
            parameters = event.get("params", {})
            match event.get("method"):
                case "Runtime.consoleAPICalled" if parameters["type"] in ("error", "warning", "assert"):
                    said.append(f"{parameters['type']}: {parameters['args']}")
                case "Runtime.exceptionThrown":
                    said.append(f"uncaught: {parameters['exceptionDetails']}")
                case "Log.entryAdded" if parameters["entry"]["level"] in ("error", "warning"):
                    said.append(f"log: {parameters['entry']['text']}")
        return said

    def requests(self) -> list[str]:
        """The addresses that the page asked for since it was opened; itself is the first."""
        return [
            event["params"]["request"]["url"]
            for event in self.events
            if event.get("method") == "Network.requestWillBeSent"
        ]

    def _receive(self) -> dict[str, Any]:
        end = time.monotonic() + PATIENCE
        while b"\0" not in self.unread:
            ready, _, _ = select.select([self.from_browser], [], [], max(0.0, end - time.monotonic()))
            assert ready, "the browser does not answer"
            read = os.read(self.from_browser, 1 << 20)
            assert read, "the browser has gone"
            self.unread += read
        message, _, self.unread = self.unread.partition(b"\0")
        return json.loads(message)


@contextmanager
def open_browser(program: str, profile: Path) -> Iterator[Browser]:
    """A browser with an empty profile, and one page that listens to console and network."""
    browser_reads, we_write = os.pipe()
    we_read, browser_writes = os.pipe()
    # The browser wants descriptors 3 and 4; a shell puts them there.
    command = f'exec "$0" "$@" 3<&{browser_reads} 4>&{browser_writes}'
    process = subprocess.Popen(
        ["/bin/bash", "-c", command, program, *_FLAGS, f"--user-data-dir={profile}", "about:blank"],
        pass_fds=(browser_reads, browser_writes),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    os.close(browser_reads)
    os.close(browser_writes)
    browser = Browser(process, we_write, we_read)
    try:
        targets = browser.send("Target.getTargets")["targetInfos"]
        page = next(target["targetId"] for target in targets if target["type"] == "page")
        browser.session = browser.send("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            browser.send(f"{domain}.enable")
        yield browser
    finally:
        os.close(we_write)
        os.close(we_read)
        try:
            process.wait(timeout=5)  # it leaves when its pipe is closed
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
