"""The main columns of `traceproof census` by Dask, from the parts that `census --parquet DIR` wrote.

    pip install -e '.[cluster]'
    python bench/census_dask.py DIR

Every step adds up rows and no more, so each worker of a cluster can take some of the parts. Writes JSON, one object for
each event name.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import pandas as pd


def census(folder: Path) -> list[dict[str, Any]]:
    """Records, traces, quantiles of the duration and number of argument paths of each event."""
    events = dd.read_parquet(str(folder / "events"), columns=["trace", "name", "records"])
    found = events.groupby("name")["records"].sum().compute().to_frame()
    found["traces"] = events.drop_duplicates(["name", "trace"]).groupby("name").size().compute()

    durations = dd.read_parquet(str(folder / "durations"), columns=["name", "dur_us", "events"])
    each = durations.groupby(["name", "dur_us"])["events"].sum().compute().sort_index()
    upto, whole = each.groupby("name").cumsum(), each.groupby("name").transform("sum")
    found["timed"] = each.groupby("name").sum()
    for percent in (50, 95):
        reached = each[upto * 100 >= whole * percent].reset_index()
        found[f"p{percent}_us"] = reached.groupby("name")["dur_us"].min()

    arguments = dd.read_parquet(str(folder / "arguments"), columns=["name", "path"])
    found["arguments"] = arguments.drop_duplicates().groupby("name").size().compute()

    found = found.sort_values("records", ascending=False).reset_index()
    return [
        {key: None if pd.isna(value) else value for key, value in row.items()}
        | {key: 0 if pd.isna(row[key]) else int(row[key]) for key in ("timed", "arguments")}
        for row in found.to_dict("records")
    ]


if __name__ == "__main__":
    print(json.dumps(census(Path(sys.argv[1])), indent=1))
