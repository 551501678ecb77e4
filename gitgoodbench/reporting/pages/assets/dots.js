// A plot for each scenario: solve rates with their intervals, between what rules reach that know nothing and what the
// tools can reach at all, beside published figures.
"use strict";

ggb.dots = (() => {
  const { h, svg, figures } = ggb;
  const ROW = 24;
  const TOP = 24;
  const BOTTOM = 26;
  const NAMES = { answers: "of_answers", attainable: "of_attainable", all: "of_all" };

  // The rate of a run that the plot shows; where nothing is known of solved, all gates together.
  function rateOf(cell, denominator, judged) {
    return judged ? cell[NAMES[denominator]] : cell.all_gates;
  }

  function rowsOf(overview, scenario, kept, denominator) {
    const cells = overview.runs.map((run, number) => {
      const own = kept[number].filter((episode) => overview.tasks.scenario[overview.episodes.task[episode]] === scenario.name);
      return own.length ? { run, number, own, cell: figures.cell(overview, own), kind: run.kinds[scenario.name] ?? null } : null;
    }).filter(Boolean);
    const judged = cells.some(({ cell }) => cell.of_answers.total);
    const rows = cells.map((one) => ({ ...one, figure: rateOf(one.cell, denominator, judged), label: one.run.short, name: `${one.run.name}, ${one.run.who}` }))
      .filter((one) => one.figure.rate !== null);
    return { rows, judged };
  }

  // What a perfect choice among the rules would solve of the samples that all of them answered.
  function bestOfRules(overview, rules, denominator) {
    if (rules.length < 2) return null;
    const { episodes, tasks } = overview;
    const byTask = new Map();
    for (const { own } of rules) {
      for (const episode of own) {
        if (denominator !== "all" && (!episodes.answer[episode] || episodes.solved[episode] === null)) continue;
        if (denominator === "attainable" && !episodes.attainable[episode]) continue;
        const known = byTask.get(episodes.task[episode]) || [0, false];
        byTask.set(episodes.task[episode], [known[0] + 1, known[1] || episodes.solved[episode] === true]);
      }
    }
    const whole = [...byTask].filter(([, [count]]) => count === rules.length);
    if (!whole.length) return null;
    return figures.proportion(whole.map(([task, [, solved]]) => [tasks.sample[task], solved]), overview.t95);
  }

  function plotOf(overview, scenario, kept, denominator) {
    const { rows, judged } = rowsOf(overview, scenario, kept, denominator);
    if (!rows.length) return null;
    const byRate = (a, b) => b.figure.rate - a.figure.rate;
    const agents = rows.filter((row) => row.kind === null).sort(byRate);
    const rules = rows.filter((row) => row.kind === "rule").sort(byRate);
    const idle = rows.filter((row) => row.kind === "nothing");
    const best = judged ? bestOfRules(overview, rules, denominator) : null;
    const floors = [...(best ? [{ label: `best of ${rules.length} rules`, figure: best, kind: "best" }] : []), ...rules, ...idle];
    const ceilings = rows.filter((row) => row.kind === "ceiling" || row.kind === "oracle").sort(byRate);
    const published = judged && denominator !== "attainable" ? publishedOf(overview, scenario) : [];
    const floor = Math.max(0, ...floors.map((row) => row.figure.rate));
    const reach = ceilings.filter((row) => row.kind === "ceiling").map((row) => row.figure.rate);
    const ceiling = reach.length ? Math.max(...reach) : 1;
    const lines = [...agents, ...published, ...floors, ...ceilings];
    const title = `${scenario.name}${judged ? "" : ": all gates met (nobody judged it, so solved is not known)"}`;
    return h("figure", {}, h("figcaption", {}, title, note(floors, reach, ceiling, judged)), draw(lines, judged ? { floor, ceiling } : { floor: 0, ceiling: 1 }, title));
  }

  function note(floors, reach, ceiling, judged) {
    if (!judged) return null;
    const parts = [];
    if (floors.length) parts.push("grey to the left: what rules reach that know nothing of the truth");
    if (reach.length && ceiling < 1) parts.push("hatched to the right: out of reach of the tools");
    return parts.length ? h("small", { class: "soft" }, ` ${parts.join("; ")}`) : null;
  }

  function publishedOf(overview, scenario) {
    return overview.published.filter((figure) => figure.scenario === scenario.name)
      .map((figure) => ({ label: figure.label, kind: "published", figure: { rate: figure.rate, interval: figure.solved === null ? null : figures.proportion(
        Array.from({ length: figure.rows }, (_, at) => [at, at < figure.solved]), overview.t95).interval, hits: figure.solved, total: figure.rows },
        source: `${figure.source}; ${figure.corpus}, ${figure.rows} rows` }));
  }

  function textOf(row) {
    const { figure } = row;
    const counts = figure.hits === null ? `${figures.percent(figure.rate)} of ${figure.total}` : figures.share(figure);
    const origin = row.source ? `published, ${row.source}` : row.name ? `run ${row.name}` : "";
    return `${row.label}: ${counts} ${figures.interval(figure)}${origin ? ` (${origin})` : ""}`;
  }

  function draw(lines, { floor, ceiling }, title) {
    const height = TOP + lines.length * ROW + BOTTOM;
    const words = lines.map(textOf).join("; ");
    const x = (rate) => `${100 * rate}%`;
    const bands = [
      floor > 0 && svg("rect", { class: "floor", x: 0, y: TOP, width: x(floor), height: lines.length * ROW }),
      ceiling < 1 && svg("rect", { class: "beyond", x: x(ceiling), y: TOP, width: x(1 - ceiling), height: lines.length * ROW }),
    ];
    const ticks = [0, 0.25, 0.5, 0.75, 1].map((rate) => [
      svg("line", { class: "rule", x1: x(rate), x2: x(rate), y1: TOP, y2: TOP + lines.length * ROW }),
      svg("text", { class: rate % 0.5 ? "tick between" : "tick", x: x(rate), y: TOP + lines.length * ROW + 18, "text-anchor": rate === 0 ? "start" : rate === 1 ? "end" : "middle" }, `${100 * rate} %`),
    ]);
    const marks = lines.map((row, at) => markOf(row, TOP + (at + 0.5) * ROW, x));
    const hatch = svg("defs", {}, svg("pattern", { id: "hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
      svg("line", { class: "hatch", x1: 0, x2: 0, y1: 0, y2: 6 })));
    const names = h("ul", { class: "names", "aria-hidden": "true" }, lines.map((row) => h("li", { title: textOf(row) }, row.label,
      row.kind === "published" ? h("small", { class: "soft" }, " published") : null)));
    const plot = svg("svg", { role: "img", "aria-label": `${title}: ${words}`, height, width: "100%" }, hatch, bands, ticks, marks);
    return h("div", { class: "dot-plot" }, names, plot);
  }

  function markOf(row, y, x) {
    const known = row.figure.interval;
    const style = row.kind === null ? ggb.marks.colour(row.number) : `reference ${row.kind}`;
    const shape = row.kind === null ? ggb.marks.symbol(row.number, 90) : d3.symbol(row.kind === "published" ? d3.symbolCircle : d3.symbolDiamond, 60)();
    return svg("g", { class: `mark ${style}` }, svg("title", {}, textOf(row)),
      known && svg("line", { class: "whisker", x1: x(known[0]), x2: x(known[1]), y1: y, y2: y }),
      svg("svg", { x: x(row.figure.rate), y, overflow: "visible" }, svg("path", { d: shape })));
  }

  function show(place, overview, kept, denominator) {
    const plots = overview.scenarios.map((scenario) => plotOf(overview, scenario, kept, denominator)).filter(Boolean);
    ggb.show(place, plots.length ? plots : h("p", { class: "soft" }, "No episode that the filters keep says anything of this rate."));
  }

  return { show };
})();
