"""Reports as pages: whole, safe, reachable by keyboard and reader, and right in a real browser."""

from __future__ import annotations

import math
import re
import shutil
import subprocess
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from sklearn.metrics import f1_score

import jointbayes as jb
from jointbayes.plots import as_svg, label_graph
from jointbayes.report import (
    Code,
    Entry,
    Grid,
    Headline,
    Page,
    Paragraph,
    Picture,
    Section,
    as_text,
    in_digits,
)
from jointbayes.report.comparing import page_of_comparison
from jointbayes.report.describing import page_of_summary
from jointbayes.report.evaluating import page_of_scores
from jointbayes.report.explaining import page_of_rows
from jointbayes.report.html import as_html
from jointbayes.report.leaderboard import page_of_tryout
from jointbayes.report.markdown import as_markdown
from jointbayes.report.ties import picture_of_ties
from jointbayes.validation import Comparison, compare, evaluate

HOSTILE = "</script><script>document.title='broken'</script>"
VOID = {"meta", "link", "input", "br", "wbr", "circle", "polyline", "polygon"}


def made_page():
    rows = tuple((Entry(name), in_digits(value, 1)) for name, value in zip("abcdefghij", [
        3.0, 10.0, None, 2.0, 1.0, math.inf, 8.0, 7.0, 6.0, 5.0], strict=True))  # fmt: skip
    picture = Picture(label_graph([("a", HOSTILE)], ["a", HOSTILE], title=HOSTILE), HOSTILE)
    blocks = (
        Paragraph(HOSTILE, HOSTILE),
        Grid(HOSTILE, ("name", "value"), rows),
        picture,
        Code(HOSTILE),
        Grid("short", (HOSTILE,), ((Entry(HOSTILE, under=HOSTILE, tone="bad"),),), "screen"),
    )
    figures = (Headline(HOSTILE, HOSTILE),)
    sections = (Section(HOSTILE, blocks),)
    return Page(HOSTILE, HOSTILE, ((HOSTILE, HOSTILE),), sections, figures, picture)


def many_labels():
    rng = np.random.default_rng(0)
    Y = (rng.random((120, 3)) < [0.5, 0.3, 0.2]).astype(int)
    X = np.where(rng.random((120, 3)) < 0.8, Y, 1 - Y).astype(str)
    return X, Y


@pytest.fixture(scope="module")
def pages():
    """One page of every kind."""
    X, Y = many_labels()
    table = jb.Table.of(X)
    summary = jb.describe(jb.Dataset("made", table, Y, ("a", "b", "c"), table.names))
    model = jb.MultilabelFAN()
    scores = evaluate(model, X, Y, cv=3)
    found = compare(
        {"mNB": jb.MultilabelNB(), "mFAN": model, "one class": jb.TAN()},
        {"first": (X, Y), "second": (X[::-1], Y[::-1])},
        cv=2,
        metrics=["subset_accuracy", "log_loss"],
    )
    return {
        "describe": page_of_summary(summary),
        "evaluate": page_of_scores(scores),
        "compare": page_of_comparison(found),
        "one set": page_of_comparison(compare(["multilabelnb", "multilabelfan"], [(X, Y)], cv=3)),
        "tried": page_of_tryout(jb.try_models(X, Y, cv=2, time_limit=2.0, progress="none")),
        "explained": page_of_rows(model.fit(X, Y).explain(X[:1])),
        "hostile": made_page(),
    }


KINDS = ("describe", "evaluate", "compare", "one set", "tried", "explained", "hostile")


class Reader(HTMLParser):
    """Collects tags, attributes and text, and holds every tag to be closed."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.text = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("style", "script"):
            self.text.append(data)


def read(html):
    reader = Reader()
    reader.feed(html)
    assert reader.open == []
    return reader


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_is_whole_and_needs_no_network(pages, kind):
    html = as_html(pages[kind])
    reader = read(html)
    assert not re.search(r"https?://|@import|url\(|\bsrc=", html)
    tags = Counter(tag for tag, _ in reader.tags)
    assert tags["h1"] == tags["main"] == tags["script"] == tags["style"] == 1
    blocks = [b for section in pages[kind].parts_for("screen") for b in section.blocks]
    grids = [b for b in blocks if isinstance(b, Grid)]
    drawn = [b for b in (*blocks, pages[kind].picture) if isinstance(b, Picture)]
    assert tags["table"] == len(grids)
    assert tags["svg"] == len(drawn)
    assert tags["tr"] == sum(1 + len(grid.rows) for grid in grids)


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_can_be_read_without_seeing_it(pages, kind):
    reader = read(as_html(pages[kind]))
    ids = [attrs["id"] for _, attrs in reader.tags if "id" in attrs]
    assert len(set(ids)) == len(ids)
    for tag, attrs in reader.tags:
        for key in ("aria-labelledby", "aria-describedby", "for", "data-for"):
            for name in (attrs.get(key) or "").split():
                assert name in ids, (tag, attrs)
        if tag == "a":
            assert attrs["href"].removeprefix("#") in ids
        if tag == "th":
            assert attrs["scope"] in ("col", "row")
        if tag == "svg":
            assert attrs["role"] == "img"
        if tag == "div" and (attrs.get("class") or "").split()[:1] in (["scroll"], ["drawing"]):
            assert attrs["tabindex"] == "0"
            assert attrs["aria-labelledby"]
    labelled = {attrs["for"] for tag, attrs in reader.tags if tag == "label"}
    assert labelled == {attrs["id"] for tag, attrs in reader.tags if tag == "input"}


def test_what_users_name_is_text_and_never_markup(pages):
    html = as_html(pages["hostile"])
    assert HOSTILE not in html
    assert "".join(read(html).text).count(HOSTILE) >= 12


def entries(page, reader):
    blocks = [block for section in page.parts_for(reader) for block in section.blocks]
    return {e.text for grid in blocks if isinstance(grid, Grid) for row in grid.rows for e in row}


@pytest.mark.parametrize(
    "kind", ["describe", "evaluate", "compare", "one set", "tried", "explained"]
)
def test_markdown_and_terminal_hold_every_field_that_is_for_them(pages, kind):
    text, markdown = as_text(pages[kind], 200), as_markdown(pages[kind])
    assert entries(pages[kind], "screen")
    assert all(entry in markdown for entry in entries(pages[kind], "screen"))
    assert all(entry in text for entry in entries(pages[kind], "terminal"))


def test_failures_are_told_with_their_reason(pages):
    (failed,) = [s for s in pages["compare"].sections if s.title == "What failed"]
    (grid,) = failed.blocks
    told = [(row[0].text, row[1].text, row[2].text) for row in grid.rows]
    assert told == [("first", "one class", "2"), ("second", "one class", "2")]
    assert all("one class variable" in row[3].text for row in grid.rows)


def test_an_infinite_loss_ranks_last_and_is_drawn_nowhere():
    records = tuple(
        {"dataset": d, "model": m, "fold": 0, "error": None, "log_loss": v,
         "fit_seconds": 0.1, "predict_seconds": 0.1}
        for d in ("first", "second")
        for m, v in (("sure", math.inf), ("careful", 0.5))
    )  # fmt: skip
    found = Comparison(("sure", "careful"), ("first", "second"), ("log_loss",), records)
    page = page_of_comparison(found)
    assert page.lead.endswith("By log_loss, careful ranks best.")
    assert "∞" in as_markdown(page)
    assert 'data-order="Infinity"' in as_html(page)
    (times,) = [s for s in page.sections if s.title == "Time"]
    drawing = times.blocks[0].drawing
    assert drawing.description == "Seconds and log_loss: careful 0.20 s, 0.500."


def test_the_closer_look_is_scikit_learn_s_f1_and_its_interval_is_around_it():
    X, Y = many_labels()
    model = jb.MultilabelNB(empty="allow")
    look = evaluate(model, X, Y, cv="66%").look
    ((train, test),) = jb.validation.as_splitter("66%", random_state=0).split(X, Y)
    model.fit(X[train], Y[train])
    expected = f1_score(Y[test], model.predict(X[test]), average=None)
    np.testing.assert_allclose([q.f1 for q in look.labels], expected, rtol=1e-12)
    assert look.test_rows == len(test)
    assert all(q.low < q.f1 < q.high for q in look.labels)
    assert [q.rows for q in look.labels] == Y[test].sum(axis=0).tolist()
    assert look.reliability.error == pytest.approx(
        jb.metrics.calibration_error(Y[test], model.predict_proba(X[test]))
    )


def test_a_tree_of_labels_is_drawn_with_its_gains():
    X, Y = many_labels()
    scores = evaluate(jb.CTBN(), X, Y, cv=2, progress="none")
    look = scores.look
    train, _ = next(jb.validation.as_splitter(2, random_state=0).split(X, Y))
    model = jb.CTBN(random_state=0).fit(X[train], Y[train])
    assert list(look.gains) == list(look.edges)
    for (parent, child), gain in look.gains.items():
        i, j = look.label_names.index(parent), look.label_names.index(child)
        assert gain == model.gains_[i, j] > 0
    (ties,) = [s for s in page_of_scores(scores).sections if s.title == "Ties"]
    assert all(f"{gain:+.1f}" in as_svg(ties.blocks[0].drawing) for gain in look.gains.values())


def test_a_closer_look_at_classes_and_at_many_values():
    X = [["a"], ["b"], ["c"]] * 12
    one = evaluate(jb.TAN(), X, ["x", "y", "z"] * 12, cv=2).look
    assert [q.name for q in one.labels] == ["x", "y", "z"]
    many = evaluate("multilabelnb", X, [["x", "u"], ["y", "v"], ["z", "u"]] * 12, cv=2).look
    assert [q.name for q in many.labels] == ["y0=x", "y0=y", "y0=z", "y1=u", "y1=v"]
    assert {q.f1 for q in one.labels + many.labels} == {1.0}


CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
browser = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium to look at pages with")


@pytest.fixture
def look(tmp_path):
    """Open a page in headless Chromium; return its output, and what its console said."""

    def call(html, *options):
        path = tmp_path / "page.html"
        path.write_text(html, encoding="utf-8")
        flags = (
            "--headless --no-sandbox --disable-gpu --disable-background-networking --disable-sync "
            "--enable-logging=stderr --hide-scrollbars --disable-dev-shm-usage"
        ).split()
        command = [CHROMIUM, *flags, f"--user-data-dir={tmp_path / 'profile'}", *options]
        done = subprocess.run(
            [*command, path.as_uri()], capture_output=True, text=True, check=True, timeout=60
        )
        return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]

    return call


@browser
@pytest.mark.parametrize("kind", KINDS)
def test_a_browser_shows_the_page_without_complaint(look, tmp_path, pages, kind):
    shot = tmp_path / "shot.png"
    size = "--window-size=700,900"
    _, console = look(as_html(pages[kind]), f"--screenshot={shot}", size)
    assert console == []
    pixels = pytest.importorskip("matplotlib.image").imread(shot)[..., :3]
    codes = (pixels * 255).round().astype(int) @ [65536, 256, 1]
    colours, counts = np.unique(codes, return_counts=True)
    ground = counts.max() / counts.sum()
    assert 0.4 < ground < 0.985  # there is a page, and there is something on it
    assert len(colours) > 20


@browser
def test_the_console_is_heard(look):
    _, console = look("<script>undefined_name()</script>", "--dump-dom")
    assert any("undefined_name is not defined" in line for line in console)


PLAY = """<script>
const click = name => [...document.querySelectorAll('thead button')]
  .find(b => b.textContent === name).click();
const names = () => [...document.querySelectorAll('table')[0].tBodies[0].rows]
  .filter(r => !r.hidden).map(r => r.cells[0].textContent).join('');
const seen = [names()];
click('value'); seen.push(names());
click('value'); seen.push(names());
click('name'); seen.push(names());
const input = document.querySelector('input');
input.value = 'B 10'; input.dispatchEvent(new Event('input'));
seen.push(names(), document.querySelector('[role=status]').textContent);
seen.push(document.querySelectorAll('[aria-sort=ascending]').length, document.title.length);
document.body.innerHTML = '<pre>' + seen.join('|') + '</pre>';
</script></body>"""


@browser
def test_tables_are_sorted_and_filtered(look):
    html = as_html(made_page()).replace("</body>", PLAY)
    out, console = look(html, "--dump-dom")
    assert console == []
    seen = re.search("<pre>(.*)</pre>", out)[1].split("|")
    assert seen[:4] == ["abcdefghij", "edajihgbfc", "fbghijadec", "abcdefghij"]
    assert seen[4:7] == ["b", "1 of 10 rows", "1"]
    assert int(seen[7]) == len(HOSTILE)  # the script in the title did not run


@pytest.mark.parametrize("kind", ["describe", "evaluate", "one set", "tried", "explained"])
def test_a_page_begins_with_a_number_and_a_sentence(pages, kind):
    page = pages[kind]
    assert page.figures and page.lead
    html = as_html(page)
    assert html.index('class="figures"') < html.index('class="facts"')
    assert kind == "describe" or html.index("<svg") < html.index('class="facts"')


def test_long_tables_scroll_and_say_so():
    rows = tuple((Entry(f"label {i}"), in_digits(i, 0)) for i in range(174))
    grid = Grid("Labels", ("name", "rows"), rows)
    html = as_html(Page("CAL500", "Many.", (), (Section("Labels", (grid,)),)))
    assert 'class="scroll tall"' in html
    assert "174 rows: scroll within the table." in html
    few = as_html(
        Page("few", "Few.", (), (Section("Labels", (Grid("", ("name", "rows"), rows[:3]),)),))
    )
    assert 'class="scroll tall"' not in few


WIDTH = """<script>
const root = document.documentElement, told = [root.scrollWidth - root.clientWidth];
for (const hint of document.querySelectorAll('.scroll + .hint')) {
  const box = hint.previousElementSibling;
  told.push(box.scrollWidth > box.clientWidth + 1, hint.textContent.includes('sideways'));
}
setTimeout(() => { document.body.innerHTML = '<pre>' + told.join('|') + '</pre>'; }, 0);
</script></body>"""


@browser
def test_a_narrow_page_does_not_overflow(look):
    """Long names wrap or scroll within their tables, which say that they do."""
    name = "a_name_of_" + "_".join(["many", "parts"] * 8)
    cells = tuple(tuple(Entry(f"{name}_{i}_{j}") for j in range(4)) for i in range(3))
    grid = Grid("Wide", ("a", "b", "c", "d"), cells)
    page = Page(name, name, ((name, name),), (Section("Wide", (grid,)),), (Headline("1", name),))
    delayed = WIDTH.replace("<script>", "<script>addEventListener('load', () => setTimeout(() => {")
    delayed = delayed.replace("</script></body>", "}, 200));</script></body>")
    html = as_html(page).replace("</body>", delayed)
    out, console = look(html, "--dump-dom", "--window-size=500,900", "--virtual-time-budget=2000")
    assert console == []
    assert re.search("<pre>(.*)</pre>", out)[1] == "0|true|true"


def test_labels_in_a_chain_are_drawn_as_a_tree_and_others_on_a_circle():
    X, Y = many_labels()
    look = evaluate(jb.CTBN(), X, Y, cv=2).look
    tree = picture_of_ties(look).drawing
    both = replace(look, edges=(("y0", "y2"), ("y1", "y2")), gains={})
    circle = picture_of_ties(both).drawing
    assert tree.description.startswith("3 labels in ")
    assert circle.description == "3 labels, 2 arcs: y0 to y2, y1 to y2."
    names = tuple(f"y{j}" for j in range(40))
    many = replace(look, label_names=names, edges=(("y0", "y1"),), gains={})
    assert picture_of_ties(many).caption.endswith("38 without an arc are not drawn.")


def test_whole_answers_have_a_reliability_curve_of_their_own():
    X, Y = many_labels()
    look = evaluate(jb.BinaryRelevance(), X, Y, cv=3).look
    assert look.joint.weight.sum() == len(Y)
    right = (look.joint.frequency * look.joint.weight).sum()
    scores = evaluate(jb.BinaryRelevance(), X, Y, cv=3)
    hits = sum(f.metrics["subset_accuracy"] * f.test_rows for f in scores.folds)
    assert right == pytest.approx(hits)
    one = evaluate(jb.TAN(), X, Y[:, 0], cv=2).look
    assert one.joint is None


def test_of_many_labels_the_nearest_to_a_change_are_told_in_full():
    rng = np.random.default_rng(0)
    Y = (rng.random((80, 20)) < 0.4).astype(int)
    X = np.where(rng.random((80, 20)) < 0.8, Y, 1 - Y).astype(str)
    why = jb.MultilabelNB().fit(X, Y).explain(X[:1])
    page = page_of_rows(why)
    told = [section.title.split(" = ")[0] for section in page.sections[1:]]
    odds = dict(zip(why.label_names, np.abs(why.log_odds[0]), strict=True))
    assert len(told) == 12
    assert {*told} == {*sorted(odds, key=odds.get)[:12]}
    assert "12 of 20 labels" in as_text(page)
