// A plot for each scenario: the difference of two runs, all of it and part by part, with intervals, around no difference.
"use strict";

ggb.forest = (() => {
  const { h, svg } = ggb;
  const ROW = 24;
  const TOP = 24;
  const BOTTOM = 26;
  const x = (difference) => `${50 + 50 * difference}%`;

  function rowsOf(pair) {
    const whole = { label: "all", part: false, ...pair };
    return [whole, ...pair.strata.map((stratum) => ({ label: stratum.value, part: true, ...stratum }))];
  }

  function textOf(row) {
    return `${row.part ? `${row.dimension}: ${row.label}` : row.label}, ${row.n} episodes: ${ggb.points(row.difference)} ${ggb.ends(row.interval)}, only A ${row.only_a}, only B ${row.only_b}`;
  }

  function markOf(row, at) {
    const y = TOP + (at + 0.5) * ROW;
    return svg("g", { class: `mark ${row.part ? "part" : "whole"}` }, svg("title", {}, textOf(row)),
      row.interval && svg("line", { class: "whisker", x1: x(row.interval[0]), x2: x(row.interval[1]), y1: y, y2: y }),
      svg("svg", { x: x(row.difference), y, overflow: "visible" }, svg("path", { d: d3.symbol(row.part ? d3.symbolCircle : d3.symbolDiamond, row.part ? 60 : 110)() })));
  }

  function plotOf(pair, title) {
    const rows = rowsOf(pair);
    const bottom = TOP + rows.length * ROW;
    const ticks = [-1, -0.5, 0, 0.5, 1].map((value) => [
      svg("line", { class: value ? "rule" : "zero", x1: x(value), x2: x(value), y1: TOP, y2: bottom }),
      svg("text", { class: value % 1 ? "tick between" : "tick", x: x(value), y: bottom + 18, "text-anchor": value === -1 ? "start" : value === 1 ? "end" : "middle" }, value ? `${value > 0 ? "+" : "−"}${Math.abs(100 * value)}` : "0"),
    ]);
    const sides = [svg("text", { class: "tick", x: "0%", y: 14 }, "◂ B more"), svg("text", { class: "tick", x: "100%", y: 14, "text-anchor": "end" }, "A more ▸")];
    const names = h("ul", { class: "names", "aria-hidden": "true" }, rows.map((row) => h("li", { title: textOf(row) }, row.label, h("small", { class: "soft" }, ` ${row.n}`))));
    const plot = svg("svg", { role: "img", "aria-label": `${title}: ${rows.map(textOf).join("; ")}`, height: bottom + BOTTOM, width: "100%" }, sides, ticks, rows.map(markOf));
    return h("figure", {}, h("figcaption", {}, title), h("div", { class: "dot-plot" }, names, plot));
  }

  // pairs: figures of verdicts, of one scenario each.
  function show(place, pairs) {
    const plots = pairs.filter((pair) => pair.n).map((pair) => plotOf(pair, `${pair.scenario ?? "all scenarios"}: ${pair.score.replace("_", " ")}`));
    ggb.show(place, plots.length ? plots : h("p", { class: "soft" }, "No episode has a verdict in both runs."));
  }

  return { show };
})();
