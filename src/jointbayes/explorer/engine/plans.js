// Elimination along a plan: sums, maxima, the k best and counts of a product of tables over labels.
//
// A step has the table T(y, s) of all that mentions its label, y its value and s the values of its
// separator; its place is y · |s| + s. It leaves P(y | s) = exp(T(y, s) − m(s)) and the message m.
'use strict';

function planOf(packed) {
  const cards = packed.cards, size = scope => product(scope.map(v => cards[v]));
  const at = new Map(packed.steps.map(([v], i) => [v, i]));
  const steps = packed.steps.map(([variable, separator, tables, children]) => {
    const clique = [variable, ...separator];
    return {variable, separator, children, clique, cells: size(clique), width: size(separator),
      tables: tables.map(t => [t, placesIn(clique, packed.scopes[t], cards)])};
  });
  for (const step of steps) {
    step.messages = step.children.map(c => [c, placesIn(step.clique, steps[at.get(c)].separator, cards)]);
    if (step.separator.length) {
      const above = Math.min(...step.separator.map(v => at.get(v)));
      step.above = steps[above].variable;
      step.fromAbove = placesIn(steps[above].clique, step.separator, cards);
    }
  }
  return {cards, steps, scopes: packed.scopes, roots: steps.filter(s => !s.separator.length), at};
}

// For each cell over `clique`, the cell over `scope`, whose variables are among its own.
function placesIn(clique, scope, cards) {
  const strides = new Array(clique.length).fill(0);
  let stride = 1;
  for (let i = scope.length - 1; i >= 0; i--) {
    strides[clique.indexOf(scope[i])] = stride;
    stride *= cards[scope[i]];
  }
  const out = new Int32Array(product(clique.map(v => cards[v])));
  const code = new Array(clique.length).fill(0);
  for (let cell = 0, place = 0; cell < out.length; cell++) {
    out[cell] = place;
    for (let i = clique.length - 1; i >= 0; i--) {
      place += strides[i];
      if (++code[i] < cards[clique[i]]) break;
      place -= strides[i] * cards[clique[i]];
      code[i] = 0;
    }
  }
  return out;
}

function placeOf(scope, cards, vector) {
  let at = 0;
  for (const v of scope) at = at * cards[v] + vector[v];
  return at;
}

// T of a step: tables and messages, −∞ where a known label has another value.
function cliqueTable(step, tables, messages, known) {
  const T = new Float64Array(step.cells);
  for (const [t, places] of step.tables) {
    const table = tables[t];
    for (let i = 0; i < T.length; i++) T[i] += table[places[i]];
  }
  for (const [child, places] of step.messages) {
    const message = messages[child];
    for (let i = 0; i < T.length; i++) T[i] += message[places[i]];
  }
  const fixed = known[step.variable], S = step.width;
  if (fixed >= 0) T.fill(-Infinity, 0, fixed * S).fill(-Infinity, (fixed + 1) * S);
  return T;
}

// Upwards with sums: log Z, and P(y | s) of every step.
function sumUpwards(plan, tables, known) {
  const messages = [], conditionals = [];
  for (const step of plan.steps) {
    const T = cliqueTable(step, tables, messages, known), S = step.width, n = T.length;
    const m = new Float64Array(S);
    for (let s = 0; s < S; s++) {
      let top = -Infinity, total = 0;
      for (let i = s; i < n; i += S) if (T[i] > top) top = T[i];
      m[s] = top;
      if (top === -Infinity) { for (let i = s; i < n; i += S) T[i] = 0; continue; }
      for (let i = s; i < n; i += S) total += T[i] = Math.exp(T[i] - top);
      for (let i = s; i < n; i += S) T[i] /= total;
      m[s] += Math.log(total);
    }
    messages[step.variable] = m;
    conditionals[step.variable] = T;
  }
  return {total: plan.roots.reduce((sum, r) => sum + messages[r.variable][0], 0), conditionals};
}

// Upwards with maxima: the largest sum, and what every other value costs, as T(y, s) − m(s).
function maxUpwards(plan, tables, known) {
  const messages = [], conditionals = [];
  for (const step of plan.steps) {
    const T = cliqueTable(step, tables, messages, known), S = step.width, n = T.length;
    const m = new Float64Array(S);
    for (let s = 0; s < S; s++) {
      let top = -Infinity;
      for (let i = s; i < n; i += S) if (T[i] > top) top = T[i];
      m[s] = top;
      for (let i = s; i < n; i += S) T[i] = top === -Infinity ? top : T[i] - top;
    }
    messages[step.variable] = m;
    conditionals[step.variable] = T;
  }
  return {total: plan.roots.reduce((sum, r) => sum + messages[r.variable][0], 0), conditionals};
}

function planPosterior(plan, tables, known) {
  const {cards} = plan, d = cards.length;
  const sums = sumUpwards(plan, tables, known), p = sums.conditionals;
  let best = null, joint = null;
  const maxima = () => best || (best = maxUpwards(plan, tables, known));

  // Of every clique P(y, s), root first.
  function beliefs() {
    if (joint) return joint;
    joint = [];
    for (let i = plan.steps.length - 1; i >= 0; i--) {
      const step = plan.steps[i], own = p[step.variable].slice();
      if (step.separator.length) {
        const above = joint[step.above], outside = new Float64Array(step.width);
        for (let c = 0; c < above.length; c++) outside[step.fromAbove[c]] += above[c];
        for (let c = 0, s = 0; c < own.length; c++, s++) {
          if (s === step.width) s = 0;
          own[c] *= outside[s];
        }
      }
      joint[step.variable] = own;
    }
    return joint;
  }

  function marginals() {
    const found = beliefs();
    return plan.cards.map((k, v) => {
      const width = plan.steps[plan.at.get(v)].width, out = new Array(k).fill(0);
      for (let c = 0; c < found[v].length; c++) out[Math.floor(c / width)] += found[v][c];
      return out;
    });
  }

  // The largest log P(y) with each value of each label.
  function maxMarginals() {
    const {conditionals, total} = maxima(), found = [], out = [];
    for (let i = plan.steps.length - 1; i >= 0; i--) {
      const step = plan.steps[i], own = conditionals[step.variable].slice(), S = step.width;
      if (step.separator.length) {
        const above = found[step.above], outside = new Float64Array(S).fill(-Infinity);
        for (let c = 0; c < above.length; c++) {
          const s = step.fromAbove[c];
          if (above[c] > outside[s]) outside[s] = above[c];
        }
        for (let c = 0; c < own.length; c++) own[c] += outside[c % S];
      }
      found[step.variable] = own;
      const top = out[step.variable] = new Array(cards[step.variable]).fill(-Infinity);
      for (let c = 0; c < own.length; c++) {
        const y = Math.floor(c / S);
        if (own[c] > top[y]) top[y] = own[c];
      }
    }
    return out.map(top => top.map(x => x + total - sums.total));
  }

  function logProb(vector) {
    if (vector.some((y, v) => known[v] >= 0 && known[v] !== y)) return -Infinity;
    let total = -sums.total;
    plan.scopes.forEach((scope, t) => { total += tables[t][placeOf(scope, cards, vector)]; });
    return total;
  }

  // Best first, roots before what hangs on them: each choice costs m(s) − T(y, s), and to go on at
  // no cost is always possible, so whatever is complete and cheapest is next best of all.
  function top(k) {
    const {conditionals} = maxima(), order = [...plan.steps].reverse(), found = [];
    const heap = [{cost: 0, depth: 0, vector: new Array(d).fill(0)}];
    while (heap.length && found.length < k) {
      const least = popLeast(heap);
      if (least.depth === d) { found.push(least.vector); continue; }
      const step = order[least.depth], s = placeOf(step.separator, cards, least.vector);
      for (let y = 0; y < cards[step.variable]; y++) {
        const cost = least.cost - conditionals[step.variable][y * step.width + s];
        if (cost === Infinity) continue;
        const vector = least.vector.slice();
        vector[step.variable] = y;
        heap.push({cost, depth: least.depth + 1, vector});
      }
    }
    return ranked(found, logProb);
  }

  // P(Y_a, Y_b) where one clique holds both; null where none does.
  function pair(a, b) {
    const step = plan.steps.find(s => s.clique.includes(a) && s.clique.includes(b));
    if (!step) return null;
    const places = placesIn(step.clique, [a, b], cards), out = new Float64Array(cards[a] * cards[b]);
    beliefs()[step.variable].forEach((x, c) => { out[places[c]] += x; });
    return out;
  }

  return {logZ: sums.total, cards, known, marginals, maxMarginals, logProb, top, pair, sizes: () => countRelevant(plan, p)};
}

function popLeast(heap) {
  let at = 0;
  for (let i = 1; i < heap.length; i++) {
    const by = heap[i].cost - heap[at].cost;
    if (by < 0 || (by === 0 && heap[i].depth > heap[at].depth)) at = i;
  }
  const least = heap[at], last = heap.pop();
  if (at < heap.length) heap[at] = last;
  return least;
}

function ranked(vectors, logProb) {
  return vectors.map(vector => ({vector, logP: logProb(vector)}))
    .sort((a, b) => b.logP - a.logP || compareVectors(a.vector, b.vector));
}
