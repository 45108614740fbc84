// A list of label vectors with their log-probabilities; all others have probability 0.
'use strict';

function listPosterior(cards, vectors, logP, known) {
  const d = cards.length, m = logP.length;
  const own = Float64Array.from(logP);
  for (let j = 0; j < d; j++) {
    if (known[j] < 0) continue;
    for (let i = 0; i < m; i++) if (vectors[i * d + j] !== known[j]) own[i] = -Infinity;
  }
  const logZ = logSum(own), p = own.map(x => Math.exp(x - logZ));
  const vector = i => Array.from(vectors.subarray(i * d, (i + 1) * d));
  let places = null;

  function marginals() {
    const out = cards.map(k => new Array(k).fill(0));
    for (let i = 0, at = 0; i < m; i++, at += d)
      if (p[i]) for (let j = 0; j < d; j++) out[j][vectors[at + j]] += p[i];
    return out;
  }

  function maxMarginals() {
    const out = cards.map(k => new Array(k).fill(-Infinity));
    for (let i = 0, at = 0; i < m; i++, at += d)
      for (let j = 0; j < d; j++) {
        const y = vectors[at + j];
        if (own[i] - logZ > out[j][y]) out[j][y] = own[i] - logZ;
      }
    return out;
  }

  function logProb(wanted) {
    places = places || new Map(Array.from(own, (_, i) => [vector(i).join(), i]));
    const at = places.get(wanted.join());
    return at === undefined ? -Infinity : own[at] - logZ;
  }

  function top(k) {
    const best = [];
    for (let i = 0; i < m; i++) {
      if (own[i] === -Infinity || (best.length === k && own[i] <= own[best[k - 1]])) continue;
      let at = best.length;
      while (at > 0 && own[best[at - 1]] < own[i]) at--;
      best.splice(at, 0, i);
      if (best.length > k) best.pop();
    }
    return best.map(i => ({vector: vector(i), logP: own[i] - logZ}));
  }

  function* sizes() {  // in one go: the list is short
    const out = cards.map(() => new Array(d + 1).fill(0));
    for (let i = 0, at = 0; i < m; i++, at += d) {
      let size = 0;
      for (let j = 0; j < d; j++) size += vectors[at + j];
      for (let j = 0; j < d; j++) if (vectors[at + j]) out[j][size] += p[i];
    }
    return out;
  }

  function pair(a, b) {
    const out = new Float64Array(cards[a] * cards[b]);
    for (let i = 0, at = 0; i < m; i++, at += d) out[vectors[at + a] * cards[b] + vectors[at + b]] += p[i];
    return out;
  }

  return {logZ, cards, known, marginals, maxMarginals, logProb, top, sizes, pair};
}

// All label vectors in order, the first label the slowest.
function everyVector(cards) {
  const d = cards.length, m = product(cards), out = new Uint8Array(m * d);
  for (let i = 0; i < m; i++)
    for (let j = d - 1, rest = i; j >= 0; j--) {
      out[i * d + j] = rest % cards[j];
      rest = Math.floor(rest / cards[j]);
    }
  return out;
}
