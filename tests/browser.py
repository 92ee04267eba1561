"""A real browser for tests of the job page: Debian's Chromium, headless."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any, Final, final

import pytest
from PIL import Image
from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service

__all__ = ["Browser", "browser"]

_PROGRAMS: Final = ("chromium", "chromedriver")
# Without these, Chromium asks hosts of its own for updates and names at each start.
_FLAGS: Final = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)
_COLOURS: Final = 64
_OVERLAPS: Final = """
const boxes = [...document.querySelectorAll(arguments[0])].map((one) => one.getBoundingClientRect());
return boxes.some((a, i) => boxes.some((b, j) => i < j && a.left < b.right - 1 && b.left < a.right - 1
  && a.top < b.bottom - 1 && b.top < a.bottom - 1));
"""


@final
class Browser:
    """A browser with one page.

    Args:
        driver: Driver of the browser.
    """

    def __init__(self, driver: Chrome) -> None:
        self.driver = driver

    def looks(self, width: int, *, height: int = 900, dark: bool = False) -> None:
        """Have a window of this size, in light or dark colours."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})

    def run(self, script: str, *arguments: object) -> Any:
        """Run a script in the page, and return what it returns."""
        return self.driver.execute_script(script, *arguments)

    def text(self, selector: str) -> str:
        """The text of the first element, or nothing."""
        return str(self.run("return document.querySelector(arguments[0])?.innerText ?? ''", selector))

    def texts(self, selector: str) -> list[str]:
        """The texts of all elements."""
        return list(
            self.run("return [...document.querySelectorAll(arguments[0])].map((one) => one.innerText)", selector)
        )

    def click(self, selector: str) -> None:
        """Click on the first element."""
        self.run("document.querySelector(arguments[0]).click()", selector)

    def overlaps(self, selector: str) -> bool:
        """Whether any two of these elements overlap."""
        return bool(self.run(_OVERLAPS, selector))

    @property
    def is_too_wide(self) -> bool:
        """Whether the page is wider than its window."""
        return bool(self.run("return document.documentElement.scrollWidth > innerWidth"))

    def picture(self, path: Path, width: int, *, height: int | None = None, dark: bool = False) -> None:
        """Write a picture of the whole page, or of its top, with few colours, so that it is small."""
        self.looks(width, dark=dark)
        self.looks(width, height=height or int(self.run("return document.documentElement.scrollHeight")), dark=dark)
        whole = Image.open(BytesIO(self.driver.get_screenshot_as_png())).convert("RGB")
        whole.quantize(_COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


@contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    """Start a browser with an empty profile in ``folder``."""
    found = {name: shutil.which(name) for name in _PROGRAMS}
    missing = [name for name, path in found.items() if path is None]
    if missing:
        _not_there(missing)
    options = ChromeOptions()
    options.binary_location = str(found["chromium"])
    for flag in (*_FLAGS, f"--user-data-dir={folder}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = Chrome(options, Service(found["chromedriver"]))
    try:
        yield Browser(driver)
    finally:
        driver.quit()


def _not_there(missing: list[str]) -> None:
    text = f"no {' and no '.join(missing)} for the tests: apt-get install chromium chromium-driver"
    if os.environ.get("CI"):
        pytest.fail(text, pytrace=False)
    pytest.skip(text)
