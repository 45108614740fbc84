// From a row to the distribution of its labels, one law for each family of models.
//
// A law makes of a row what it tells: {posterior(known), why(label, answer, posterior)}.
'use strict';

const LAWS = {
  // One class variable: the mixture of some networks of features.
  network(law, model) {
    const reader = codeReader(model.reader), members = MIXTURES[law.mixture](law);
    const plan = planOf({cards: [model.labels[0].values.length], scopes: [[0]], steps: [[0, [], [0], []]]});
    return row => {
      const found = members(reader.codes(row)), logP = Float64Array.from(mixed(found));
      return {posterior: known => planPosterior(plan, [logP], known),
        why: (_, answer) => whyClass(found, logP, answer[0], row.length)};
    };
  },

  // Several class variables: tables over labels, and those that the features of a row pick.
  graph(law, model) {
    const reader = codeReader(model.reader), plan = planOf(law.plan), {cards} = plan;
    const shared = law.shared.map(f => ({...f, table: unpack(f.table), usual: unpack(f.usual)}));
    const evidence = law.evidence.map(e => evidenceOf(e, reader.variables, cards));
    const base = plan.scopes.map(scope => new Float64Array(product(scope.map(v => cards[v]))));
    for (const f of shared) addTable(base[f.host], f.table, placesIn(plan.scopes[f.host], f.scope, cards));
    for (const e of evidence) e.places = placesIn(plan.scopes[e.host], e.scope, cards);
    return row => {
      const codes = reader.codes(row), tables = base.map(table => table.slice());
      for (const e of evidence) addTable(tables[e.host], e.addUp(codes), e.places);
      return {posterior: known => planPosterior(plan, tables, known),
        why: (i, answer) => whyNetwork(i, answer, shared, evidence, codes, cards, row.length)};
    };
  },

  // A tree of labels, or labels by themselves: regressions for each value of the parent.
  tree(law, model) {
    const reader = numberReader(model.reader), found = regressionsOf(law.regressions);
    const opinions = law.opinions && regressionsOf(law.opinions), plan = planOf(law.plan);
    return row => {
      const own = reader.numbers(row), numbers = opinions ? withOpinions(opinions, own) : own;
      const columns = found.scaled(numbers), z = found.predictors(columns);
      const given = law.targets.map(targets => targets.map(t => found.logProba(z, t)));
      const tables = given.map(byParent => {
        const k = byParent[0].length, table = new Float64Array(k * byParent.length);
        byParent.forEach((logP, a) => logP.forEach((x, y) => { table[y * byParent.length + a] = x; }));
        return table;
      });
      return {posterior: known => planPosterior(plan, tables, known),
        why: (i, answer) => whyTree(i, answer, law, given, targets => value =>
          regressionTerms(found, reader, columns, own, targets, value, row.length))};
    };
  },

  // Chains of labels, averaged: all label vectors are listed.
  chain(law, model) {
    const reader = numberReader(model.reader), cards = model.labels.map(l => l.values.length);
    const vectors = everyVector(cards);
    const chains = law.members.map(m => ({...m, found: regressionsOf(m.regressions)}));
    return row => {
      const numbers = reader.numbers(row);
      const each = chains.map(chain => walkChain(chain, numbers, cards));
      const share = Math.log(each.length);
      const logP = each.length === 1 ? each[0]
        : each[0].map((_, i) => logSum(each.map(one => one[i])) - share);
      return {posterior: known => listPosterior(cards, vectors, logP, known),
        why: each.length > 1 ? null
          : (i, answer) => whyChain(i, answer, chains[0], reader, numbers, cards, row.length)};
    };
  },

  // A list of label sets, told apart by one regression.
  sets(law, model) {
    const reader = numberReader(model.reader), cards = model.labels.map(l => l.values.length);
    const vectors = Uint8Array.from(law.vectors.flat());
    const found = law.regressions && regressionsOf(law.regressions);
    return row => {
      const numbers = reader.numbers(row), columns = found ? found.scaled(numbers) : null;
      const logP = found ? found.logProba(found.predictors(columns), 0) : Array.from(unpack(law.prior));
      return {posterior: known => listPosterior(cards, vectors, logP, known),
        why: found && ((i, answer, post) => whySet(i, answer, law.vectors, post, vectorTerms(
          regressionTerms(found, reader, columns, numbers, [0], 0, row.length))))};
    };
  },
};

function addTable(table, part, places) {
  for (let i = 0; i < table.length; i++) table[i] += part[places[i]];
}

// What the features below one set of labels say: a sum of rows of their tables.
function evidenceOf(packed, variables, cards) {
  const width = product(packed.scope.map(v => cards[v])), cells = unpack(packed.cells);
  let first = 0;
  const features = packed.features.map(j => {
    const start = first;
    first += variables[j].card * width;
    return {j, start, card: variables[j].card};
  });
  function addUp(codes) {
    const out = new Float64Array(width);
    for (const f of features) {
      if (codes[f.j] === f.card) continue;
      for (let c = 0, at = f.start + codes[f.j] * width; c < width; c++, at++) out[c] += cells[at];
    }
    return out;
  }
  const term = (f, codes, cell) => codes[f.j] === f.card ? 0 : cells[f.start + codes[f.j] * width + cell];
  return {...packed, features, addUp, term};
}

// First opinions beside the columns: P(relevant) of a binary label, else P of every value.
function withOpinions(found, numbers) {
  const z = found.predictors(found.scaled(numbers)), more = [];
  found.outcomes.forEach((outcome, t) => {
    const p = found.logProba(z, t).map(Math.exp);
    more.push(...(outcome.card === 2 ? p.slice(1) : p));
  });
  return Float64Array.from([...numbers, ...more]);
}

// log P of all label vectors, place after place of the chain.
function walkChain(chain, numbers, cards) {
  const {found, order} = chain, d = cards.length, out = new Float64Array(product(cards));
  const starts = columnStarts(order, cards, found.m), strides = cards.map((_, j) => product(cards.slice(j + 1)));
  const blank = new Float64Array(found.m);
  blank.set(numbers);
  const base = found.predictors(found.scaled(blank));
  function walk(t, z, logP, index) {
    if (t === d) { out[index] = logP; return; }
    const label = order[t], step = found.logProba(z, t);
    for (let y = 0; y < cards[label]; y++)
      walk(t + 1, afterLabel(found, z, starts[t], cards[label], y), logP + step[y], index + y * strides[label]);
  }
  walk(0, base, 0, 0);
  return out;
}

// Where the columns of the label at each place begin: after those of the design.
function columnStarts(order, cards, m) {
  const widths = order.map(j => cards[j] === 2 ? 1 : cards[j]);
  const total = widths.reduce((a, b) => a + b, 0);
  return widths.map((_, t) => m - total + widths.slice(0, t).reduce((a, b) => a + b, 0));
}

function afterLabel(found, z, start, card, y) {
  if (card === 2 && y === 0) return z;
  const column = start + (card === 2 ? 0 : y), next = z.slice();
  for (let k = 0; k < next.length; k++) next[k] += found.slope(column, k);
  return next;
}
