// The graph of the labels: on a circle, with arcs as strong as labels tell of each other.
'use strict';

const STRONGEST = 5, TURNED = 24;

function graphView(model, choose) {
  const d = model.labels.length, panel = byId('graph-panel');
  panel.hidden = d < 2 || !model.arcs.length;
  if (panel.hidden) return {update() {}};
  const wide = Math.max(...model.labels.map(l => Math.min(l.name.length, 28))) * 6.6 + 20;
  const radius = Math.max(110, Math.min(280, d * 9)), size = 2 * (radius + wide);
  const height = 2 * (radius + (d > TURNED ? wide : 34));
  const at = j => {
    const angle = 2 * Math.PI * j / d - Math.PI / 2;
    return {x: radius * Math.cos(angle), y: radius * Math.sin(angle), angle};
  };
  const arcs = model.arcs.map(([a, b]) => {
    const p = at(a), q = at(b);
    return makeSvg('path', {class: 'arc', d: `M${p.x.toFixed(1)} ${p.y.toFixed(1)}Q0 0 ${q.x.toFixed(1)} ${q.y.toFixed(1)}`},
      makeSvg('title', {}));
  });
  const nodes = model.labels.map((label, j) => nodeOf(label, j, at(j), d, choose));
  const svg = makeSvg('svg', {viewBox: `${-size / 2} ${-height / 2} ${size} ${height}`, 'aria-hidden': 'true',
    width: size, height, preserveAspectRatio: 'xMidYMid meet'}, ...arcs, ...nodes.map(n => n.element));
  const list = make('ol', {class: 'ties'});
  byId('graph').replaceChildren(make('div', {class: 'picture'}, svg),
    make('div', {}, make('p', {class: 'muted small'}, 'Ties in this state, in bits: what one label still tells of the other.'), list));

  function update(ties, marginals, answer, known) {
    const top = Math.max(...ties.map(t => t || 0), 1e-9);
    ties.forEach((bits, i) => {
      const share = (bits || 0) / top;
      arcs[i].style.strokeWidth = `${0.6 + 6 * share}px`;
      arcs[i].style.opacity = String(0.18 + 0.72 * share);
      const [a, b] = model.arcs[i];
      setText(arcs[i].firstChild, `${model.labels[a].name} → ${model.labels[b].name}: ${(bits || 0).toFixed(3)} bits`);
    });
    nodes.forEach((node, j) => node.update(marginals[j], answer[j], known[j]));
    const order = ties.map((_, i) => i).filter(i => (ties[i] || 0) > 5e-4).sort((a, b) => ties[b] - ties[a]).slice(0, STRONGEST);
    list.replaceChildren(...(order.length ? order.map(i => make('li', {},
      `${model.labels[model.arcs[i][0]].name} → ${model.labels[model.arcs[i][1]].name} `,
      make('span', {class: 'number'}, `${ties[i].toFixed(3)}`)))
      : [make('li', {class: 'muted'}, 'No label tells of another here.')]));
  }
  return {update};
}

function nodeOf(label, j, p, d, choose) {
  const right = p.x >= -1, out = 12;
  const circle = makeSvg('circle', {cx: p.x.toFixed(1), cy: p.y.toFixed(1), r: d > 30 ? 5 : 8});
  const short = label.name.length > 28 ? `${label.name.slice(0, 27)}…` : label.name;
  const middle = Math.abs(p.x) < 1;
  const turned = d > TURNED;
  const degrees = p.angle * 180 / Math.PI;
  const text = turned
    ? makeSvg('text', {transform: `rotate(${(right ? degrees : degrees + 180).toFixed(1)} ${p.x.toFixed(1)} ${p.y.toFixed(1)}) translate(${right ? 9 : -9} 0)`,
      x: p.x.toFixed(1), y: p.y.toFixed(1), dy: '.34em', 'text-anchor': right ? 'start' : 'end', class: 'small'}, short)
    : makeSvg('text', {x: (p.x + (middle ? 0 : right ? out : -out)).toFixed(1),
      y: (p.y + (middle ? (p.y < 0 ? -14 : 22) : 0)).toFixed(1), dy: middle ? 0 : '.34em',
      'text-anchor': middle ? 'middle' : right ? 'start' : 'end'}, short);
  const element = makeSvg('g', {class: 'node', onclick: () => choose(j)}, circle, text);
  return {element, update(marginal, answer, known) {
    const sure = label.values.length === 2 ? marginal[1] : Math.max(...marginal);
    circle.style.fillOpacity = String(sure);
    element.classList.toggle('relevant', label.values.length === 2 && answer === 1);
    element.classList.toggle('fixed', known >= 0);
  }};
}
