# %% [markdown]
# # Which mechanism for this log?
# A script in cells: open it in Jupyter (with jupytext), VS Code or Spyder, or run it with
# `python docs/examples/choose_a_mechanism.py`.
# It writes into the folder it is started in. The log is synthetic, so looking at it costs nobody's privacy.

# %%
import crowdlog as cl
from crowdlog.log.synth import synthesize

synthesize("example.tsv", users=500, seed=7)
log = cl.import_log("example.tsv", "example-store")

# %% [markdown]
# Every mechanism is tried with two seeds of noise; a list of values stands for a mechanism with each of them.
# In a notebook the last line of a cell shows the comparison as a table.

# %%
found = cl.compare(
    log,
    [
        "Zealous(epsilon=[1, 4], delta=1e-6, d=1)",
        "Crowd(epsilon=[1, 4], delta=1e-6)",
        cl.FTu(k=5),
        cl.Pseudonyms(),
    ],
    utility=["coverage"],
    attacks=["linkage", "singles"],
    seeds=2,
    cache="example.cache",
)
found  # noqa: B018 - a notebook shows it

# %% [markdown]
# All numbers as a pandas table: one row per mechanism, seed and measure.

# %%
numbers = found.table().to_pandas()
covered = numbers[numbers["name"] == "coverage:queries:impressions"]
print(covered.groupby("mechanism", sort=False)["value"].mean().map("{:.1%}".format).to_string())

# %% [markdown]
# Which releases does an attack break?

# %%
print(
    numbers[numbers["broken"].eq(True)][["mechanism", "name", "value", "chance"]]
    .drop_duplicates()
    .to_string(index=False)
)

# %% [markdown]
# The charts are Vega-Altair charts, shown by a notebook; `plot` writes the whole report.

# %%
chart = found.frontier()
chart.save("example-frontier.json")
found.plot("example.html")
