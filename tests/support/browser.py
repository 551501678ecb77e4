"""A headless Chromium, driven by selenium, and what tests of pages ask of it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

AXE = Path(__file__).parent / "axe" / "axe.min.js"
WIDTHS = (360, 1024, 1600)
THEMES = ("light", "dark")
_PATIENCE_S = 30


class Browser:
    """Chromium. Every page is opened with an empty list of requests and an empty console."""

    def __init__(self) -> None:
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium") or ""
        for flag in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", "window-size=1280,900"):
            options.add_argument(f"--{flag}")
        options.add_argument("--enable-precise-memory-info")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.driver.quit()

    def open(self, address: str) -> None:
        """Open a page and wait until it is drawn."""
        self.driver.get("about:blank")
        self.console(), self.requests()
        self.driver.get(address)
        self.wait("document.body.dataset.ready === 'yes' || !document.getElementById('problem').hidden")

    def wait(self, condition: str) -> None:
        """Until a condition, an expression of JavaScript, holds."""
        WebDriverWait(self.driver, _PATIENCE_S).until(lambda _: self.run(f"return Boolean({condition})"))

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def press(self, *keys: str) -> None:
        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()

    def console(self) -> list[str]:
        """What the console said since it was last asked."""
        return [str(entry["message"]) for entry in self.driver.get_log("browser")]  # type: ignore[no-untyped-call]

    def requests(self) -> list[str]:
        """The addresses that were asked for since this was last asked; data: is none."""
        entries: Iterable[Any] = self.driver.get_log("performance")  # type: ignore[no-untyped-call]
        messages = [json.loads(entry["message"])["message"] for entry in entries]
        sent = [one["params"]["request"]["url"] for one in messages if one["method"] == "Network.requestWillBeSent"]
        return [url for url in sent if not url.startswith(("data:", "about:"))]

    def emulate(self, width: int, theme: str) -> None:
        """Show the page in that width and with that colour scheme of the system."""
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
        features = [{"name": "prefers-color-scheme", "value": theme}]
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def sideways(self) -> int:
        """By how many pixels the page is wider than the window."""
        return int(self.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth"))

    def serious_findings(self) -> list[str]:
        """What axe-core finds on the page that is serious or critical, with the first element of each."""
        if not self.run("return typeof axe === 'object'"):
            self.run(AXE.read_text(encoding="utf-8"))
        script = """
            const done = arguments[arguments.length - 1];
            axe.run(document, {preload: false, resultTypes: ["violations"]}).then((found) => done(found.violations));
        """
        found = self.driver.execute_async_script(script)
        return [
            f"{one['id']}: {one['nodes'][0]['html'][:200]} {one['nodes'][0].get('failureSummary', '')[:300]}"
            for one in found
            if one["impact"] in ("serious", "critical")
        ]
