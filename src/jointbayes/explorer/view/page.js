// The page: one state (row, labels that are known, the label in question), and its answers.
'use strict';

const FEW_LABELS = 14, SLICE = 4;
const model = JSON.parse(byId('tables').textContent);
const engine = makeEngine(model);
const state = {row: engine.blankRow(), picked: -1, known: model.labels.map(() => -1), chosen: 0, touched: false};
let ask = null, answered = null, later = null;

const labels = labelsView(model, fixLabel, chooseLabel);
const features = featuresView(engine, changeFeature, pickRow);
const graph = graphView(model, chooseLabel);

function fixLabel(j, value) {
  const {known, chosen} = state, before = known[j];
  if (before === value) { paint(); return; }
  known[j] = value;
  if (value >= 0) state.chosen = j;
  if (refresh()) return;
  known[j] = before;
  state.chosen = chosen;
  paint();
  setText(byId('told'), `${model.labels[j].name} cannot be that beside what is fixed: the model gives it probability 0.`);
}

function chooseLabel(j) {
  state.chosen = j;
  paint();
}

function changeFeature(j, cell) {
  if (Object.is(state.row[j], cell)) return;
  state.row[j] = cell;
  state.touched = true;
  readRow();
}

function pickRow(i) {
  state.row = i < 0 ? engine.blankRow() : engine.row(i);
  state.picked = i;
  state.touched = false;
  features.picked(i);
  features.set(state.row);
  readRow();
}

// Another row: labels that were known stay so, unless the row makes them impossible.
function readRow() {
  try {
    ask = engine.asker(state.row.slice());
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    setText(byId('told'), error.message);
    return;
  }
  if (!refresh()) {
    state.known = state.known.map(() => -1);
    refresh();
    setText(byId('told'), 'What was fixed is impossible with this row and was let go.');
  }
}

function refresh() {
  const next = ask(state.known);
  if (!next) return false;
  answered = next;
  paint();
  return true;
}

// First what a click changes at once; the rest follows when that is on the screen.
function paint() {
  const best = answered.best(), marginals = answered.marginals(), vector = best.vector;
  byId('headline').replaceChildren(...chips(model, vector), ' ', make('span', {class: 'p'}, percent(Math.exp(best.logP))));
  setText(byId('told'), saidOfState());
  labels.update(marginals, vector, state.known, state.chosen);
  showSets(model, answered.top(SETS));
  const why = answered.why && answered.why(state.chosen);
  showWhy(model, state.row, why, state.chosen, !answered.why);
  clear.disabled = state.known.every(y => y < 0);
  const work = later = following(marginals, vector);
  window.requestAnimationFrame(() => inTurn(work));
}

// A few milliseconds at a time, with room for a click between them; a newer state ends it.
function inTurn(work) {
  window.setTimeout(() => {
    const end = performance.now() + SLICE;
    while (work === later && !work.next().done)
      if (performance.now() > end) { inTurn(work); return; }
  }, 0);
}

function* following(marginals, vector) {
  if (!model.single) {
    graph.update(answered.ties(), marginals, vector, state.known);
    yield;
    showNext(model, answered.worth(), {focus: labels.focus});
    yield;
    const decided = [];
    for (const loss of answered.losses()) decided.push({loss, ...yield* answered.deciding(loss)});
    showLosses(model, decided);
    yield;
  }
  setText(byId('python'), engine.python(state.row, state.known, SETS));
}

function saidOfState() {
  const fixed = state.known.filter(y => y >= 0).length;
  const row = state.picked < 0 ? (state.touched ? 'A row of your own' : 'Nothing observed')
    : `Row ${model.rows.names[state.picked]}${state.touched ? ', changed' : ''}`;
  if (!fixed) return `${row}. The likeliest ${model.single ? 'class' : 'label set'}, and its probability.`;
  const p = Math.exp(answered.surprise());
  return `${row}, ${fixed} label${fixed > 1 ? 's' : ''} fixed; the model gave that ${percent(p)}.`;
}

const clear = make('button', {type: 'button', disabled: true, onclick: () => {
  state.known = state.known.map(() => -1);
  refresh();
}}, 'Let go of all');
if (!model.single) byId('tools').append(clear);
const copied = make('button', {type: 'button', onclick: () => copy(byId('python'))}, 'Copy');
byId('copy').append(copied);

function copy(source) {
  const done = () => { copied.textContent = 'Copied'; window.setTimeout(() => { copied.textContent = 'Copy'; }, 1500); };
  const select = () => {
    const range = document.createRange();
    range.selectNodeContents(source);
    const selection = window.getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    if (document.execCommand('copy')) done();
  };
  if (navigator.clipboard) navigator.clipboard.writeText(source.textContent).then(done, select); else select();
}

// One class variable: its values are the label sets, and the reasons take their place.
function arrangeClass() {
  for (const id of ['next-panel', 'losses-panel', 'sets-panel', 'keys']) byId(id).hidden = true;
  byId('right').append(byId('why-panel'));
}

// Many labels: reasons stand beside them, and their graph has a row of its own.
function arrangeMany() {
  byId('next-panel').after(byId('why-panel'));
  byId('graph-panel').classList.add('wide');
  byId('right').after(byId('graph-panel'));
}

const many = model.single ? `${model.labels[0].values.length} classes` : `${model.labels.length} labels`;
const own = byId('title').textContent === model.model ? '' : `${model.model}, `;
setText(byId('about'), `${own}${many}, ${model.features.length} features`);
if (model.single) setText(byId('labels-title'), model.labels[0].name);
const rows = model.single ? model.labels[0].values.length : model.labels.length;
document.body.classList.toggle('few', rows <= FEW_LABELS);
if (model.single) arrangeClass(); else if (model.labels.length > FEW_LABELS) arrangeMany();
pickRow(model.rows.shown ? 0 : -1);
// For those who would check a number: the state, the engine and what it answers now.
window.explorer = {engine, state, answered: () => answered, fix: fixLabel, pick: pickRow, change: changeFeature};
