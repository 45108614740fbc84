"""Random posteriors of every kind, each with the joint distribution of every row by definition."""

from __future__ import annotations

import joint_oracle as oracle
import numpy as np

from jointbayes.inference.graphs.plan import merge_factors, plan_factors
from jointbayes.labels import LabelSpace
from jointbayes.posterior import (
    BackedOff,
    Blocks,
    Cascade,
    Chain,
    FactorGraph,
    Independent,
    Listed,
    Mixture,
    Product,
    SteppedCascade,
    Tree,
)

ROWS = 3


def space_of(cards, names=None):
    names = names or tuple(f"y{j}" for j in range(len(cards)))
    return LabelSpace(tuple(names), tuple(np.arange(k) for k in cards))


def probabilities(rng, shape, zeros=0.15):
    """Random distributions over the last axis, some of whose cells are 0."""
    p = rng.random(shape) ** 2
    p[rng.random(shape) < zeros] = 0.0
    p[..., 0] += p.sum(axis=-1) == 0
    return p / p.sum(axis=-1, keepdims=True)


def logarithm(p):
    with np.errstate(divide="ignore"):
        return np.log(p)


def make_independent(rng, cards, space):
    p = [probabilities(rng, (ROWS, k)) for k in cards]
    joints = [oracle.independent([q[row].tolist() for q in p], cards) for row in range(ROWS)]
    return Independent([logarithm(q) for q in p], space), joints


def make_tree(rng, cards, space):
    order = rng.permutation(len(cards)).tolist()
    parents = [-1] * len(cards)
    for place, j in enumerate(order):
        parents[j] = int(rng.choice([-1, *order[:place]]))
    above = [1 if parent < 0 else cards[parent] for parent in parents]
    p = [probabilities(rng, (ROWS, a, k)) for a, k in zip(above, cards, strict=True)]
    joints = [oracle.tree(parents, [q[row].tolist() for q in p], cards) for row in range(ROWS)]
    return Tree(tuple(parents), [logarithm(q) for q in p], space), joints


def make_table(rng, cards, space):
    every = np.indices(cards).reshape(len(cards), -1).T
    vectors = rng.permutation(every)[: rng.integers(1, 13)]
    p = probabilities(rng, (ROWS, len(vectors)))
    joints = [oracle.listed(vectors, p[row].tolist(), cards) for row in range(ROWS)]
    return Listed(vectors, logarithm(p), space), joints


def make_product(rng, cards, space):
    group = rng.integers(0, 3, len(cards))
    columns = [np.flatnonzero(group == g).tolist() for g in np.unique(group)]
    made = []
    for c in columns:
        part_space = space_of([cards[j] for j in c], [space.names[j] for j in c])
        made.append(KINDS[rng.choice(SIMPLE)](rng, part_space.cards, part_space))
    joints = [oracle.grouped([own[row] for _, own in made], columns, cards) for row in range(ROWS)]
    return Product([part for part, _ in made], space), joints


def make_mixture(rng, cards, space):
    made = [KINDS[rng.choice(SIMPLE)](rng, cards, space) for _ in range(rng.integers(1, 4))]
    w = probabilities(rng, (ROWS, len(made)))
    joints = [oracle.mixed([own[row] for _, own in made], w[row].tolist()) for row in range(ROWS)]
    return Mixture([part for part, _ in made], logarithm(w), space), joints


def make_backed_off(rng, cards, space):
    made = [make_table(rng, cards, space), KINDS[rng.choice(SIMPLE)](rng, cards, space)]
    w = probabilities(rng, (ROWS, 2))
    joints = [oracle.mixed([own[row] for _, own in made], w[row].tolist()) for row in range(ROWS)]
    return BackedOff([part for part, _ in made], logarithm(w), space), joints


def make_graph(rng, cards, space):
    d = len(cards)
    scopes = [
        tuple(rng.permutation(d)[: rng.integers(1, 4)].tolist()) for _ in range(rng.integers(1, 6))
    ]
    factors = [logarithm(rng.random((ROWS, *(cards[v] for v in scope)))) for scope in scopes]
    for factor in factors:  # a few cells are impossible, but never all
        factor[rng.random(factor.shape) < 0.05] = -np.inf
        factor.reshape(ROWS, -1)[:, 0] = 0.5
    plan = plan_factors(scopes, cards)
    joints = [
        oracle.factored(scopes, [f[row].tolist() for f in factors], cards) for row in range(ROWS)
    ]
    return FactorGraph(plan, merge_factors(plan, factors, ROWS), space), joints


def make_chain(rng, cards, space):
    order = tuple(rng.permutation(len(cards)).tolist())
    in_chain = [cards[j] for j in order]
    tables = [probabilities(rng, (ROWS, *in_chain[: place + 1])) for place in range(len(cards))]

    def conditional(place, rows, before):
        return logarithm(tables[place][(rows, *before.T)])

    joints = [
        oracle.chained(order, [table[row].tolist() for table in tables], cards)
        for row in range(ROWS)
    ]
    return Chain(conditional, np.arange(ROWS), order, space), joints


def make_blocks(rng, cards, space):
    whole, joints = KINDS[rng.choice(SIMPLE)](rng, cards, space)
    return Blocks(whole._rows, np.arange(ROWS), space, step=2), joints


def make_stepped_cascade(rng, cards, space):
    """The same, where every step has to be asked for; some labels are impossible in some rows."""
    d = len(cards)
    if set(cards) != {2} or d > 7:
        return make_independent(rng, cards, space)
    size = logarithm(probabilities(rng, (ROWS, d + 1)))
    tables = rng.random((ROWS, d + 1, 1 << d, d)) * (rng.random((ROWS, d + 1, 1 << d, d)) > 0.15)
    held = np.indices((2,) * d).reshape(d, -1).T
    tables[:, :, held == 1] = 0.0
    tables += (tables.sum(axis=-1, keepdims=True) == 0) * (1 - held)
    tables[:, :, :-1] /= tables[:, :, :-1].sum(axis=-1, keepdims=True)

    def step(rows, sizes, picked):
        return logarithm(tables[rows, sizes, picked @ (1 << np.arange(d)[::-1])])

    joints = [oracle.stepped(size[row].tolist(), tables[row].tolist()) for row in range(ROWS)]
    sizes = np.flatnonzero((size > -np.inf).any(axis=0))
    return SteppedCascade(size, step, np.arange(ROWS), sizes, space), joints


def make_cascade(rng, cards, space):
    """Sets of labels, by size and then label by label; independent where labels are not binary."""
    d = len(cards)
    if set(cards) != {2} or d > 7:  # the oracle adds up all orders
        return make_independent(rng, cards, space)
    size = logarithm(probabilities(rng, (ROWS, d + 1)))
    base, by_size = rng.normal(size=(ROWS, d)), rng.normal(size=(d + 1, d))
    together = np.where(np.eye(d), -np.inf, rng.normal(size=(d, d)))
    joints = [
        oracle.picked(size[row].tolist(), base[row].tolist(), by_size.tolist(), together.tolist())
        for row in range(ROWS)
    ]
    return Cascade(size, base, by_size, together, space), joints


SIMPLE = ("independent", "tree", "table", "graph")
KINDS = {
    "independent": make_independent,
    "tree": make_tree,
    "table": make_table,
    "product": make_product,
    "mixture": make_mixture,
    "backed_off": make_backed_off,
    "graph": make_graph,
    "chain": make_chain,
    "blocks": make_blocks,
    "cascade": make_cascade,
    "stepped_cascade": make_stepped_cascade,
}


def make(kind, seed, cards):
    return KINDS[kind](np.random.default_rng(seed), tuple(cards), space_of(cards))
