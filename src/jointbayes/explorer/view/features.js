// The features of the row: pick a row, search, change a value.
'use strict';

const SHOWN_FEATURES = 40;

// change(j, cell): the user changed a feature; pick(i): chose a row, −1 for none.
function featuresView(engine, change, pick) {
  const {model} = engine, ends = model.features.map((f, j) => rangeOf(engine, f, j));
  let row = engine.blankRow(), most = SHOWN_FEATURES, controls = new Map();
  const search = byId('search'), list = byId('features');

  function show() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = model.features.map((f, j) => j)
      .filter(j => words.every(w => model.features[j].name.toLowerCase().includes(w)));
    controls = new Map(found.slice(0, most).map(j => [j, controlOf(model.features[j], j, ends[j], change)]));
    const rest = found.length - controls.size;
    list.replaceChildren(...[...controls.values()].map(c => c.element),
      ...(rest > 0 ? [make('button', {type: 'button', class: 'more', onclick: () => { most += 200; show(); }},
        `Show ${Math.min(rest, 200)} more of ${found.length}`)] : []),
      ...(found.length ? [] : [make('p', {class: 'muted'}, 'No feature is called that.')]));
    controls.forEach((control, j) => control.set(row[j]));
  }

  search.addEventListener('input', () => { most = SHOWN_FEATURES; show(); });
  search.closest('.search').hidden = model.features.length < 9;
  const picker = rowPicker(model.rows, pick);
  byId('picker').replaceChildren(picker.element);
  show();
  return {
    set(next) { row = next; controls.forEach((control, j) => control.set(row[j])); },
    picked: picker.set,
  };
}

function rowPicker(rows, pick) {
  if (!rows.shown) {
    const clear = make('button', {type: 'button', onclick: () => pick(-1)}, 'Forget all values');
    return {element: make('div', {}, clear), set() {}};
  }
  const select = make('select', {'aria-label': 'Row', onchange: () => pick(Number(select.value))},
    make('option', {value: -1}, 'nothing observed'),
    ...rows.names.map((name, i) => make('option', {value: i}, `row ${name}`)));
  const step = (by, text, said) => make('button', {type: 'button', 'aria-label': said, onclick: () => {
    const at = Number(select.value);
    pick(Math.min(Math.max(at + by, 0), rows.shown - 1));
  }}, text);
  const note = rows.count > rows.shown ? make('p', {class: 'muted small'}, `The first ${rows.shown} of ${rows.count} rows.`) : null;
  return {element: make('div', {}, make('div', {class: 'steps'}, step(-1, '‹', 'Previous row'), select,
    step(1, '›', 'Next row')), note), set: i => { select.value = String(i); }};
}

function controlOf(feature, j, ends, change) {
  const id = `feature-${j}`, name = make('label', {for: id, title: feature.name}, feature.name);
  if (feature.kind === 'category') return categoryControl(feature, j, id, name, change);
  if (feature.kind === 'date') return dateControl(j, id, name, change);
  const input = make('input', {type: 'number', id, step: 'any', placeholder: 'missing', onchange: typed, oninput: typed});
  const slider = make('input', {type: 'range', min: ends[0], max: ends[1], step: (ends[1] - ends[0]) / 200 || 1,
    'aria-label': feature.name, oninput: () => { input.value = slider.value; typed(); }});
  const element = make('div', {class: 'feature'}, name, slider, input);
  function typed() {
    const x = input.value === '' ? NaN : input.valueAsNumber;
    if (document.activeElement !== slider) slider.value = String(x);
    change(j, x);
  }
  function set(x) {
    if (document.activeElement === input && (Number.isNaN(x) ? input.value === '' : input.valueAsNumber === x)) return;
    input.value = Number.isNaN(x) ? '' : String(x);
    slider.value = String(Number.isNaN(x) ? (ends[0] + ends[1]) / 2 : x);
    element.classList.toggle('absent', Number.isNaN(x));
  }
  return {element, set: x => { set(x); element.classList.toggle('absent', Number.isNaN(x)); }};
}

function categoryControl(feature, j, id, name, change) {
  const select = make('select', {id, onchange: () => change(j, Number(select.value))},
    ...feature.values.map((v, c) => make('option', {value: c}, v)),
    make('option', {value: MISSING}, 'missing'), make('option', {value: UNSEEN}, 'another value'));
  return {element: make('div', {class: 'feature category'}, name, select), set: cell => { select.value = String(cell); }};
}

function dateControl(j, id, name, change) {
  const input = make('input', {type: 'datetime-local', id, step: 1,
    onchange: () => change(j, input.value === '' ? NaN : Date.parse(`${input.value}Z`) / 1000)});
  return {element: make('div', {class: 'feature category'}, name, input),
    set: x => { input.value = Number.isNaN(x) ? '' : new Date(x * 1000).toISOString().slice(0, 19); }};
}

// From where to where a slider goes: what rows hold, and where the model makes a difference.
function rangeOf(engine, feature, j) {
  if (feature.kind !== 'number') return [0, 1];
  let [low, high] = feature.ends || [Infinity, -Infinity];
  for (let i = 0; i < engine.model.rows.shown; i++) {
    const x = engine.cell(i, j);
    if (x < low) low = x;
    if (x > high) high = x;
  }
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  if (engine.model.rows.shown && low < high) return [low, high];
  const more = (high - low) / 4 || Math.abs(low) || 1;
  return [low - more, high + more];
}
