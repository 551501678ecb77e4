// Samples by runs: who solved what, the samples that most runs solved first. Arrow keys walk, a click opens the episode.
"use strict";

ggb.heatmap = (() => {
  const { h } = ggb;
  const FIRST = 80;

  // Tasks that the filters keep, in the order of the map, each with the episode of every run (or null).
  function rowsOf(overview, kept) {
    const { episodes, tasks } = overview;
    const rows = new Map();
    kept.forEach((own, run) => {
      for (const episode of own) {
        const task = episodes.task[episode];
        if (!rows.has(task)) rows.set(task, { task, cells: overview.runs.map(() => null), solved: 0, answered: 0 });
        const row = rows.get(task);
        row.cells[run] = episode;
        row.solved += episodes.solved[episode] === true ? 1 : 0;
        row.answered += episodes.solved[episode] === null ? 0 : 1;
      }
    });
    return [...rows.values()].sort((a, b) => b.solved - a.solved || a.task - b.task);
  }

  function cellOf(overview, run, episode) {
    if (episode === null) return h("td", { class: "absent" }, h("span", { class: "hidden" }, "not played"));
    const outcome = ggb.marks.outcome(overview.episodes, episode);
    const { letter, words } = ggb.marks.OUTCOMES[outcome];
    const task = overview.episodes.task[episode];
    const label = `${overview.tasks.scenario[task]} ${overview.tasks.sample[task]}, ${overview.runs[run].name}: ${words}`;
    return h("td", {}, h("a", {
      class: `cell ${outcome}`, href: ggb.filters.address("episode.html", { e: overview.episodes.key[episode] }), tabindex: -1, "aria-label": label, title: label,
    }, letter));
  }

  function rowOf(overview, shown, row, several) {
    const { tasks } = overview;
    const epoch = tasks.epoch[row.task] > 1 || several ? ` #${tasks.epoch[row.task]}` : "";
    return h("tr", {}, h("th", { scope: "row", title: `${tasks.repository[row.task]}, ${tasks.language[row.task]}, ${tasks.difficulty[row.task]}` },
      h("small", { class: "soft" }, `${tasks.scenario[row.task]} `), tasks.sample[row.task], epoch),
      shown.map((run) => cellOf(overview, run, row.cells[run])), h("td", { class: "count" }, row.answered ? `${row.solved}/${row.answered}` : "-"));
  }

  function show(place, overview, kept) {
    const rows = rowsOf(overview, kept);
    const shown = overview.runs.map((_, run) => run).filter((run) => kept[run].length);
    if (!rows.length) {
      ggb.show(place, h("p", { class: "soft" }, "No episode is left by these filters."));
      return;
    }
    const several = overview.tasks.epoch.some((epoch) => epoch > 1);
    const body = h("tbody", {});
    const head = h("tr", {}, h("th", { scope: "col" }, `${rows.length} samples`), shown.map((run) => h("th", { scope: "col", class: "turned", title: overview.runs[run].name },
      h("span", {}, overview.runs[run].short))), h("th", { scope: "col", class: "count" }, "solved by"));
    const table = h("table", { class: "heat" }, h("caption", { class: "hidden" }, "Samples by runs. Arrow keys walk from cell to cell, Enter opens an episode."), h("thead", {}, head), body);
    const names = ["solved", "missed", "out", "unjudged", "broken"].filter((name) => rows.some((row) => row.cells.some((episode) => episode !== null && ggb.marks.outcome(overview.episodes, episode) === name)));
    const before = place.querySelector(".heat-scroll");
    const top = before?.scrollTop ?? 0;
    const focused = place.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    const atOnce = top > 0 || focused ? rows.length : FIRST;
    const scroll = h("div", { class: "heat-scroll", role: "region", "aria-labelledby": "heat-title", tabindex: 0 }, table);
    ggb.show(place, ggb.marks.legend(names), scroll);
    body.append(...rows.slice(0, atOnce).map((row) => rowOf(overview, shown, row, several)));
    const same = focused && [...body.querySelectorAll("a.cell")].find((link) => link.getAttribute("href") === focused);
    (same || body.querySelector("a.cell"))?.setAttribute("tabindex", 0);
    scroll.scrollTop = top;
    same?.focus({ preventScroll: true });
    later(() => body.append(...rows.slice(atOnce).map((row) => rowOf(overview, shown, row, several))), rows.length > atOnce, body);
    table.addEventListener("keydown", walk);
  }

  // What is far below is made once the page can be used.
  function later(act, needed, body) {
    if (needed) (window.requestIdleCallback || setTimeout)(() => { if (body.isConnected) act(); }, { timeout: 500 });
  }

  function walk(event) {
    const cell = event.target.closest("td");
    if (!cell) return;
    const row = cell.parentNode;
    const next = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
    if (!next) return;
    event.preventDefault();
    let [to, at] = [row, cell.cellIndex];
    do {
      if (next[0]) to = next[0] > 0 ? to.nextElementSibling : to.previousElementSibling;
      at += next[1];
      if (!to || at < 1 || at >= to.cells.length) return;
    } while (!to.cells[at].querySelector("a.cell"));
    focus(to.cells[at].querySelector("a.cell"));
  }

  function focus(link) {
    for (const other of link.closest("table").querySelectorAll("a.cell[tabindex='0']")) other.setAttribute("tabindex", -1);
    link.setAttribute("tabindex", 0);
    link.focus();
  }

  // The next cell of the column that has the focus, for the keys j and k.
  function step(direction) {
    const table = document.querySelector("table.heat");
    const now = document.activeElement?.closest("table.heat td");
    if (!table) return;
    if (!now) {
      const first = table.querySelector("a.cell[tabindex='0']");
      if (first) focus(first);
      return;
    }
    let row = now.parentNode;
    do row = direction > 0 ? row.nextElementSibling : row.previousElementSibling;
    while (row && !row.cells[now.cellIndex].querySelector("a.cell"));
    if (row) focus(row.cells[now.cellIndex].querySelector("a.cell"));
  }

  return { show, rowsOf, step };
})();
