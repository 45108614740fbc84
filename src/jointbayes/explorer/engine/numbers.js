// Numbers as they come in the page, and sums of logarithms.
'use strict';

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

function bytesOf(text) {
  const place = new Uint8Array(128);
  for (let i = 0; i < 64; i++) place[DIGITS.charCodeAt(i)] = i;
  const n = text.length, padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const out = new Uint8Array(n / 4 * 3 - padding);
  for (let i = 0, at = 0; i < n; i += 4) {
    const word = place[text.charCodeAt(i)] << 18 | place[text.charCodeAt(i + 1)] << 12
      | place[text.charCodeAt(i + 2)] << 6 | place[text.charCodeAt(i + 3)];
    out[at++] = word >> 16;
    if (at < out.length) out[at++] = word >> 8 & 255;
    if (at < out.length) out[at++] = word & 255;
  }
  return out;
}

// Doubles, written as they are or as places in a list of the distinct ones.
function unpack(packed) {
  const bytes = bytesOf(packed.doubles);
  const known = new Float64Array(bytes.length >> 3), view = new DataView(bytes.buffer);
  for (let i = 0; i < known.length; i++) known[i] = view.getFloat64(8 * i, true);
  if (packed.places === undefined) return known;
  const at = bytesOf(packed.places), {bits, count} = packed, width = bits / 8, each = 8 / bits;
  const out = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    let place = 0;
    if (bits < 8) place = at[Math.floor(i / each)] >> i % each * bits & (1 << bits) - 1;
    else for (let b = width - 1; b >= 0; b--) place = place * 256 + at[i * width + b];
    out[i] = known[place];
  }
  return out;
}

// Coefficients in 48 bits: whole numbers, each row of them in a unit of its own, a power of two.
function unpackRows(packed) {
  if (packed.units === undefined) return unpack(packed);
  const bytes = bytesOf(packed.wholes), view = new DataView(bytes.buffer), n = bytes.length / 6;
  const out = new Float64Array(n), width = n / packed.units.length;
  for (let i = 0; i < n; i++) {
    const whole = view.getUint32(6 * i, true) + view.getInt16(6 * i + 4, true) * 2 ** 32;
    out[i] = whole * 2 ** packed.units[Math.floor(i / width)];
  }
  return out;
}

// All of what is done in parts.
function atOnce(work) {
  let step = work.next();
  while (!step.done) step = work.next();
  return step.value;
}

function logSum(values) {
  let top = -Infinity;
  for (const value of values) if (value > top) top = value;
  if (top === -Infinity) return top;
  let total = 0;
  for (const value of values) total += Math.exp(value - top);
  return top + Math.log(total);
}

function normalized(values) {
  const total = logSum(values);
  return values.map(value => value - total);
}

const product = numbers => numbers.reduce((a, b) => a * b, 1);

// The place of the largest number; the first of equal ones.
function argmax(values) {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i] > values[best]) best = i;
  return best;
}

// Of two label vectors the lower one, read from the left, comes first.
function compareVectors(a, b) {
  for (let j = 0; j < a.length; j++) if (a[j] !== b[j]) return a[j] - b[j];
  return 0;
}

class Refusal extends Error {}
