"""The page in a browser: opened from the disk with the network off, it says what Python says."""

from __future__ import annotations

import json
import re
import shutil
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import jointbayes as jb
from jointbayes.explorer import explore

BAD = "</script><img src=x onerror=alert(1)>\"'&{{tables}}\u2028"
AXE = [
    Path(folder) / "axe-core/axe.min.js"
    for folder in (Path(__file__).parents[2] / "node_modules", "/usr/share/nodejs")
]


@pytest.fixture(scope="module")
def browser():
    library = pytest.importorskip("playwright.sync_api", reason="playwright drives the browser")
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("there is no chromium here")
    with library.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    size = rng.normal(size=200)
    return pd.DataFrame(
        {BAD: size, "hue": np.where(size + rng.normal(size=200) > 0, BAD, "blue")},
        index=[f"case {i}" for i in range(200)],
    )


@pytest.fixture(scope="module")
def labels(rows):
    rng = np.random.default_rng(1)
    first = (rows[BAD] + rng.normal(size=200) > 0).astype(int)
    second = np.where(rng.random(200) < 0.8, first, 1 - first)
    return pd.DataFrame({BAD: first, "calm": second, "sad": 1 - second}, index=rows.index)


def opened(browser, path, **options):
    """Return the page, and what it complained about."""
    page = browser.new_context(offline=True, **options).new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: said.append(request.url))
    page.goto(path.as_uri())
    page.wait_for_selector("#python:not(:empty)")
    return page, [one for one in said if one != path.as_uri()]


def marginals(page):
    return np.concatenate(page.evaluate("explorer.answered().marginals()"))


@pytest.mark.parametrize("kind", [jb.MultilabelFAN, jb.CTBN])
def test_a_click_fixes_a_label_and_all_else_follows(kind, browser, rows, labels, tmp_path):
    model = kind().fit(rows, labels)
    model.explore(tmp_path / "page.html", X=rows)
    page, said = opened(browser, tmp_path / "page.html")
    post = model.posterior(rows.iloc[:1])
    assert np.allclose(marginals(page), np.hstack(post.marginals())[0], atol=1e-9)
    page.get_by_role("radiogroup", name="calm").get_by_role("radio", name="Yes").check(force=True)
    post = post.given({"calm": 1})
    assert np.allclose(marginals(page), np.hstack(post.marginals())[0], atol=1e-9)
    page.get_by_label("Row", exact=True).select_option(label="row case 7")
    post = model.posterior(rows.iloc[7:8]).given({"calm": 1})
    assert np.allclose(marginals(page), np.hstack(post.marginals())[0], atol=1e-9)
    best = np.exp(post.top_k(1)[1][0, 0])
    shown = float(re.sub(r"[^0-9.]", "", page.locator("#headline .p").inner_text()))
    assert shown == pytest.approx(100 * best, abs=0.6)
    assert "case 7, 1 label fixed" in page.locator("#told").inner_text()
    assert said == []


def test_features_and_keys_change_the_answer(browser, rows, labels, tmp_path):
    model = jb.CTBN().fit(rows, labels)
    model.explore(tmp_path / "page.html")
    page, said = opened(browser, tmp_path / "page.html")
    page.locator("#feature-0").fill("1.5")
    page.locator("#feature-1").select_option(label="blue")
    row = pd.DataFrame({BAD: [1.5], "hue": ["blue"]})
    post = model.posterior(row)
    assert np.allclose(marginals(page), np.hstack(post.marginals())[0], atol=1e-9)
    page.get_by_role("button", name="sad").first.press("n")
    post = post.given({"sad": 0})
    assert np.allclose(marginals(page), np.hstack(post.marginals())[0], atol=1e-9)
    page.get_by_role("button", name="Let go of all").click()
    assert page.evaluate("explorer.state.known") == [-1, -1, -1]
    assert said == []


def test_names_are_text_whatever_they_hold(browser, rows, labels, tmp_path):
    explore(jb.MultilabelFAN().fit(rows, labels), tmp_path / "page.html", X=rows, title=BAD)
    page, said = opened(browser, tmp_path / "page.html")
    assert page.locator("img").count() == 0
    assert page.locator("#title").inner_text().startswith("</script><img")
    assert page.evaluate("explorer.engine.model.labels[0].name") == BAD
    assert page.evaluate("document.querySelector('.label .name').textContent") == BAD
    assert said == []


def test_the_policy_forbids_connections_and_holds_the_tables(rows, labels, tmp_path):
    model = jb.MultilabelNB().fit(rows, labels)
    model.explore(tmp_path / "page.html", X=rows[:3])
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    policy = unescape(re.search(r'Security-Policy" content="([^"]*)"', text)[1])
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert not re.findall(r'(?:src|href)="(?!#)', text)
    held = json.loads(re.search(r'id="tables">(.*?)</script>', text, re.S)[1])
    assert held["rows"]["names"] == ["case 0", "case 1", "case 2"]


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_nothing_stands_in_the_way_of_anybody(browser, rows, labels, tmp_path, width, scheme):
    axe = next((path for path in AXE if path.exists()), None)
    if axe is None:
        pytest.skip("there is no axe-core in node_modules; npm install axe-core brings it")
    jb.CTBN().fit(rows, labels).explore(tmp_path / "page.html", X=rows)
    options = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme}
    page, _ = opened(browser, tmp_path / "page.html", bypass_csp=True, **options)
    page.evaluate(axe.read_text(encoding="utf-8"))
    page.evaluate("explorer.fix(1, 1)")
    found = page.evaluate("axe.run()")["violations"]
    assert [one["id"] for one in found] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
