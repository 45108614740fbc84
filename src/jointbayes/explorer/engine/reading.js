// A row as a model sees it: codes of features, or the numbers of a design.
//
// A cell is a number, NaN if it is missing; of a category its place, MISSING or UNSEEN.
'use strict';

const MISSING = -1, UNSEEN = -2;

// Intervals are closed on the right: the code is the number of cuts below.
function codeOfNumber(variable, x) {
  if (Number.isNaN(x)) return variable.missing;
  if (variable.cuts === null) return variable.card;
  let low = 0, high = variable.cuts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (x > variable.cuts[middle]) low = middle + 1; else high = middle;
  }
  return low;
}

function codeOfCategory(variable, place) {
  if (place === MISSING || Number.isNaN(place)) return variable.missing;
  return place === UNSEEN ? variable.card : place;
}

function codeReader(reader) {
  const variables = reader.variables.map(v => ({...v, cuts: v.cuts && unpack(v.cuts)}));
  const codes = row => variables.map((v, j) =>
    v.kind === 'category' ? codeOfCategory(v, row[j]) : codeOfNumber(v, row[j]));
  return {codes, variables};
}

// The columns of the design: numbers, indicators of missing ones, indicators of values, length.
function numberReader(reader) {
  const means = unpack(reader.means), {numeric, flagged, nominal} = reader;
  const width = numeric.length + flagged.length + nominal.reduce((sum, v) => sum + v.card, 0);
  const owners = [...numeric, ...flagged.map(i => numeric[i])];
  for (const v of nominal) for (let c = 0; c < v.card; c++) owners.push(v.column);
  const direction = reader.direction
    && {...reader.direction, factor: unpack(reader.direction.factor)};

  function numbers(row) {
    const out = new Float64Array(width);
    numeric.forEach((j, i) => { out[i] = Number.isNaN(row[j]) ? means[i] : row[j]; });
    flagged.forEach((i, k) => { out[numeric.length + k] = Number.isNaN(row[numeric[i]]) ? 1 : 0; });
    let at = numeric.length + flagged.length;
    for (const v of nominal) {
      const code = codeOfCategory(v, row[v.column]);
      if (code < v.card) out[at + code] = 1;
      at += v.card;
    }
    return direction ? directed(direction, out) : out;
  }

  return {numbers, owners, direction, columns: width + (direction ? 1 : 0)};
}

// Words brought to length 1, and their length as one more column.
function directed(direction, numbers) {
  const far = x => Math.min(Math.max(x, -1e100), 1e100);
  const words = numbers.map((x, j) => far(x * direction.factor[j]));
  const length = Math.sqrt(words.reduce((sum, x) => sum + x * x, 0));
  const by = Math.min(1 / (length > 0 ? length : 1), Number.MAX_VALUE);
  const out = new Float64Array(numbers.length + 1);
  numbers.forEach((x, j) => { out[j] = words[j] * by + (direction.factor[j] === 0 ? far(x) : 0); });
  const clipped = Math.min(Math.max(length, direction.shortest), direction.longest);
  out[numbers.length] = Math.log(clipped / direction.shortest);
  return out;
}

// What the columns of a design say, added up to what the user's columns say.
function byFeature(reader, numbers, parts, p) {
  const out = new Float64Array(p), {owners, direction} = reader, m = owners.length;
  for (let j = 0; j < m; j++) out[owners[j]] += parts[j];
  if (direction) {
    const squares = owners.map((_, j) => direction.factor[j] > 0 ? numbers[j] ** 2 : 0);
    let total = squares.reduce((a, b) => a + b, 0);
    if (total === 0) {
      const any = direction.factor.some(f => f > 0);
      squares.forEach((_, j) => { squares[j] = !any || direction.factor[j] > 0 ? 1 : 0; });
      total = squares.reduce((a, b) => a + b, 0);
    }
    for (let j = 0; j < m; j++) out[owners[j]] += parts[m] * squares[j] / total;
  }
  return out;
}
