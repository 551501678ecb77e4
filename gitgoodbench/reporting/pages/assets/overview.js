// The overview: everything that depends on the filters is counted anew when they change.
"use strict";

(() => {
  const { h } = ggb;
  let overview = null;

  // For each run, the numbers of its episodes that the filters keep.
  function keptOf() {
    const kept = overview.runs.map(() => []);
    const matches = ggb.filters.matcher(overview);
    overview.episodes.run.forEach((run, episode) => { if (matches(episode)) kept[run].push(episode); });
    return kept;
  }

  function draw() {
    const kept = keptOf();
    const denominator = document.getElementById("denominator").value;
    ggb.filters.draw(overview);
    ggb.runsTable.draw(document.getElementById("runs"), overview, kept);
    showNote(kept);
    showFailures(kept);
    ggb.dots.show(document.getElementById("dots"), overview, kept, denominator);
    ggb.scatter.show(document.getElementById("scatter"), overview, kept);
    ggb.heatmap.show(document.getElementById("heat"), overview, kept);
    document.body.dataset.ready = "yes";
  }

  function showNote(kept) {
    const count = kept.flat().length;
    const all = overview.episodes.run.length;
    const names = new Set(kept.flat().map((episode) => overview.tasks.scenario[overview.episodes.task[episode]]));
    const scenarios = names.size > 1 ? " All scenarios together; the scenario filter keeps one." : "";
    ggb.show(document.getElementById("runs-note"), `${count === all ? all : `${count} of ${all}`} episodes of ${overview.runs.length} runs.${scenarios} In brackets the 95 % interval in percent.`);
  }

  // Episodes that are no answers, by reason, the most frequent first.
  function showFailures(kept) {
    const { episodes } = overview;
    const groups = new Map();
    for (const episode of kept.flat()) {
      if (episodes.answer[episode]) continue;
      const key = `${episodes.status[episode]}: ${episodes.error[episode] ?? "no reason given"}`;
      groups.set(key, [...(groups.get(key) || []), episode]);
    }
    const place = document.getElementById("failures");
    if (!groups.size) return ggb.show(place);
    const items = [...groups].sort(([, a], [, b]) => b.length - a.length).map(([reason, found]) => h("li", {}, `${found.length} × ${reason} (`,
      h("a", { href: ggb.filters.address("episode.html", { e: episodes.key[found[0]] }) }, overview.tasks.sample[episodes.task[found[0]]]), found.length > 1 ? ", …)" : ")"));
    const open = place.querySelector("details")?.open ?? false;
    return ggb.show(place, h("details", { open }, h("summary", {}, `${[...groups.values()].flat().length} episodes are no answers, for ${groups.size} ${groups.size === 1 ? "reason" : "reasons"}`), h("ul", {}, items)));
  }

  async function refresh() {
    overview = await ggb.load("overview", { fresh: true });
    draw();
  }

  document.addEventListener("DOMContentLoaded", () => {
    ggb.load("overview").then((found) => {
      overview = found;
      const chosen = document.getElementById("denominator");
      chosen.value = ggb.filters.read().get("rate") || "answers";
      chosen.addEventListener("change", () => ggb.filters.set("rate", chosen.value === "answers" ? [] : [chosen.value]));
      ggb.filters.onChange(draw);
      ggb.keys.on("j", "next sample in the map", () => ggb.heatmap.step(1));
      ggb.keys.on("k", "previous sample in the map", () => ggb.heatmap.step(-1));
      draw();
    }).catch(ggb.problem);
  });
  addEventListener("ggb-new-data", () => refresh().catch(ggb.problem));
})();
