"""How good, how private: releases measured against exact counts. For public or synthetic data only.

`evaluate --out DIR` writes a folder whose files all have mode 0600, and whose manifest says "confidential": true. Which
counts are measured, free and small: evaluation.md section 2. All shares, coverages and chances are fractions from 0 to
1. Runs are numbered 1, 2, ... in the order of --out-dirs. The reference of files lists the files and their columns.
"""
