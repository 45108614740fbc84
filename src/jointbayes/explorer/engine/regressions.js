// Logistic regressions on the same columns: log P(value | row) of many targets.
'use strict';

function regressionsOf(packed) {
  const unit = unpack(packed.unit), mean = unpack(packed.mean), factor = unpack(packed.factor);
  const W = unpackRows(packed.W), m = unit.length, outcomes = packed.outcomes;
  const widths = outcomes.map(widthOf), K = widths.reduce((a, b) => a + b, 0);
  const starts = widths.map((_, t) => widths.slice(0, t).reduce((a, b) => a + b, 0));

  function scaled(numbers) {
    const out = new Float64Array(m);
    for (let j = 0; j < m; j++) {
      const x = (numbers[j] / unit[j] - mean[j]) * factor[j];
      out[j] = Number.isNaN(x) ? 0 : Math.min(Math.max(x, -1e100), 1e100);
    }
    return out;
  }

  function predictors(columns) {
    const z = W.slice(m * K, (m + 1) * K);
    for (let j = 0; j < m; j++) {
      const x = columns[j];
      if (x === 0) continue;
      for (let k = 0, at = j * K; k < K; k++, at++) z[k] += x * W[at];
    }
    return z;
  }

  const logProba = (z, t) =>
    spread(outcomes[t], logSoftmax(z.subarray(starts[t], starts[t] + widths[t])));

  // Slopes and level of each value of a target; b of the average row.
  function lines(t) {
    const outcome = outcomes[t], width = widths[t];
    const slopes = Array.from({length: outcome.card}, () => new Float64Array(m));
    const levels = new Array(outcome.card).fill(0);
    const told = width ? outcome.values.slice(-width) : [];
    told.forEach((value, k) => {
      for (let j = 0; j < m; j++) slopes[value][j] = W[j * K + starts[t] + k];
      levels[value] = W[m * K + starts[t] + k];
    });
    if (outcome.values.length > 0 && outcome.values.length < outcome.card) {
      const flat = spread(outcome, new Array(outcome.values.length).fill(0));
      for (let v = 0; v < outcome.card; v++)
        if (!outcome.values.includes(v)) levels[v] = flat[v] - flat[outcome.values[0]];
    }
    return {slopes, levels};
  }

  // What a unit more of column j adds to the predictors, column k.
  const slope = (j, k) => factor[j] / unit[j] * W[j * K + k];

  return {scaled, predictors, logProba, lines, slope, outcomes, widths, starts, K, m};
}

function widthOf(outcome) {
  const n = outcome.values.length;
  return n === 2 ? 1 : n > 2 ? n : 0;
}

function logSoftmax(z) {
  if (z.length === 0) return [0];
  return normalized(z.length === 1 ? [0, z[0]] : Array.from(z));
}

// Values that did not occur get the smoothed frequency; those that did share the rest.
function spread(outcome, logP) {
  if (outcome.values.length === outcome.card) return logP;
  const unseen = 1 / outcome.card / (outcome.n + 1);
  const out = new Array(outcome.card).fill(Math.log(unseen));
  if (outcome.n === 0) return out;
  const left = Math.log1p(-(outcome.card - outcome.values.length) * unseen);
  outcome.values.forEach((value, k) => { out[value] = logP[k] + left; });
  return out;
}

// The terms of a label whose regressions are `targets`, `chosen` of which holds.
function regressionTerms(found, reader, columns, numbers, targets, chosen, p) {
  const every = targets.map(found.lines), own = every[chosen], outcome = found.outcomes[targets[chosen]];
  const weight = targets.map(t => found.outcomes[t].n), total = weight.reduce((a, b) => a + b, 0);
  const card = outcome.card, further = found.m - reader.columns, terms = [];
  for (let v = 0; v < card; v++) {
    const usual = every.reduce((sum, line, i) => sum + weight[i] / total * line.levels[v], 0);
    const parts = columns.map((x, j) => x * own.slopes[v][j]);
    terms.push({
      base: usual, told: own.levels[v] - usual,
      columns: Array.from(parts.subarray(parts.length - further)),
      features: byFeature(reader, numbers, parts, p),
      score: own.levels[v] + parts.reduce((a, b) => a + b, 0), rest: 0,
    });
  }
  if (widthOf(outcome) && outcome.values.length < card) {
    const seen = logSum(outcome.values.map(v => terms[v].score));
    for (let v = 0; v < card; v++) if (!outcome.values.includes(v)) terms[v].rest = seen;
  }
  return terms;
}
