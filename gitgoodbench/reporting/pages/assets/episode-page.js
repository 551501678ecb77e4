// The frame of an episode: which one, the next and the previous of its run, and the same sample in other runs.
"use strict";

(() => {
  const { h } = ggb;
  let overview = null;

  function current() {
    return ggb.filters.read().get("e") ?? "";
  }

  function address(episode) {
    return ggb.filters.address("episode.html", { e: overview.episodes.key[episode] });
  }

  // The episodes of one run that the filters keep, in the order of the map on the overview.
  function listOf(run) {
    const matches = ggb.filters.matcher(overview);
    const kept = overview.runs.map(() => []);
    overview.episodes.run.forEach((of, episode) => { if (matches(episode)) kept[of].push(episode); });
    return ggb.heatmap.rowsOf(overview, kept).map((row) => row.cells[run]).filter((episode) => episode !== null);
  }

  function neighbours(here) {
    const list = listOf(overview.episodes.run[here]);
    const at = list.indexOf(here);
    return { list, at, previous: at > 0 ? list[at - 1] : null, next: at < 0 ? list[0] ?? null : list[at + 1] ?? null };
  }

  function showPosition(here) {
    const { list, at, previous, next } = neighbours(here);
    const link = (episode, words, key) => (episode === null ? h("span", { class: "soft" }, words)
      : h("a", { href: address(episode), rel: key === "j" ? "next" : "prev", "aria-keyshortcuts": key }, words));
    const run = overview.runs[overview.episodes.run[here]];
    const place = at < 0 ? `not among the ${list.length} that the filters keep` : `${at + 1} of ${list.length}`;
    ggb.show(document.getElementById("position"), h("a", { href: ggb.filters.address("index.html") }, "Overview"), " › ", h("b", {}, run.name), ` ${place} `,
      link(previous, "‹ previous (k)", "k"), " ", link(next, "next (j) ›", "j"));
  }

  function showSiblings(here) {
    const { episodes, runs } = overview;
    const others = episodes.task.map((task, episode) => (task === episodes.task[here] ? episode : -1)).filter((episode) => episode >= 0);
    ggb.show(document.getElementById("siblings"), others.length < 2 ? [] : h("ul", { class: "siblings" }, others.map((episode) => {
      const outcome = ggb.marks.outcome(episodes, episode);
      const { letter, words } = ggb.marks.OUTCOMES[outcome];
      return h("li", {}, h("a", { href: address(episode), title: `${runs[episodes.run[episode]].name}: ${words}`, "aria-current": episode === here ? "page" : null },
        h("span", { class: `cell ${outcome}`, "aria-hidden": "true" }, letter), " ", runs[episodes.run[episode]].short, h("span", { class: "hidden" }, `: ${words}`)));
    })));
  }

  function go(step) {
    const here = overview.episodes.key.indexOf(current());
    const { previous, next } = neighbours(here);
    const to = step > 0 ? next : previous;
    if (to !== null) location.assign(address(to));
  }

  function frame() {
    ggb.filters.draw(overview);
    const here = overview.episodes.key.indexOf(current());
    if (here < 0) throw new Error("no episode of these runs has this address");
    showPosition(here);
    showSiblings(here);
    const task = overview.episodes.task[here];
    document.title = `${ggb.plain(overview.tasks.sample[task])}, ${ggb.plain(overview.runs[overview.episodes.run[here]].name)} - gitgoodbench`;
  }

  async function showEpisode(fresh) {
    if (!/^[0-9a-f]+$/.test(current())) throw new Error("the address names no episode");
    const record = await ggb.load(`episodes/${current()}`, { fresh });
    const place = document.getElementById("episode");
    ggb.showEpisode(record, place);
    place.setAttribute("aria-busy", "false");
    document.body.dataset.ready = "yes";
  }

  async function start(fresh) {
    overview = await ggb.load("overview", { fresh });
    frame();
    await showEpisode(fresh);
  }

  document.addEventListener("DOMContentLoaded", () => {
    ggb.keys.on("j", "next episode of this run", () => go(1));
    ggb.keys.on("k", "previous episode of this run", () => go(-1));
    ggb.filters.onChange(() => overview && frame());
    start(false).catch(ggb.problem);
  });
  addEventListener("ggb-new-data", () => start(true).catch(ggb.problem));
})();
