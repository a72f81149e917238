"""Noisy T1 by OpenDP: `python with_opendp.py INPUTS OUT`. That a person is in at most nine rows is taken on trust."""

import sys

import opendp.prelude as dp
import polars as pl

inputs, out = sys.argv[1:]
dp.enable_features("contrib")
keys = pl.scan_parquet(f"{inputs}/peer_counties").join(
    pl.scan_parquet(f"{inputs}/peer_iterations").select("iteration_code"), how="cross"
)
group = ["county", "iteration_code"]
bounds = [dp.polars.Bound(per_group=9), dp.polars.Bound(by=group, per_group=1, num_groups=9)]
context = dp.Context.compositor(
    data=pl.scan_parquet(f"{inputs}/peer_memberships"),
    privacy_unit=dp.unit_of(contributions=bounds),
    privacy_loss=dp.loss_of(rho=0.159),
    split_evenly_over=1,
)
query = context.query().group_by(group).agg(dp.len(signed=True)).with_keys(keys)
query.release().collect().write_parquet(out)
