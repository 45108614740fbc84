// Elements of the page, made without markup: whatever a name holds, it is text.
'use strict';

const byId = id => document.getElementById(id);

// make('p', {class: 'muted', onclick: f}, 'text', child, …)
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

function makeSvg(tag, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  fill(element, attributes, children);
  return element;
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.filter(c => c !== null && c !== undefined && c !== ''));
}

// A name that may break behind its marks: number_of_vessels, A.B12.
const breakable = name => (name.match(/[^_./-]*[_./-]?/g) || []).filter(Boolean)
  .flatMap((part, i) => i ? [make('wbr'), part] : [part]);

// Few digits where a number is in the middle, more at its ends: 34 %, 99.7 %, 0.02 %.
function percent(p) {
  const x = 100 * p;
  if (x === 0 || x > 100 - 1e-9) return `${Math.round(x)} %`;
  if (x < 0.01) return '< 0.01 %';
  if (x > 99.99) return '> 99.99 %';
  return `${x < 1 ? x.toFixed(2) : x > 99 ? x.toFixed(2) : x < 10 || x > 90 ? x.toFixed(1) : x.toFixed(0)} %`;
}

const signed = x => (x < 0 ? '−' : '+') + Math.abs(x).toFixed(2);

const shortNumber = x => Number.isInteger(x) && Math.abs(x) < 1e15 ? String(x) : String(Number(x.toPrecision(4)));

// Set text only where it changes, so that little is painted and little is read aloud.
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
