// The table of runs: one row for each, with the figures of the episodes that the filters keep.
"use strict";

ggb.runsTable = (() => {
  const { h, figures } = ggb;

  function rate(figure, unknown = false) {
    if (unknown || figure.rate === null) return { shown: "-", sort: "" };
    return { shown: [figures.share(figure), " ", h("small", { class: "soft" }, figures.interval(figure))], sort: figure.rate };
  }

  function scoreColumns(overview, cells) {
    return Object.keys(overview.episodes.scores).filter((name) => name !== "exact_match" && cells.some((cell) => cell.scores[name].count))
      .map((name) => ({
        header: name.replaceAll("_", " "), group: "graded scores",
        of: (run, cell) => {
          const { mean, count } = cell.scores[name];
          const some = mean === null || count === cell.answers ? "" : h("small", { class: "soft" }, ` (${count})`);
          return { shown: [figures.percent(mean), some], sort: mean ?? "" };
        },
      }));
  }

  function traitColumns(overview, cells) {
    const words = Object.assign({}, ...overview.scenarios.map((scenario) => scenario.traits));
    const names = new Set(cells.flatMap((cell) => Object.keys(cell.of_traits)));
    return [...names].map((name) => ({
      header: `of ${words[name] || name}`, group: "solved",
      of: (run, cell) => (cell.of_traits[name] ? rate(cell.of_traits[name]) : { shown: "-", sort: "" }),
    }));
  }

  // Every column; those that say nothing of any run are left out.
  function columnsOf(overview, cells) {
    const some = (holds) => cells.some(holds);
    return [
      { header: "suite", of: (run) => ({ shown: [run.suite, " ", badge(overview, run)], sort: run.suite }) },
      { header: "tools", of: (run) => ({ shown: [run.tools, run.options.length ? h("small", { class: "soft" }, ` ${run.options.join(", ")}`) : ""], sort: run.tools }) },
      { header: "sandbox", of: (run) => ({ shown: run.sandbox ?? "-", sort: run.sandbox ?? "" }) },
      { header: "episodes", of: (run, cell) => ({ shown: figures.count(cell.rows), sort: cell.rows }) },
      { header: "of attainable", group: "solved", of: (run, cell) => rate(cell.of_attainable) },
      ...traitColumns(overview, cells),
      { header: "of answers", group: "solved", of: (run, cell) => rate(cell.of_answers) },
      { header: "of all", group: "solved", of: (run, cell) => rate(cell.of_all, !cell.known || !cell.all_known) },
      { header: "all gates", of: (run, cell) => rate(cell.all_gates) },
      ...(some((cell) => cell.wins.total) ? [
        { header: "wins", group: "judge", of: (run, cell) => rate(cell.wins) },
        { header: "ties", group: "judge", of: (run, cell) => rate(cell.ties) },
      ] : []),
      ...scoreColumns(overview, cells),
      ...(some((cell) => cell.tokens) ? [{ header: "tokens", of: (run, cell) => ({ shown: figures.count(cell.tokens), sort: cell.tokens ?? "" }) }] : []),
      ...(some((cell) => cell.cost || cell.unknown_costs) ? [
        { header: "cost", of: (run, cell) => ({ shown: figures.dollars(cell.cost, cell.unknown_costs), sort: cell.cost ?? "" }) },
      ] : []),
      { header: "s/episode", of: (run, cell) => ({ shown: figures.seconds(cell.seconds), sort: cell.seconds ?? "" }) },
      { header: "failures", of: (run, cell) => ({ shown: String(cell.failures), sort: cell.failures }) },
    ];
  }

  function badge(overview, run) {
    if (overview.runs.length < 2) return null;
    const alone = overview.groups > 1;
    const words = alone ? `samples ${String.fromCharCode(65 + run.group % 26)}` : "same samples";
    const title = alone ? "Runs with the same letter played the same samples; others cannot be compared" : "All runs here played the same samples in each scenario that they share";
    return h("span", { class: alone ? "badge other" : "badge", title }, words);
  }

  function nameCell(run, number) {
    const state = run.running ? h("span", { class: "badge running" }, `running ${run.done}/${run.planned}`)
      : run.done < run.planned ? h("span", { class: "badge other" }, `${run.done} of ${run.planned}`) : null;
    const symbol = ggb.svg("svg", { class: `symbol ${ggb.marks.colour(number)}`, viewBox: "-7 -7 14 14", "aria-hidden": "true" },
      ggb.svg("path", { d: ggb.marks.symbol(number, 60) }));
    return h("th", { scope: "row", "data-sort": run.who }, symbol, " ", h("span", { class: "who" }, run.agent),
      run.model === null ? null : h("span", { class: "model" }, " ", run.model), " ", state,
      h("small", { class: "soft run" }, run.name));
  }

  // Draw the table. kept: for each run, the numbers of its episodes that the filters keep.
  function draw(table, overview, kept) {
    const shown = overview.runs.map((run, number) => [run, number]).filter(([, number]) => kept[number].length);
    const cells = shown.map(([, number]) => figures.cell(overview, kept[number]));
    const columns = columnsOf(overview, cells);
    const heads = [ggb.sorting.header("agent"), ...columns.map((column) => ggb.sorting.header(
      [column.group ? h("small", { class: "soft group" }, column.group, " ") : null, column.header]))];
    const rows = shown.map(([run, number], at) => h("tr", {}, nameCell(run, number), columns.map((column) => {
      const { shown: content, sort } = column.of(run, cells[at]);
      return h("td", { "data-sort": sort }, content);
    })));
    ggb.show(table, h("caption", { class: "hidden" }, "Runs and their figures"), h("thead", {}, h("tr", {}, heads)), h("tbody", {}, rows));
    table.classList.toggle("empty", !rows.length);
    ggb.sorting.enable(table);
  }

  return { draw };
})();
