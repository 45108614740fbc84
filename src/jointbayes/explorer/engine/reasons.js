// Why a label has its value: its log-odds against the best other value, as a sum.
//
// {answer, other, base, features: [p], others: [{labels, value, after}], rest, total}, where
// `after` marks labels that depend on this one: how much better they fit the answer.
'use strict';

const less = (a, b) => a === b ? 0 : a - b;

// From the terms of every value of a label to the difference of two.
function against(terms, own, p) {
  const total = terms.map(t => t.base + t.rest + sumOf(t.features) + t.others.reduce((s, o) => s + o.value, 0));
  let other = own;
  total.forEach((x, v) => {
    if (v !== own && (other === own || Math.max(x, -Number.MAX_VALUE) > Math.max(total[other], -Number.MAX_VALUE)))
      other = v;
  });
  const a = terms[own], b = terms[other], features = new Array(p);
  for (let j = 0; j < p; j++) features[j] = a.features[j] - b.features[j];
  const others = a.others.map((o, i) => ({...o, value: less(o.value, b.others[i].value)}));
  const base = a.base - b.base, rest = less(a.rest, b.rest);
  const sum = base + rest + sumOf(features) + others.reduce((s, o) => s + o.value, 0);
  return {answer: own, other, base, features, others, rest, total: sum};
}

const sumOf = numbers => { let sum = 0; for (const x of numbers) sum += x; return sum; };

function whyClass(members, logP, own, p) {
  const weights = members.map(m => m.weight), total = sumOf(weights);
  let other = own;
  logP.forEach((x, c) => { if (c !== own && (other === own || x > logP[other])) other = c; });
  const features = new Array(p).fill(0);
  let base = 0;
  members.forEach((m, i) => {
    const share = weights[i] / total;
    if (share === 0) return;
    base += share * (m.prior[own] - m.prior[other]);
    m.terms().forEach((t, j) => { features[j] += share * (t[own] - t[other]); });
  });
  const odds = logP[own] - logP[other];
  const rest = members.length > 1 ? odds - base - sumOf(features) : 0;
  return {answer: own, other, base, features, others: [], rest, total: base + sumOf(features) + rest};
}

function whyNetwork(i, answer, shared, evidence, codes, cards, p) {
  const terms = Array.from({length: cards[i]}, (_, v) => {
    const y = answer.slice(), features = new Array(p).fill(0), others = [];
    y[i] = v;
    let base = 0;
    for (const f of shared) {
      const at = f.scope.indexOf(i);
      if (at < 0) continue;
      const first = f.scope.slice(0, at).reduce((sum, u) => sum + cards[u], 0);
      const usual = f.usual[first + v], labels = f.scope.filter(u => u !== i);
      base += usual;
      if (labels.length) others.push({labels, value: f.table[placeOf(f.scope, cards, y)] - usual, after: false});
      else base += f.table[v] - usual;
    }
    for (const e of evidence) {
      if (!e.scope.includes(i)) continue;
      const cell = placeOf(e.scope, cards, y);
      for (const f of e.features) features[f.j] += e.term(f, codes, cell);
    }
    return {base, features, others, rest: 0};
  });
  return against(terms, answer[i], p);
}

function whyTree(i, answer, law, given, termsOf) {
  const parent = law.parents[i], first = law.first || [];
  const terms = termsOf(law.targets[i])(parent < 0 ? 0 : answer[parent]).map((t, v) => {
    const others = parent < 0 ? [] : [{labels: [parent], value: t.told, after: false}];
    opinionsByLabel(first, t.columns).forEach(({label, value}) => others.push({labels: [label], value, after: false}));
    law.parents.forEach((above, c) => {
      if (above === i) others.push({labels: [c], value: given[c][v][answer[c]], after: true});
    });
    return {base: t.base + (parent < 0 ? t.told : 0), features: t.features, others, rest: t.rest};
  });
  return against(terms, answer[i], terms[0].features.length);
}

// What first opinions say, label by label; `first` has the label of every further column.
function opinionsByLabel(first, columns) {
  const out = new Map();
  first.forEach((label, k) => out.set(label, (out.get(label) || 0) + columns[k]));
  return [...out].map(([label, value]) => ({label, value}));
}

function whyChain(i, answer, chain, reader, numbers, cards, p) {
  const {found, order} = chain, place = order.indexOf(i), starts = columnStarts(order, cards, found.m);
  const full = new Float64Array(found.m), of = [];
  full.set(numbers);
  order.forEach((label, t) => {
    const width = cards[label] === 2 ? 1 : cards[label];
    for (let c = 0; c < width; c++) of.push(label);
    if (cards[label] === 2) full[starts[t]] = answer[label];
    else full[starts[t] + answer[label]] = 1;
  });
  const own = regressionTerms(found, reader, found.scaled(full), numbers, [place], 0, p);
  const terms = own.map((t, v) => {
    const others = opinionsByLabel(of, t.columns).filter(o => order.indexOf(o.label) < place)
      .map(o => ({labels: [o.label], value: o.value, after: false}));
    laterLabels(chain, numbers, cards, starts, answer, place, v)
      .forEach((value, k) => others.push({labels: [order[place + 1 + k]], value, after: true}));
    return {base: t.base + t.told, features: t.features, others, rest: t.rest};
  });
  return against(terms, answer[i], p);
}

function laterLabels(chain, numbers, cards, starts, answer, place, value) {
  const {found, order} = chain, blank = new Float64Array(found.m), out = [];
  blank.set(numbers);
  let z = found.predictors(found.scaled(blank));
  order.forEach((label, t) => {
    const y = t === place ? value : answer[label];
    if (t > place) out.push(found.logProba(z, t)[y]);
    z = afterLabel(found, z, starts[t], cards[label], y);
  });
  return out;
}

const vectorTerms = terms => terms.map(t => ({base: t.base + t.told, features: t.features, others: [], rest: t.rest}));

// The answer against the best set in which the label has another value.
function whySet(i, answer, vectors, post, terms) {
  const own = vectors.findIndex(v => compareVectors(v, answer) === 0);
  const known = post.known.slice();
  let other = own, best = -Infinity;
  terms.forEach((t, s) => {
    const agrees = known.every((c, j) => j === i || c < 0 || vectors[s][j] === c);
    const score = t.base + t.rest + sumOf(t.features);
    if (vectors[s][i] !== answer[i] && agrees && score > best) { best = score; other = s; }
  });
  const told = against([terms[own], terms[other]], 0, terms[own].features.length);
  return own === other ? null : {...told, answer: answer[i], other: vectors[other][i], set: vectors[other]};
}
