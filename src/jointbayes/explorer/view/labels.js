// The labels: a row for each, with its probability, and a way to fix it.
'use strict';

// fix(label, value): the user fixed a label, −1 for unknown; choose(label): asks why.
function labelsView(model, fix, choose) {
  const rows = model.single ? [classRows(model, choose)] : model.labels.map((label, j) =>
    label.values.length === 2 ? binaryRow(label, j, fix, choose) : manyRow(label, j, fix, choose));
  byId('labels').replaceChildren(...rows.map(row => row.element));

  function update(marginals, answer, known, chosen) {
    rows.forEach((row, j) => row.update(marginals[j], answer[j], known[j], j === chosen));
  }
  return {update, focus: j => rows[j] && rows[j].focus()};
}

function barOf() {
  const fill = make('span', {class: 'fill'});
  return {element: make('span', {class: 'bar', 'aria-hidden': 'true'}, fill),
    set: p => { fill.style.width = `${(100 * p).toFixed(1)}%`; }};
}

// No, unknown, yes: three radios of one group, moved by arrows or by y, n and u.
function binaryRow(label, j, fix, choose) {
  const relevant = label.binary ? ['No', 'Yes'] : label.values;
  const options = [[0, relevant[0]], [-1, '?'], [1, relevant[1]]].map(([value, text]) => {
    const input = make('input', {type: 'radio', name: `label-${j}`, value,
      'aria-label': value < 0 ? 'unknown' : text, onchange: () => fix(j, value)});
    return {value, input, element: make('label', {class: `choice choice-${value}`},
      input, make('span', {'aria-hidden': 'true'}, text))};
  });
  const bar = barOf(), number = make('span', {class: 'number'});
  const name = make('button', {type: 'button', class: 'name', onclick: () => choose(j),
    title: `Why ${label.name}?`}, ...breakable(label.name));
  const group = make('span', {class: 'choices', role: 'radiogroup', 'aria-label': label.name},
    ...options.map(o => o.element));
  const element = make('div', {class: 'label', onkeydown: event => {
    const value = {y: 1, n: 0, u: -1}[event.key];
    if (value === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    fix(j, value);
  }}, name, bar.element, number, group);

  function update(p, answer, known, chosen) {
    bar.set(p[1]);
    setText(number, percent(p[1]));
    element.classList.toggle('relevant', answer === 1);
    element.classList.toggle('fixed', known >= 0);
    element.classList.toggle('chosen', chosen);
    name.setAttribute('aria-pressed', chosen);
    for (const o of options) if (o.input.checked !== (o.value === known)) o.input.checked = o.value === known;
  }
  return {element, update, focus: () => options.find(o => o.input.checked).input.focus()};
}

// A label of several values: a bar for each, and one list to fix it.
function manyRow(label, j, fix, choose) {
  const select = make('select', {'aria-label': `Fix ${label.name}`, onchange: () => fix(j, Number(select.value))},
    make('option', {value: -1}, 'unknown'), ...label.values.map((v, c) => make('option', {value: c}, v)));
  const name = make('button', {type: 'button', class: 'name', onclick: () => choose(j)}, ...breakable(label.name));
  const values = valueRows(label.values);
  const element = make('div', {class: 'label many'}, name, select, values.element);
  function update(p, answer, known, chosen) {
    values.update(p, answer);
    element.classList.toggle('fixed', known >= 0);
    element.classList.toggle('chosen', chosen);
    name.setAttribute('aria-pressed', chosen);
    select.value = String(known);
  }
  return {element, update, focus: () => select.focus()};
}

function valueRows(values) {
  const parts = values.map(value => {
    const bar = barOf(), number = make('span', {class: 'number'});
    return {bar, number, element: make('div', {class: 'value'}, make('span', {class: 'what'}, value), bar.element, number)};
  });
  return {element: make('div', {class: 'values'}, ...parts.map(part => part.element)),
    update: (p, answer) => parts.forEach((part, c) => {
      part.bar.set(p[c]);
      setText(part.number, percent(p[c]));
      part.element.classList.toggle('relevant', c === answer);
    })};
}

// One class variable: its values are all there is to show.
function classRows(model, choose) {
  const values = valueRows(model.labels[0].values);
  return {element: make('div', {class: 'label many alone'}, values.element),
    update: (p, answer) => values.update(p, answer), focus: () => choose(0)};
}
