"""MST (McKenna, Miklau, Sheldon 2021), a rival's method, on their own inference: needs `pip install mbi`.

    python -m tests.benchmarks.maximum_spanning_tree CODES.parquet SIZES.json EPSILON DELTA OUT.parquet

A third of the budget each for every field, for choosing a tree of pairs by the exponential mechanism, and for the
tables of these pairs; values of which the noisy count is below three standard deviations become one. With a DELTA it is
as published: Gaussian noise, rho zCDP. DELTA 0 makes it pure DP: Laplace noise. CODES: one column a field, codes from
0; SIZES: of the domains, by field. For comparison alone: its noise is drawn in floats by a fast generator.
"""

import json
import sys
from itertools import combinations
from math import sqrt
from pathlib import Path

import mbi
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.kit.arrays import Floats, Int64s
from tests.benchmarks.rivals import rho_of

_SPARED = 3  # standard deviations below which values are joined
_STEPS = 1000, 5000  # of the inference: of single fields, and of the tree


def main() -> None:
    codes, sizes, epsilon, delta, out = sys.argv[1:]
    domain = mbi.Domain.fromdict(json.loads(Path(sizes).read_text(encoding="utf-8")))
    table = pq.read_table(codes)
    data = mbi.Dataset({name: table[name].to_numpy().astype(np.int64) for name in domain}, domain)
    made = Mechanism(float(epsilon), float(delta)).rows(data)
    pq.write_table(pa.table({name: np.asarray(made.data[name]) for name in domain}), out)


class Mechanism:
    """MST with this budget. third: of rho, or of epsilon where delta is 0."""

    def __init__(self, epsilon: float, delta: float) -> None:
        self.is_pure = delta == 0
        self.third = (epsilon if self.is_pure else float(rho_of(epsilon, delta))) / 3
        self.stream = np.random.default_rng()

    def rows(self, data: mbi.Dataset) -> mbi.Dataset:
        """Synthetic rows of the fields of `data`."""
        fields = self.measured(data, [(name,) for name in data.domain])
        weights = [1 / (one.noisy_measurement.size * one.stddev**2) for one in fields]
        total = float(np.average([one.noisy_measurement.sum() for one in fields], weights=weights))
        joined = {one.clique[0]: _joined(one) for one in fields}
        coarse, fields = data.compress(joined), [one.compress(joined, data.domain) for one in fields]
        inference = mbi.estimation.MirrorDescent()
        alone = inference.estimate(coarse.domain, fields, iters=_STEPS[0], known_total=total)
        tables = self.measured(coarse, self.tree(coarse, alone))
        found = inference.estimate(coarse.domain, fields + tables, iters=_STEPS[1], known_total=total)
        return found.synthetic_data().decompress(joined)

    def measured(self, data: mbi.Dataset, cliques: list[tuple[str, ...]]) -> list[mbi.LinearMeasurement]:
        """A noisy table of each of these sets of fields; together they take a third of the budget."""
        each, found = self.third / len(cliques), []
        deviation = sqrt(2) / each if self.is_pure else sqrt(1 / (2 * each))
        draw = self.stream.laplace if self.is_pure else self.stream.normal
        for clique in cliques:
            exact = np.asarray(data.project(clique).datavector())
            noise = draw(0.0, 1 / each if self.is_pure else deviation, exact.size)
            found.append(mbi.LinearMeasurement(exact + noise, clique, deviation))
        return found

    def tree(self, data: mbi.Dataset, alone: mbi.MarkovRandomField) -> list[tuple[str, ...]]:
        """Pairs of fields without a circle, far from independent; their choice takes a third of the budget."""
        total = float(alone.total)
        shares = {name: np.asarray(alone.project((name,)).datavector()) for name in data.domain}
        distance = {
            (one, other): np.abs(
                np.asarray(data.project((one, other)).datavector())
                - np.outer(shares[one], shares[other]).ravel() / total
            ).sum()
            for one, other in combinations(data.domain, 2)
        }
        roots = {name: name for name in data.domain}
        choices = len(roots) - 1
        epsilon = self.third / choices if self.is_pure else sqrt(8 * self.third / choices)
        chosen: list[tuple[str, ...]] = []
        while len(chosen) < choices:
            possible = [pair for pair in distance if roots[pair[0]] != roots[pair[1]]]
            gumbel = self.stream.gumbel(size=len(possible))  # the largest sum is drawn by the exponential mechanism
            pair = possible[int(np.argmax(gumbel + epsilon / 2 * np.array([distance[one] for one in possible])))]
            chosen.append(pair)
            one, other = (roots[name] for name in pair)
            roots = {name: one if root == other else root for name, root in roots.items()}
        return chosen


def _joined(field: mbi.LinearMeasurement) -> Int64s:
    """The new code of each value: values with small counts share the last one."""
    counts: Floats = np.asarray(field.noisy_measurement)
    is_kept = counts >= _SPARED * field.stddev
    return np.where(is_kept, np.cumsum(is_kept) - 1, is_kept.sum())


if __name__ == "__main__":
    main()
