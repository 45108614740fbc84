"""The style sheet of the HTML page, for light, dark and paper, and its one small script.

The script sorts and filters tables; without it the page shows everything in the order given.
"""

from __future__ import annotations

__all__ = ["SCRIPT", "STYLE"]

STYLE = """
:root { color-scheme: light dark;
  --paper:#ffffff; --ink:#1d232b; --muted:#5b6673; --grid:#d5dae0; --band:#f4f6f8; --focus:#0072b2;
  --good:#00694c; --bad:#a83e00; --fill:#9ecbe8; --against:#f3b894;
  --series-0:#0072b2; --series-1:#d55e00; --series-2:#009e73; --series-3:#aa4499;
  --series-4:#b58900; --series-5:#2a9bd4; --series-6:#6b6b6b; }
@media screen and (prefers-color-scheme: dark) { :root {
  --paper:#14181d; --ink:#e7ebf0; --muted:#a3aebb; --grid:#39424d; --band:#1c2229; --focus:#6cb8ee;
  --good:#4fd1a5; --bad:#ff9d66; --fill:#2c5d7d; --against:#8a4a22;
  --series-0:#6cb8ee; --series-1:#ff9d66; --series-2:#3fcf9f; --series-3:#d98cc9;
  --series-4:#e6c34d; --series-5:#8fd0f5; --series-6:#b0b0b0; } }
* { box-sizing: border-box; }
body { margin:0; background:var(--paper); color:var(--ink);
  font:16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
header, main, nav, footer { max-width:84rem; margin:0 auto; padding:0 1.25rem; }
header { padding-top:2rem; }
h1 { font-size:1.7rem; line-height:1.25; margin:0 0 .5rem; text-wrap:balance; }
h2 { font-size:1.25rem; margin:2.5rem 0 .75rem; padding-top:.5rem;
  border-top:1px solid var(--grid); }
p { max-width:46rem; margin:.6rem 0; }
h1, h2, p, dt, caption, nav { overflow-wrap:anywhere; }
.lead { font-size:1.15rem; }
.skip { position:absolute; left:-100rem; }
.skip:focus { left:1rem; top:1rem; background:var(--paper); padding:.5rem; z-index:2; }
:focus-visible { outline:3px solid var(--focus); outline-offset:2px; }
a { color:var(--focus); }
.hero { margin:1.25rem 0; }
@media (min-width:56rem) {
  .pictured { display:grid; gap:2.5rem; align-items:start; grid-template-columns:17rem 1fr; }
  main { display:grid; column-gap:3rem; grid-template-columns:repeat(2, minmax(0, 1fr)); }
  .broad + figure:last-child { grid-column:1 / -1; display:grid; gap:3rem; align-items:center;
    grid-template-columns:minmax(0, 38rem) minmax(0, 1fr); }
  main > section { grid-column:1 / -1; } main > .half { grid-column:auto; } }
.figures { display:grid; gap:.75rem; grid-template-columns:repeat(auto-fit, minmax(9rem, 1fr)); }
.figures p { margin:0; padding:.9rem 1.1rem; background:var(--band); border-radius:.6rem;
  border-left:4px solid var(--series-0); }
.figures b { display:block; font-size:2.3rem; line-height:1.15; font-weight:650;
  font-variant-numeric:tabular-nums; overflow-wrap:anywhere; }
.figures span { color:var(--muted); overflow-wrap:anywhere; }
dl.facts { display:grid; grid-template-columns:repeat(auto-fit, minmax(min(100%, 15rem), 1fr));
  gap:.7rem 2rem; margin:1.25rem 0; padding:1rem 1.25rem; background:var(--band);
  border-radius:.6rem; }
dl.facts > div { min-width:0; }
dl.facts dt { color:var(--muted); font-size:.88rem; }
dl.facts dd { margin:0; overflow-wrap:anywhere; }
nav ul { list-style:none; display:flex; flex-wrap:wrap; gap:.25rem 1.25rem; padding:0; }
.scroll { overflow-x:auto; margin:.25rem 0; }
.scroll.tall { max-height:31rem; overflow-y:auto; border-bottom:1px solid var(--grid); }
.scroll thead th { position:sticky; top:0; background:var(--paper); z-index:1; }
.hint { color:var(--muted); font-size:.88rem; margin:.1rem 0 1rem; }
.hint:empty { display:none; }
.long { display:inline-block; min-width:15rem; }
pre { background:var(--band); padding:1rem 1.25rem; border-radius:.6rem; overflow-x:auto;
  font-size:.9rem; grid-column:1 / -1; margin:.5rem 0; white-space:pre-wrap; }
table { border-collapse:collapse; font-size:.92rem; font-variant-numeric:tabular-nums; }
caption { text-align:left; font-weight:600; padding:.4rem 0; }
caption span { display:inline-block; position:sticky; left:0; max-width:calc(100vw - 3rem); }
th, td { padding:.3rem .8rem; text-align:left; vertical-align:top; }
thead th { border-bottom:2px solid var(--ink); padding:0; white-space:nowrap; }
tbody tr { border-bottom:1px solid var(--grid); }
tbody tr:hover { background:var(--band); }
tbody th { font-weight:500; }
.number { text-align:right; white-space:nowrap; }
thead button { all:unset; cursor:pointer; padding:.3rem .8rem; display:block; width:100%;
  box-sizing:border-box; font-weight:600; }
thead button:focus-visible { outline:3px solid var(--focus); outline-offset:-3px; }
thead .number button { text-align:right; }
thead button::after { content:"\\2195"; color:var(--muted); padding-left:.35em; font-size:.8em; }
th[aria-sort=ascending] button::after { content:"\\2191"; color:var(--ink); }
th[aria-sort=descending] button::after { content:"\\2193"; color:var(--ink); }
.good { color:var(--good); font-weight:600; } .bad { color:var(--bad); font-weight:600; }
.muted, small { color:var(--muted); } td small { font-weight:400; margin-left:.4em; }
.many td small { display:block; margin-left:0; }
@media (max-width:40rem) { td small { display:block; margin-left:0; } }
.search { display:flex; gap:.75rem; align-items:baseline; margin-top:1rem; flex-wrap:wrap; }
.search input { font:inherit; color:inherit; background:var(--paper); padding:.25rem .5rem;
  border:1px solid var(--muted); border-radius:.3rem; min-width:16rem; }
section { display:grid; column-gap:3rem; align-items:start; align-content:start;
  grid-template-columns:repeat(auto-fit, minmax(min(100%, 33rem), 1fr)); }
section.alone { grid-template-columns:minmax(0, 1fr); }
h2, section > p, .broad, figure.wide { grid-column:1 / -1; }
.grid, figure { min-width:0; max-width:100%; }
.grid table { min-width:min(100%, 30rem); } .broad table { min-width:100%; }
figure { margin:.5rem 0 1rem; }
.drawing { overflow:auto; max-height:64rem; }
figure svg { display:block; width:100%; height:auto; }
figure.wide svg { width:auto; }
figcaption { color:var(--muted); max-width:46rem; }
footer { color:var(--muted); margin:3rem auto 2rem; font-size:.9rem; }
.no-script .search { display:none; }
@media print {
  .search, nav, .skip, .hint { display:none; } section { display:block; }
  .scroll, .scroll.tall, .drawing { overflow:visible; max-height:none; }
  figure svg { min-width:0 !important; max-width:100% !important; }
  thead { display:table-header-group; } tr, figure { break-inside:avoid; }
  thead button::after { content:""; } body { font-size:10pt; } table { font-size:8.5pt; }
  h2 { break-after:avoid; }
}
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior:smooth; } }
"""

SCRIPT = """
'use strict';
document.documentElement.classList.remove('no-script');
for (const box of document.querySelectorAll('.scroll, .drawing')) {
  const hint = box.nextElementSibling, rows = hint.textContent;
  const tell = () => {
    const wide = box.scrollWidth > box.clientWidth + 1;
    const tall = box.scrollHeight > box.clientHeight + 1 && !rows;
    const how = wide ? 'Scroll sideways for the rest. ' : tall ? 'Scroll down for the rest.' : '';
    hint.textContent = how + rows;
  };
  tell();
  new ResizeObserver(tell).observe(box);
}
for (const table of document.querySelectorAll('table.sortable')) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const key = (row, j) => row.cells[j].dataset.order ?? '';
  heads.forEach((head, j) => head.querySelector('button').addEventListener('click', () => {
    const up = head.getAttribute('aria-sort') !== 'ascending';
    const rows = [...body.rows];
    const numbers = rows.every(r => key(r, j) === '' || !isNaN(key(r, j)));
    rows.sort((a, b) => {
      const x = key(a, j), y = key(b, j);
      if (x === '' || y === '') return (x === '') - (y === '');
      const order = numbers ? x - y : x.localeCompare(y, undefined, {numeric: true});
      return up ? order : -order;
    });
    body.append(...rows);
    heads.forEach(h => h.setAttribute('aria-sort', 'none'));
    head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
  }));
  const input = document.querySelector(`input[data-for="${table.id}"]`);
  if (!input) continue;
  const told = document.getElementById(input.getAttribute('aria-describedby'));
  input.addEventListener('input', () => {
    const words = input.value.toLowerCase().split(/\\s+/).filter(Boolean);
    let shown = 0;
    for (const row of body.rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every(word => text.includes(word));
      shown += !row.hidden;
    }
    told.textContent = `${shown} of ${body.rows.length} rows`;
  });
}
"""
