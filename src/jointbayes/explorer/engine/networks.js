// Networks of features under one class variable: log P(class, row), whatever is not observed.
'use strict';

const MOST_CELLS = 1 << 22;

function networkOf(packed) {
  const factors = packed.factors.map(f => ({of: f.of, table: unpack(f.table)}));
  const cards = packed.cards, C = packed.classes, prior = unpack(packed.prior);
  const below = cards.map(() => []);
  factors.forEach((f, i) => f.of.slice(0, -1).forEach(j => below[j].push(i)));
  const inner = cards.map((_, j) => below[j].length > 0);
  return {factors, cards, C, prior, below, inner, order: packed.order};
}

function place(factor, cards, codes) {
  let at = 0;
  for (const j of factor.of) at = at * cards[j] + codes[j];
  return at;
}

// What each feature adds if all that others depend on is observed.
function terms(net, codes) {
  return net.factors.map((f, i) => {
    if (codes[i] === net.cards[i]) return new Float64Array(net.C);
    const at = place(f, net.cards, codes) * net.C;
    return f.table.slice(at, at + net.C);
  });
}

function scoreNetwork(net, codes) {
  if (net.inner.some((inner, j) => inner && codes[j] === net.cards[j])) return sumOut(net, codes);
  const out = Array.from(net.prior);
  for (const term of terms(net, codes)) for (let c = 0; c < net.C; c++) out[c] += term[c];
  return out;
}

// Features that are not observed and have nothing observed below them drop out.
function barren(net, codes) {
  const out = new Set();
  for (const i of [...net.order].reverse())
    if (codes[i] === net.cards[i] && net.below[i].every(j => out.has(j))) out.add(i);
  return out;
}

function sumOut(net, codes) {
  const gone = barren(net, codes), C = net.C;
  const hidden = net.order.filter(i => codes[i] === net.cards[i] && !gone.has(i));
  let parts = net.factors.filter((_, i) => !gone.has(i)).map(f => gathered(net, f, codes));
  while (hidden.length) {
    const sizes = hidden.map(v => product(scopeWith(parts, v).map(u => net.cards[u])));
    const v = hidden.splice(sizes.indexOf(Math.min(...sizes)), 1)[0];
    const near = parts.filter(part => part.scope.includes(v));
    if (Math.min(...sizes) * C > MOST_CELLS)
      throw new Refusal('Too many features that others depend on are not observed to sum them out here.');
    parts = parts.filter(part => !part.scope.includes(v));
    parts.push(summed(net, scopeWith(near, v), near, v));
  }
  const out = Array.from(net.prior);
  for (const part of parts) for (let c = 0; c < C; c++) out[c] += part.table[c];
  return out;
}

function scopeWith(parts, v) {
  const scope = new Set([v]);
  for (const part of parts) if (part.scope.includes(v)) part.scope.forEach(u => scope.add(u));
  return [...scope];
}

// The entries of a table that the row picks, over its features that are not observed.
function gathered(net, factor, codes) {
  const scope = factor.of.filter(j => codes[j] === net.cards[j]);
  const cells = product(scope.map(j => net.cards[j])), table = new Float64Array(cells * net.C);
  const full = codes.slice();
  for (let cell = 0; cell < cells; cell++) {
    decode(scope, net.cards, cell, full);
    const at = place(factor, net.cards, full) * net.C;
    table.set(factor.table.subarray(at, at + net.C), cell * net.C);
  }
  return {scope, table};
}

function decode(scope, cards, cell, out) {
  for (let i = scope.length - 1; i >= 0; i--) {
    out[scope[i]] = cell % cards[scope[i]];
    cell = Math.floor(cell / cards[scope[i]]);
  }
}

// log Σ over v of the product of parts, over the rest of the scope (v comes first in it).
function summed(net, scope, parts, v) {
  const rest = scope.filter(u => u !== v), C = net.C, k = net.cards[v];
  const cells = product(rest.map(u => net.cards[u])), table = new Float64Array(cells * C);
  const at = new Array(net.cards.length).fill(0), values = new Float64Array(k);
  for (let cell = 0; cell < cells; cell++) {
    decode(rest, net.cards, cell, at);
    for (let c = 0; c < C; c++) {
      for (at[v] = 0; at[v] < k; at[v]++) {
        values[at[v]] = 0;
        for (const part of parts) {
          let index = 0;
          for (const u of part.scope) index = index * net.cards[u] + at[u];
          values[at[v]] += part.table[index * C + c];
        }
      }
      table[cell * C + c] = logSum(values);
    }
  }
  return {scope: rest, table};
}

// What each feature adds; where parents are missing, given what was observed before it.
function contributions(net, codes) {
  if (!net.inner.some((inner, j) => inner && codes[j] === net.cards[j])) return terms(net, codes);
  const shown = net.cards.slice(), out = [];
  let before = sumOut(net, shown);
  for (const i of net.order) {
    shown[i] = codes[i];
    const after = sumOut(net, shown);
    out[i] = after.map((x, c) => x - before[c]);
    before = after;
  }
  return out;
}

// The members of a model of one class variable: {name, weight, prior, scores, terms()}.
const MIXTURES = {
  one(law) {
    const net = networkOf(law.members[0]);
    return codes => [{weight: 1, prior: net.prior, scores: scoreNetwork(net, codes),
      terms: () => contributions(net, codes)}];
  },
  // One network for each value of the class.
  columns(law) {
    const nets = law.members.map(networkOf), prior = unpack(law.prior);
    return codes => [{weight: 1, prior,
      scores: nets.map((net, c) => scoreNetwork(net, codes)[0] + prior[c]),
      terms: () => {
        const each = nets.map(net => contributions(net, codes));
        return codes.map((_, i) => each.map(terms => terms[i][0]));
      }}];
  },
  average(law) {
    const nets = law.members.map(networkOf), weights = unpack(law.weights);
    return codes => nets.map((net, i) => ({weight: weights[i], prior: net.prior,
      scores: normalized(scoreNetwork(net, codes)), terms: () => contributions(net, codes)}));
  },
  parents(law) { return everyParent(law); },
};

// Each feature in turn the parent of all others; naive Bayes where none can be.
function everyParent(law) {
  const joint = unpack(law.joint), child = unpack(law.child), W = law.width, C = law.classes;
  const alone = networkOf(law.members[0]), prior = alone.prior;
  return codes => {
    const places = codes.map((code, i) => law.start[i] + code), members = [];
    places.forEach((at, parent) => {
      if (joint[at * C] === -Infinity) return;
      const part = (i, c) => i === parent ? joint[at * C + c] - prior[c]
        : child[(at * W + places[i]) * C + c];
      const every = places.map((_, i) => Array.from(prior, (_, c) => part(i, c)));
      const scores = Array.from(prior, (x, c) => every.reduce((sum, t) => sum + t[c], x));
      members.push({weight: 1, prior, scores, terms: () => every});
    });
    return members.length ? members : [{weight: 1, prior, scores: scoreNetwork(alone, codes),
      terms: () => contributions(alone, codes)}];
  };
}

function mixed(members) {
  const shares = members.map(m => Math.log(m.weight));
  return normalized(members[0].scores.map((_, c) => logSum(members.map((m, i) => m.scores[c] + shares[i]))));
}
