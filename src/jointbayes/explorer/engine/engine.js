// The engine: a model's tables in, answers out. It knows no page.
'use strict';

function makeEngine(model) {
  const told = LAWS[model.law.kind](model.law, model), p = model.features.length;
  const cells = model.rows.cells ? unpack(model.rows.cells) : new Float64Array(0);
  const {labels, empty} = model, cards = labels.map(l => l.values.length);
  const binary = !model.single && labels.every(l => l.binary);

  // Nothing observed: every cell is missing.
  const blankRow = () => model.features.map(f => f.kind === 'category' ? MISSING : NaN);
  const row = i => Array.from(cells.subarray(i * p, (i + 1) * p));
  const cell = (i, j) => cells[i * p + j];

  // What the page shows of a state; null if what is known is impossible here.
  function ask(cellsOfRow, known) {
    const law = told(cellsOfRow), post = law.posterior(known);
    return post.logZ === -Infinity ? null : question(law, post, known);
  }

  function question(law, post, known) {
    const given = (j, y) => law.posterior(known.map((c, i) => i === j ? y : c));
    let answer = null;
    const best = () => answer || (answer = post.top(1)[0]);
    return {
      post, best,
      surprise: () => known.some(y => y >= 0) ? post.logZ - law.posterior(cards.map(() => -1)).logZ : 0,
      top: k => post.top(k), marginals: post.marginals,
      losses: () => ['subset', 'hamming', ...(binary ? ['f1'] : []),
        ...(binary && cards.length <= LISTED_LABELS ? ['jaccard'] : [])],
      deciding: loss => LOSSES[loss](post, empty),
      decide: loss => atOnce(LOSSES[loss](post, empty)),
      worth: () => worthOfLabels(post, model.usually, given),
      ties: () => model.arcs.map(([a, b]) => tie(post, a, b)),
      why: law.why ? (i, vector) => law.why(i, vector || best().vector, post) : null,
    };
  }

  // The same row, asked again with other labels known.
  function asker(cellsOfRow) {
    const law = told(cellsOfRow);
    return known => {
      const post = law.posterior(known);
      return post.logZ === -Infinity ? null : question(law, post, known);
    };
  }

  return {model, cards, binary, row, cell, blankRow, ask, asker, isEmpty,
    python: (cellsOfRow, known, k) => inPython(model, cellsOfRow, known, k)};
}
