"""The report in a real browser: Debian's chromium, headless, by playwright.

Skipped with a reason where either is missing. ``MDDAG_SCREENSHOTS=folder`` keeps the pictures that
a person is to look at.
"""

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from mddag.inspection.report import write_report
from tests.inspection.report.reports import facts_of, long_chain, three, two

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
SCREENSHOTS = os.environ.get("MDDAG_SCREENSHOTS")

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium: apt install it")


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    made = {"two": two(), "three": three(), "chain": facts_of(*long_chain())}
    for name, facts in made.items():
        write_report(folder / f"{name}.html", facts)
    return folder


@dataclass
class Opened:
    page: object
    said: list = field(default_factory=list)  # what the console has, and requests that leave


@pytest.fixture
def opened(browser, reports, request):
    """A report, and everything that went wrong with it."""
    name, width, scheme = getattr(request, "param", ("two", 1280, "light"))
    viewport = {"width": width, "height": 900}
    context = browser.new_context(viewport=viewport, color_scheme=scheme, offline=True)
    found = Opened(context.new_page())
    found.page.on("console", lambda message: found.said.append(message.text))
    found.page.on("pageerror", lambda error: found.said.append(str(error)))
    found.page.on("request", lambda r: r.url.startswith("file:") or found.said.append(r.url))
    found.page.goto(f"file://{reports}/{name}.html")
    yield found
    assert found.said == []
    context.close()


def panel(opened):
    return opened.page.locator("#node").inner_text()


SHOWN = [(name, width, scheme) for name in ("two", "three", "chain")
         for width in (1280, 390) for scheme in ("light", "dark")]  # fmt: skip


@pytest.mark.parametrize("opened", SHOWN, indirect=True, ids=lambda p: "-".join(map(str, p)))
def test_it_opens_without_errors_and_fits_the_screen(opened, request):
    page = opened.page
    assert page.evaluate("document.documentElement.scrollWidth") == page.viewport_size["width"]
    page.locator(".node").nth(1).hover()
    assert "in the order of evaluation" in panel(opened)
    if SCREENSHOTS:
        Path(SCREENSHOTS).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=f"{SCREENSHOTS}/{request.node.callspec.id}.png", full_page=True)


def test_hovering_shows_rules_counts_and_votes(opened):
    group = flow_data(opened)["groups"][1]
    opened.page.locator(".node").nth(1).hover()
    text = panel(opened)
    member = group["members"][0]
    rule, votes = member["trees"][0]["rules"][0]
    assert rule in text
    assert votes in text
    assert f"{member['rows']} rows" in text


def flow_data(opened):
    return opened.page.evaluate("JSON.parse(document.getElementById('data').textContent)")


def test_everything_is_reached_by_keys(opened):
    page = opened.page
    reached = []
    for _ in range(80):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id || document.activeElement.tagName"))
        if "follow" in reached:
            break
    assert "A" in reached
    assert "follow" in reached
    page.locator(".node").first.focus()
    first = panel(opened)
    page.keyboard.press("ArrowRight")
    second = panel(opened)
    assert first != second
    assert "Base classifier" in second
    page.keyboard.press("End")
    assert page.evaluate("document.activeElement.dataset.group") == str(
        page.locator(".node").count() - 1
    )
    page.keyboard.press("Enter")
    assert page.locator(".node.kept").count() == 1
    kept = panel(opened)
    page.locator(".node").first.hover()
    assert panel(opened) == kept


def test_an_instance_is_followed(opened):
    page = opened.page
    assert page.locator(".instance:visible").count() == 0
    page.locator("#follow").focus()
    page.keyboard.press("ArrowDown")
    assert page.locator(".instance:visible").count() == 1
    assert "It stopped" in page.locator(".instance:visible").inner_text()
    path = flow_data(opened)["paths"][0]
    assert page.locator(".node.on").count() == len(path)
    page.select_option("#follow", "")
    assert page.locator(".instance:visible").count() == 0
    assert page.locator(".node.on").count() == 0


@pytest.mark.parametrize("opened", [("chain", 1280, "light")], indirect=True)
def test_long_groups_can_be_unfolded(opened):
    page = opened.page
    page.locator(".node").last.click()
    few = page.locator("#node h4").count()
    page.locator("#node button").click()
    assert page.locator("#node h4").count() > few
