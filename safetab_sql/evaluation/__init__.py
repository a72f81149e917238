"""How good, how private: releases measured against exact counts. For public or synthetic data only.

`evaluate --out DIR` writes a folder whose files all have mode 0600, and whose manifest says "confidential": true.
A count is *measured* if it has noise of its own: a cell of T2; the T1 total of a group without a T2 table. Errors are
published minus exact, in persons, over measured counts, never over sums. All shares, coverages and chances are
fractions from 0 to 1. Runs are numbered 1, 2, ... in the order of --out-dirs.

A measured count is *free* if neither suppression nor the rule against negative counts can have touched it (chance below
1e-6, from its exact size and the law of its noise). All other measured counts are *small*. A small total is published
only if its noise is large enough, so its margin of error covers it at another rate, which is nearly 0 for groups
without people; that rate is computed exactly.

The reference of files lists the files of `evaluate` and their columns.
"""
