"""How the report looks, on a screen and on paper, beyond the style of all pages."""

MORE_STYLE = """
body{max-width:68rem}h3{font-size:1rem;margin:1.4rem 0 .3rem}
th{vertical-align:bottom}th.n{text-align:right}td.n.soft{color:var(--soft)}.wide{overflow-x:auto}
.bad,td.n.bad{color:var(--warn);font-weight:600}.so-so,td.n.so-so{color:#9a6700}
table.glance{font-size:.85rem;line-height:1.3}table.glance td,table.glance th{padding-left:.5rem}table.glance code{white-space:nowrap;font-size:.85em}
table.glance td:first-child,table.glance th:first-child{padding-left:0}
.chart{display:block!important;background:#fff;color:#000;padding:.6rem;border:1px solid var(--line);border-radius:.5rem}
.chart{overflow-x:auto;break-inside:avoid}.chart select{max-width:90%}
.chart .vega-bindings{font:14px/1.8 system-ui,sans-serif;padding:.4rem 0}.chart .vega-bind{display:inline-block;margin-right:1.5rem}
details{margin:.4rem 0}summary{cursor:pointer}.promise{break-inside:avoid}
pre{white-space:pre-wrap;overflow-wrap:anywhere;font-size:.83rem;background:var(--card);padding:.5rem .8rem;border-radius:.4rem}
@media (prefers-color-scheme:dark){.so-so,td.n.so-so{color:#e3b341}}
@media print{
body{font-size:12px}.wide{overflow:visible}table.glance{font-size:8.5px}table.glance code{font-size:7.5px;padding:0}
table.glance td,table.glance th{padding:.15rem .1rem .15rem .3rem}pre{font-size:10px}
.chart{overflow:visible;border:0;padding:0}.chart svg{max-width:100%;height:auto}
.chart .vega-bindings select{border:0;appearance:none;background:none}.vega-embed summary,.chart .vega-bind:has(input){display:none}
tr{break-inside:avoid}h2,h3{break-after:avoid}
}
"""
