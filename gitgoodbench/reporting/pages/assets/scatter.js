// Solve rate against what it cost, and against the time it took: a point for each run.
"use strict";

ggb.scatter = (() => {
  const { h, svg, figures } = ggb;
  const WIDTH = 520;
  const HEIGHT = 320;
  const EDGE = { left: 46, right: 16, top: 14, bottom: 44 };

  function pointsOf(overview, kept, valueOf) {
    return overview.runs.map((run, number) => {
      if (!kept[number].length) return null;
      const cell = figures.cell(overview, kept[number]);
      const figure = cell.of_answers;
      const value = valueOf(cell);
      return figure.rate === null || value === null ? null : { run, number, figure, value, cell };
    }).filter(Boolean);
  }

  function scaleOf(points) {
    const values = points.map(({ value }) => value);
    const [low, high] = d3.extent(values);
    const wide = low > 0 && high / low > 20;
    const scale = wide ? d3.scaleLog().domain([low / 1.3, high * 1.3]) : d3.scaleLinear().domain([0, high > 0 ? high * 1.08 : 1]).nice();
    return scale.range([EDGE.left, WIDTH - EDGE.right]);
  }

  function plot(points, { title, axis, format }) {
    if (!points.length) return null;
    const x = scaleOf(points);
    const y = d3.scaleLinear().domain([0, 1]).range([HEIGHT - EDGE.bottom, EDGE.top]);
    const ticks = x.base ? x.ticks().filter((tick) => [1, 2, 5].includes(Math.round(tick / 10 ** Math.floor(Math.log10(tick) + 1e-9)))) : x.ticks(5);
    const words = points.map(({ run, figure, value }) => `${run.who}: ${figures.percent(figure.rate)} at ${format(value)}`);
    const frame = [0, 0.25, 0.5, 0.75, 1].map((rate) => [
      svg("line", { class: "rule", x1: EDGE.left, x2: WIDTH - EDGE.right, y1: y(rate), y2: y(rate) }),
      svg("text", { class: "tick", x: EDGE.left - 6, y: y(rate) + 4, "text-anchor": "end" }, `${100 * rate} %`),
    ]);
    const along = ticks.map((tick) => [
      svg("line", { class: "rule", x1: x(tick), x2: x(tick), y1: y(0), y2: y(0) + 4 }),
      svg("text", { class: "tick", x: x(tick), y: y(0) + 18, "text-anchor": "middle" }, format(tick)),
    ]);
    const marks = points.map((point, at) => markOf(point, x(point.value), y, words[at]));
    return h("figure", {}, h("figcaption", {}, title),
      svg("svg", { role: "img", "aria-label": `${title}. ${words.join("; ")}`, viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "scatter" }, frame, along,
        svg("text", { class: "tick", x: (EDGE.left + WIDTH) / 2, y: HEIGHT - 6, "text-anchor": "middle" }, axis), marks),
      legend(points, format));
  }

  function markOf({ number, figure }, x, y, words) {
    const [low, high] = figure.interval;
    return svg("g", { class: `mark ${ggb.marks.colour(number)}` }, svg("title", {}, words),
      svg("line", { class: "whisker", x1: x, x2: x, y1: y(low), y2: y(high) }),
      svg("path", { d: ggb.marks.symbol(number, 90), transform: `translate(${x},${y(figure.rate)})` }));
  }

  function legend(points, format) {
    return h("ul", { class: "legend" }, points.map(({ run, number, value }) => h("li", {},
      svg("svg", { class: `symbol ${ggb.marks.colour(number)}`, viewBox: "-7 -7 14 14", "aria-hidden": "true" }, svg("path", { d: ggb.marks.symbol(number, 60) })),
      " ", run.short, h("small", { class: "soft" }, ` ${format(value)}`))));
  }

  function show(place, overview, kept) {
    const perEpisode = (cell) => (cell.cost ? cell.cost / cell.rows : null);
    const plots = [
      plot(pointsOf(overview, kept, perEpisode), { title: "Solved of answers, by dollars an episode", axis: "US dollars an episode", format: (value) => `$${d3.format(".2~g")(value)}` }),
      plot(pointsOf(overview, kept, (cell) => cell.seconds), { title: "Solved of answers, by seconds an episode", axis: "median seconds an episode", format: (value) => `${d3.format(".3~g")(value)} s` }),
    ].filter(Boolean);
    ggb.show(place, plots.length ? plots : h("p", { class: "soft" }, "Nothing is known of solved here, so there is nothing to draw."));
  }

  return { show };
})();
