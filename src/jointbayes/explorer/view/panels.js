// What the page says beside the labels: sets, questions, reasons, losses.
'use strict';

const SETS = 5, REASONS = 12;
const LOSS_WORDS = {
  subset: ['The whole set', 'right or wrong as a whole'],
  hamming: ['Each label by itself', 'share of wrong labels (Hamming)'],
  f1: ['Overlap', '1 − F1 between the sets'],
  jaccard: ['Overlap, strictly', '1 − Jaccard between the sets'],
};

// A label vector in the user's words.
function namesOf(model, vector) {
  if (model.single) return [model.labels[0].values[vector[0]]];
  return model.labels.flatMap((label, j) =>
    label.binary ? (vector[j] === 1 ? [label.name] : []) : [`${label.name}: ${label.values[vector[j]]}`]);
}

function chips(model, vector) {
  const names = namesOf(model, vector);
  if (!names.length) return [make('span', {class: 'chip none'}, 'no label')];
  return names.map(name => make('span', {class: 'chip'}, name));
}

function showSets(model, best) {
  byId('sets').replaceChildren(make('ol', {class: 'sets'}, ...best.map(({vector, logP}) => {
    const bar = barOf();
    bar.set(Math.exp(logP));
    return make('li', {}, make('span', {class: 'chips'}, ...chips(model, vector)),
      make('span', {class: 'number'}, percent(Math.exp(logP))), bar.element);
  })));
}

function showNext(model, worth, fix) {
  const order = worth.map((_, j) => j).filter(j => worth[j] > 5e-4).sort((a, b) => worth[b] - worth[a]).slice(0, 3);
  byId('next').replaceChildren(...(order.length ? [make('ol', {class: 'next'}, ...order.map(j => make('li', {},
    make('button', {type: 'button', class: 'link', onclick: () => fix.focus(j)}, model.labels[j].name),
    make('span', {class: 'number'}, `+${(100 * worth[j]).toFixed(1)} points`)))),
  make('p', {class: 'muted small'}, 'How much likelier the best set is to be right once that label is known.')]
    : [make('p', {class: 'muted'}, 'No single label would make the best set likelier to be right.')]));
}

function showLosses(model, decided) {
  byId('losses').replaceChildren(make('table', {}, make('thead', {}, make('tr', {},
    make('th', {scope: 'col'}, 'What counts'), make('th', {scope: 'col'}, 'Answer'),
    make('th', {scope: 'col', class: 'number'}, 'Expected loss'))),
  make('tbody', {}, ...decided.map(({loss, vector, cost}) => make('tr', {class: loss === model.loss ? 'own' : null},
    make('th', {scope: 'row'}, LOSS_WORDS[loss][0], make('small', {}, LOSS_WORDS[loss][1]),
      loss === model.loss ? make('small', {class: 'mark'}, 'what predict minimizes') : null),
    make('td', {}, make('span', {class: 'chips'}, ...chips(model, vector))),
    make('td', {class: 'number'}, cost.toFixed(3)))))));
}

function showWhy(model, row, why, j, hidden) {
  byId('why-panel').hidden = hidden;
  if (hidden) return;
  const label = model.labels[j], target = byId('why');
  if (!why || why.answer === why.other) {
    setText(byId('why-title'), `Why ${label.name}`);
    target.replaceChildren(make('p', {class: 'muted'}, 'There is no other value that this could have.'));
    return;
  }
  const word = y => label.binary && !model.single ? (y ? 'yes' : 'no') : label.values[y];
  const parts = [{name: 'before anything is seen', value: why.base, kind: 'base'},
    ...why.others.map(o => ({name: o.labels.map(i => model.labels[i].name).join(', '), kind: 'label', value: o.value,
      note: o.after ? 'depends on it' : o.labels.length > 1 ? 'labels' : 'label'})),
    ...why.features.map((value, i) => ({name: model.features[i].name, kind: 'feature', value, note: shownCell(model.features[i], row[i])})),
    ...(Math.abs(why.rest) > 1e-12 ? [{name: 'what no feature can be blamed for', value: why.rest, kind: 'base'}] : [])];
  const ranked = parts.filter(p => p.value !== 0).sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
  const rest = ranked.slice(REASONS), top = Math.max(...ranked.map(p => Math.abs(p.value)), 1e-12);
  const rows = [...ranked.slice(0, REASONS), ...(rest.length ? [{kind: 'base', name: `${rest.length} more`,
    value: rest.reduce((sum, p) => sum + p.value, 0)}] : [])];
  const held = model.single ? '' : why.set ? ' in the best set of that kind' : ', other labels as in the best set';
  setText(byId('why-title'), `Why ${model.single ? word(why.answer) : label.name}`);
  target.replaceChildren(make('p', {}, make('strong', {}, word(why.answer)), ` rather than ${word(why.other)}${held}: log-odds `,
    make('strong', {class: 'number'}, signed(why.total))),
  make('ul', {class: 'reasons'}, ...rows.map(part => {
    const fill = make('span', {class: part.value < 0 ? 'against' : 'for'});
    fill.style.width = `${50 * Math.min(Math.abs(part.value) / top, 1)}%`;
    return make('li', {class: `by-${part.kind}`}, make('span', {class: 'what'}, ...breakable(part.name),
      part.note ? make('small', {}, ` ${part.note}`) : null),
    make('span', {class: 'scale', 'aria-hidden': 'true'}, fill), make('span', {class: 'number'}, signed(part.value)));
  })));
}

function shownCell(feature, cell) {
  if (feature.kind === 'category')
    return cell === MISSING ? 'missing' : cell === UNSEEN ? 'another value' : feature.values[cell];
  if (Number.isNaN(cell)) return 'missing';
  return feature.kind === 'date' ? new Date(cell * 1000).toISOString().slice(0, 19).replace('T', ' ') : `= ${shortNumber(cell)}`;
}
