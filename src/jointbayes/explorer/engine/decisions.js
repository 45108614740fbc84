// From a distribution to the answer that costs least, and to what is worth asking.
'use strict';

const LISTED_LABELS = 12;

const isEmpty = vector => vector.every(y => y === 0);

// The mode; its runner-up where the mode is empty and must not be, however improbable that is.
function bestAllowed(post, empty) {
  const best = post.top(empty === 'forbid' ? 2 : 1);
  if (empty !== 'forbid' || !isEmpty(best[0].vector)) return best[0];
  return best[1] || {vector: post.cards.map((_, j) => j === post.cards.length - 1 ? 1 : 0), logP: -Infinity};
}

// Each in parts that end with a yield, where whoever asks may attend to something else.
const LOSSES = {
  * subset(post, empty) {
    const best = bestAllowed(post, empty);
    return {vector: best.vector, cost: -Math.expm1(best.logP)};
  },
  * hamming(post, empty) {
    const marginals = post.marginals(), vector = marginals.map(argmax);
    if (empty === 'forbid' && isEmpty(vector)) vector[argmax(marginals.map(p => p[1]))] = 1;
    const right = vector.reduce((sum, y, j) => sum + marginals[j][y], 0) / vector.length;
    return {vector, cost: 1 - right};
  },
  f1: leastF1,
  jaccard: leastJaccard,
};

// A set of t labels is worth Σ_j Δ_jt over its labels: the best one holds the t largest.
function* leastF1(post, empty) {
  const sizes = yield* post.sizes(), d = sizes.length, candidates = [];
  if (empty === 'allow') {
    const nothing = new Array(d).fill(0);
    candidates.push({vector: nothing, worth: Math.exp(post.logProb(nothing))});
  }
  for (let t = 1; t <= d; t++) {
    const delta = sizes.map(p => p.reduce((sum, x, s) => sum + 2 * x / (s + t), 0));
    const order = delta.map((_, j) => j).sort((a, b) => delta[a] - delta[b] || a - b).slice(d - t);
    const vector = new Array(d).fill(0);
    order.forEach(j => { vector[j] = 1; });
    candidates.push({vector, worth: order.reduce((sum, j) => sum + delta[j], 0)});
  }
  candidates.sort((a, b) => b.worth - a.worth || compareVectors(a.vector, b.vector));
  return {vector: candidates[0].vector, cost: 1 - candidates[0].worth};
}

// All sets against all sets, as bits, the first label the highest.
function* leastJaccard(post, empty) {
  const d = post.cards.length, m = 1 << d, p = new Float64Array(m), ones = new Uint8Array(m);
  const vector = i => post.cards.map((_, j) => i >> (d - 1 - j) & 1);
  for (let i = 0; i < m; i++) {
    ones[i] = (i & 1) + (i ? ones[i >> 1] : 0);
    p[i] = Math.exp(post.logProb(vector(i)));
  }
  const some = [];
  for (let i = 0; i < m; i++) if (p[i] > 0) some.push(i);
  let best = -1, most = -Infinity;
  for (let a = empty === 'forbid' ? 1 : 0; a < m; a++) {
    let worth = 0;
    for (const y of some) worth += a | y ? p[y] * ones[a & y] / ones[a | y] : p[y];
    if (worth > most) { most = worth; best = a; }
    if (a % 64 === 0) yield;
  }
  return {vector: vector(best), cost: 1 - most};
}

// By how much the answer for a label makes the best set likelier to be right, label by label.
function worthOfLabels(post, empty, given) {
  const {cards, known} = post, marginals = post.marginals(), most = post.maxMarginals();
  const now = Math.exp(bestAllowed(post, empty).logP);
  const nothing = empty === 'forbid' ? post.logProb(new Array(cards.length).fill(0)) : -Infinity;
  return cards.map((k, j) => {
    if (known[j] >= 0) return 0;
    let after = 0;
    for (let c = 0; c < k; c++) {
      if (marginals[j][c] === 0) continue;
      const emptied = c === 0 && nothing >= most[j][0] - 1e-9;
      after += emptied ? marginals[j][0] * Math.exp(bestAllowed(given(j, 0), empty).logP)
        : Math.exp(most[j][c]);
    }
    return Math.max(after - now, 0);
  });
}

// Mutual information of two labels, in bits, given the row and what is known.
function tie(post, a, b) {
  const joint = post.pair(a, b);
  if (!joint) return null;
  const kb = post.cards[b], pa = new Array(post.cards[a]).fill(0), pb = new Array(kb).fill(0);
  joint.forEach((x, i) => { pa[Math.floor(i / kb)] += x; pb[i % kb] += x; });
  let bits = 0;
  joint.forEach((x, i) => { if (x > 0) bits += x * Math.log2(x / (pa[Math.floor(i / kb)] * pb[i % kb])); });
  return Math.max(bits, 0);
}
