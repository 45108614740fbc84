// The state of the page as Python that gives the same answers.
'use strict';

const FULL_ROW = 60;

function cellInPython(feature, cell) {
  if (feature.kind === 'category') {
    if (cell === MISSING || Number.isNaN(cell)) return 'None';
    return cell === UNSEEN ? '"another value"' : feature.literals[cell];
  }
  if (Number.isNaN(cell)) return feature.kind === 'date' ? 'np.datetime64("NaT")' : 'np.nan';
  if (feature.kind === 'date')
    return `np.datetime64("${new Date(cell * 1000).toISOString().replace(/(\.000)?Z$/, '')}")`;
  return Number.isInteger(cell) ? cell.toFixed(1) : String(cell);
}

function rowInPython(model, row) {
  const {features} = model, cells = features.map((f, j) => cellInPython(f, row[j]));
  const name = f => JSON.stringify(f.name);
  const dull = row.every((x, j) => features[j].kind === 'number') && row.filter(x => x === 0).length > row.length / 2;
  if (features.length > FULL_ROW && dull) {
    const some = features.map((f, j) => [f, j]).filter(([, j]) => row[j] !== 0);
    if (model.named)
      return `row = dict.fromkeys(model.feature_names_in_, 0.0)\nrow |= {${some.map(([f, j]) => `${name(f)}: ${cells[j]}`).join(', ')}}\n`
        + 'rows = [row]';
    return [`row = [0.0] * ${features.length}`, ...some.map(([, j]) => `row[${j}] = ${cells[j]}`), 'rows = [row]'].join('\n');
  }
  if (!model.named) return `rows = [[${cells.join(', ')}]]`;
  return `rows = [{\n${features.map((f, j) => `    ${name(f)}: ${cells[j]},`).join('\n')}\n}]`;
}

function inPython(model, row, known, k) {
  const fixed = model.labels.map((label, j) => [label, known[j]]).filter(([, y]) => y >= 0)
    .map(([label, y]) => `${JSON.stringify(label.name)}: ${label.literals[y]}`);
  const lines = ['import jointbayes as jb', 'import numpy as np', '',
    `model = jb.load(${JSON.stringify(model.file || 'model.jb')})  # or the fitted ${model.model} itself`,
    rowInPython(model, row), 'post = model.posterior(rows)'];
  if (fixed.length) lines.push(`post = post.given({${fixed.join(', ')}})`);
  lines.push('print(post.to_frame("marginals"))', `print(post.to_frame("top_k", ${k}))`);
  return lines.join('\n') + '\n';
}
