// How many labels are relevant, and which: P(Y_j = 1, |Y| = s) along a plan, for binary labels.
//
// The generating function Σ_y P(y) [y_j = 1] z^|y| is a product along the plan like P itself. It is
// taken at the d + 1 roots of unity, up and down the plan for all labels at once, and turned back:
//
//     P(Y_j = 1, |Y| = s) = 1 / (d + 1) Σ_m G_j(z_m) z_m^(−s),   z_m = exp(2πi m / (d + 1))
'use strict';

function* countRelevant(plan, conditionals) {
  const d = plan.cards.length, N = d + 1, out = plan.cards.map(() => new Float64Array(N));
  const circle = Array.from({length: N}, (_, m) =>
    ({re: Math.cos(2 * Math.PI * m / N), im: Math.sin(2 * Math.PI * m / N)}));
  for (let m = 0; 2 * m <= N; m++) {
    const found = generating(plan, conditionals, circle[m]);
    const share = (m === 0 || 2 * m === N ? 1 : 2) / N;  // the others come in conjugate pairs
    for (let j = 0; j < d; j++) {
      const {re, im} = found[j], own = out[j];
      for (let s = 0; s < N; s++) {
        const turned = circle[m * s % N];
        own[s] += share * (re * turned.re + im * turned.im);
      }
    }
    yield;
  }
  return out.map(p => Array.from(p, x => Math.max(x, 0)));
}

// G_j at one point of the unit circle, for every label.
function generating(plan, conditionals, z) {
  const up = [], outside = [], found = [];
  for (const step of plan.steps) up[step.variable] = upMessage(step, conditionals[step.variable], up, z);
  for (const root of plan.roots) {
    const out = outside[root.variable] = complex(1);
    out.re[0] = 1;
    for (const other of plan.roots) if (other !== root) multiplyAt(out, 0, up[other.variable], 0);
  }
  for (let i = plan.steps.length - 1; i >= 0; i--) {
    const step = plan.steps[i];
    found[step.variable] = downMessages(step, conditionals[step.variable], up, outside, z);
  }
  return found;
}

const complex = n => ({re: new Float64Array(n), im: new Float64Array(n)});

function multiplyAt(a, i, b, j) {
  const re = a.re[i] * b.re[j] - a.im[i] * b.im[j];
  a.im[i] = a.re[i] * b.im[j] + a.im[i] * b.re[j];
  a.re[i] = re;
}

function upMessage(step, p, up, z) {
  const S = step.width, out = complex(S), one = complex(1);
  for (let c = 0; c < p.length; c++) {
    if (p[c] === 0) continue;
    one.re[0] = c < S ? p[c] : p[c] * z.re;
    one.im[0] = c < S ? 0 : p[c] * z.im;
    for (const [child, places] of step.messages) multiplyAt(one, 0, up[child], places[c]);
    const s = c < S ? c : c - S;
    out.re[s] += one.re[0];
    out.im[s] += one.im[0];
  }
  return out;
}

// To each child all but its own message; G of the label itself is the sum of its second half.
function downMessages(step, p, up, outside, z) {
  const S = step.width, own = outside[step.variable], k = step.messages.length;
  const before = complex(k + 1), after = complex(1), total = {re: 0, im: 0};
  const out = step.messages.map(([child]) => outside[child] = complex(up[child].re.length));
  for (let c = 0; c < p.length; c++) {
    if (p[c] === 0) continue;
    before.re[0] = c < S ? p[c] : p[c] * z.re;
    before.im[0] = c < S ? 0 : p[c] * z.im;
    multiplyAt(before, 0, own, c < S ? c : c - S);
    for (let i = 0; i < k; i++) {
      before.re[i + 1] = before.re[i];
      before.im[i + 1] = before.im[i];
      multiplyAt(before, i + 1, up[step.messages[i][0]], step.messages[i][1][c]);
    }
    if (c >= S) { total.re += before.re[k]; total.im += before.im[k]; }
    after.re[0] = 1;
    after.im[0] = 0;
    for (let i = k - 1; i >= 0; i--) {
      const [child, places] = step.messages[i];
      multiplyAt(before, i, after, 0);
      out[i].re[places[c]] += before.re[i];
      out[i].im[places[c]] += before.im[i];
      multiplyAt(after, 0, up[child], places[c]);
    }
  }
  return total;
}
