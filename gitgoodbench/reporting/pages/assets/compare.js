// Two of the runs against each other. The figures are computed when the pages are made; the page chooses and turns them.
"use strict";

(() => {
  const { h } = ggb;
  const VERDICTS = ["solved", "all_gates"];
  const BEARS = { comparison: "The runs differ beyond what is compared, so that a difference may come from this:", matching: "Not the same episodes; only common ones are compared:", seconds: "This bears on seconds alone:" };
  let overview = null;
  let compared = null;
  let numbers = null;

  const signed = (value) => (Math.abs(value) < 0.05 ? "0.0" : `${value > 0 ? "+" : "−"}${Math.abs(value).toFixed(1)}`);
  ggb.points = (value) => (value === null ? "-" : signed(100 * value));
  ggb.ends = (interval) => (interval === null ? "" : `[${signed(100 * interval[0])}, ${signed(100 * interval[1])}]`);
  const percent = (value) => (value === null ? "-" : `${(100 * value).toFixed(1)} %`);
  const pValue = (p) => (p === null ? "-" : p < 0.0001 ? "< 0.0001" : p.toFixed(4));
  const count = (value) => (value === null ? "-" : value.toLocaleString("en"));
  const number = (value, measure) => (measure === "tokens" ? Math.round(value).toLocaleString("en") : measure === "cost_usd" ? `$${value.toFixed(Math.abs(value) < 1 ? 4 : 2)}` : value.toFixed(2));
  const minus = (interval) => interval && [-interval[1], -interval[0]];
  const over = (interval) => interval && interval.every((end) => end > 0) ? [1 / interval[1], 1 / interval[0]] : null;

  // The same figures with A and B exchanged.
  function turnedFigures(one) {
    const left = Object.fromEntries(Object.entries(one.left_out || {}).map(([why, n]) => [why.replace(/^[ab]/, (side) => (side === "a" ? "b" : "a")), n]));
    return { ...one, mean_a: one.mean_b, mean_b: one.mean_a, only_a: one.only_b, only_b: one.only_a, difference: one.difference === null ? null : -one.difference,
      interval: minus(one.interval), interval_by_repository: minus(one.interval_by_repository ?? null), left_out: left, strata: (one.strata || []).map(turnedFigures) };
  }

  function turned(pair) {
    return {
      matching: pair.matching.map((one) => ({ ...one, only_in_a: one.only_in_b, only_in_b: one.only_in_a })),
      pairs: pair.pairs.map(turnedFigures),
      efforts: pair.efforts.map((one) => ({ ...one, total_a: one.total_b, total_b: one.total_a, difference: -one.difference, interval: minus(one.interval), ratio: one.ratio ? 1 / one.ratio : null, ratio_interval: over(one.ratio_interval) })),
      flips: pair.flips.map(([by, a, b, why]) => [by === "a" ? "b" : "a", b, a, why]),
    };
  }

  function pairOf(a, b) {
    const straight = compared.pairs[`${a}-${b}`];
    if (straight) return straight;
    const back = compared.pairs[`${b}-${a}`];
    return back ? turned(back) : null;
  }

  // The runs that the address names, else the first two that can be compared.
  function chosen() {
    const query = ggb.filters.read();
    const at = (name) => overview.runs.findIndex((run) => run.name === query.get(name));
    const [first, second] = (Object.keys(compared.pairs)[0] || "0-1").split("-").map(Number);
    const a = at("a") >= 0 ? at("a") : at("b") === first ? second : first;
    const b = at("b") >= 0 ? at("b") : overview.runs.findIndex((run, other) => other !== a && pairOf(a, other));
    return [a, b];
  }

  function fillChoices(a, b) {
    for (const [id, at, other] of [["run-a", a, b], ["run-b", b, a]]) {
      const options = overview.runs.map((run, place) => {
        const option = h("option", { value: place, selected: place === at }, `${run.who}, ${run.name}`);
        option.disabled = place === other;
        return option;
      });
      ggb.show(document.getElementById(id), options);
      document.getElementById(id).value = String(at);
    }
  }

  function choose(a, b) {
    const query = ggb.filters.read();
    query.set("a", overview.runs[a].name);
    query.set("b", overview.runs[b].name);
    history.replaceState(null, "", `${location.pathname}?${query}`);
    draw();
  }

  function verdictOf(pair, a, b) {
    const solved = pair.pairs.filter((one) => one.score === "solved" && one.n);
    const one = solved.find(({ scenario }) => scenario === null) || solved[0] || pair.pairs.find(({ score, n }) => score === "all_gates" && n);
    if (!one) return "No episode has a verdict in both runs.";
    const [unjudged, what, within] = one.score === "solved" ? ["", "solved", ""] : [", which nobody judged,", "met all gates in", "in "];
    const where = (one.scenario === null ? "" : ` of ${one.scenario}`) + (unjudged || ",");
    const sure = one.p_holm !== null && one.p_holm < 0.05;
    const more = one.more_samples ? ` If the true difference is this one, it takes ${count(one.more_samples)} more samples to show it in 4 of 5 comparisons.` : "";
    return `Of ${one.n} common episodes${where} A (${a.who}) alone ${what} ${one.only_a}, B (${b.who}) alone ${within}${one.only_b}. ${sure ? "That is more than chance" : "That may be chance"} (p ${pValue(one.p_holm)}).${sure ? "" : more}`;
  }

  function showDiffers(pair, a, b) {
    const parts = [];
    for (const [bears, words] of Object.entries(BEARS)) {
      const found = compared.disagreements.filter((one) => one.bears_on === bears && one.values[a] !== undefined && one.values[b] !== undefined
        && (one.values[a] !== one.values[b] || (bears === "matching" && one.what === "episodes without a result")));
      if (found.length) parts.push(h("div", { class: "warning" }, words, h("ul", {}, found.map((one) => h("li", {}, `${one.what}: A `, h("code", {}, one.values[a]), ", B ", h("code", {}, one.values[b]))))));
    }
    const alone = pair.matching.filter((one) => one.only_in_a || one.only_in_b).map((one) => h("li", {}, `${one.scenario}: ${one.matched} in both, ${one.only_in_a} only in A, ${one.only_in_b} only in B`));
    const left = pair.pairs.filter((one) => one.score === "solved" && one.scenario !== null && Object.keys(one.left_out).length)
      .map((one) => h("li", {}, `${one.scenario}, in no figure of solved: ${Object.entries(one.left_out).map(([why, n]) => `${n} × ${why.slice(3)} in ${why[0].toUpperCase()}`).join(", ")}`));
    if (alone.length || left.length) parts.push(h("details", {}, h("summary", {}, "Episodes that are not compared"), h("ul", {}, alone, left)));
    ggb.show(document.getElementById("differs"), parts);
  }

  function headers(names) {
    return h("thead", {}, h("tr", {}, names.map((name) => h("th", { scope: "col" }, name))));
  }

  function showFigures(pair) {
    const rows = pair.pairs.map((one) => {
      const verdict = VERDICTS.includes(one.score);
      const mean = (value) => (verdict && value !== null ? `${Math.round(value * one.n)}/${one.n} ${percent(value)}` : percent(value));
      const sure = one.p_holm !== null && one.p_holm < 0.05;
      const cells = [one.n, mean(one.mean_a), mean(one.mean_b), count(one.only_a), count(one.only_b),
        h("span", { class: sure ? "sure" : "" }, `${ggb.points(one.difference)} ${ggb.ends(one.interval)}`),
        one.interval_by_repository ? `${ggb.ends(one.interval_by_repository)} (${one.repositories})` : "-",
        pValue(verdict ? one.p_mcnemar : one.p_wilcoxon), pValue(one.p_holm), count(one.more_samples), one.detectable === null ? "-" : (100 * one.detectable).toFixed(1)];
      return h("tr", {}, h("th", { scope: "row", class: one.score === "solved" ? "first" : "" }, `${one.scenario ?? "all scenarios"}: ${one.score.replaceAll("_", " ")}`), cells.map((cell) => h("td", {}, cell)));
    });
    ggb.show(document.getElementById("figures"), h("caption", { class: "hidden" }, "Figures of both runs"),
      headers(["score", "n", "A", "B", "only A", "only B", "A − B", "by repository (n)", "p", "p (Holm, all pairs shown)", "more samples to show it", "difference that n show"]), h("tbody", {}, rows));
  }

  function showEffort(pair) {
    const rows = pair.efforts.map((one) => h("tr", {}, h("th", { scope: "row" }, `${one.scenario ?? "all scenarios"}: ${one.measure === "cost_usd" ? "cost" : one.measure}`),
      [one.n, one.unknown, number(one.total_a, one.measure), number(one.total_b, one.measure),
        `${number(one.difference, one.measure)}${one.interval ? ` [${one.interval.map((end) => number(end, one.measure)).join(", ")}]` : ""}`,
        one.ratio === null ? "-" : `${one.ratio.toFixed(2)}${one.ratio_interval ? ` [${one.ratio_interval.map((end) => end.toFixed(2)).join(", ")}]` : ""}`].map((cell) => h("td", {}, cell))));
    ggb.show(document.getElementById("effort"), h("caption", { class: "hidden" }, "What the same answers took"),
      headers(["measure", "n", "unknown", "total A", "total B", "A − B, per episode", "A / B"]), h("tbody", {}, rows));
  }

  function flipItem([, a, b, why]) {
    const { tasks, episodes } = overview;
    const task = episodes.task[numbers.get(a)];
    const link = (key, words) => h("a", { href: ggb.filters.address("episode.html", { e: key }) }, words);
    const epoch = tasks.epoch[task] > 1 ? `, epoch ${tasks.epoch[task]}` : "";
    return h("li", {}, `${tasks.sample[task]} `, h("span", { class: "soft" }, `(${tasks.scenario[task]}, ${tasks.difficulty[task]}, ${tasks.language[task]}${epoch}) `), link(a, "A"), " ", link(b, "B"), h("small", { class: "soft" }, why));
  }

  function showFlips(pair, a, b) {
    const matches = ggb.filters.matcher(overview);
    const kept = pair.flips.filter(([, key]) => matches(numbers.get(key)));
    const part = (side, solver, other) => {
      const found = kept.filter(([by]) => by === side);
      const whole = pair.flips.filter(([by]) => by === side).length;
      return [h("h3", {}, `${found.length === whole ? whole : `${found.length} of ${whole}`} that ${side.toUpperCase()} (${solver.who}) solved and ${other.who} did not`), found.length ? h("ol", { class: "flips" }, found.map(flipItem)) : null];
    };
    ggb.show(document.getElementById("flips"), h("p", { class: "soft" }, "Below each the reason why the other did not. Filters choose among these alone; the figures above are of all common episodes."), part("a", a, b), part("b", b, a));
  }

  function draw() {
    const [a, b] = chosen();
    const place = document.getElementById("comparison");
    fillChoices(a, b);
    ggb.filters.draw(overview);
    const pair = b >= 0 ? pairOf(a, b) : null;
    for (const part of place.children) if (part.id !== "verdict") part.hidden = !pair;
    const runs = [overview.runs[a], overview.runs[b]];
    ggb.show(document.getElementById("verdict"), pair ? verdictOf(pair, ...runs) : overview.runs.length < 2 ? "A comparison needs two runs." : "These runs have no episode in common (sample, scenario and epoch).");
    if (pair) {
      showDiffers(pair, a, b);
      showFigures(pair);
      showEffort(pair);
      const solved = pair.pairs.filter((one) => one.score === "solved" && one.n);
      ggb.forest.show(document.getElementById("forest"), solved.length ? solved : pair.pairs.filter((one) => one.score === "all_gates"));
      showFlips(pair, ...runs);
    }
    document.body.dataset.ready = "yes";
  }

  async function load(fresh) {
    [overview, compared] = await Promise.all([ggb.load("overview", { fresh }), ggb.load("compare", { fresh })]);
    compared.disagreements ??= [];
    numbers = new Map(overview.episodes.key.map((key, episode) => [key, episode]));
    draw();
  }

  function swap() {
    const [a, b] = chosen();
    if (b >= 0) choose(b, a);
  }

  document.addEventListener("DOMContentLoaded", () => {
    const valueOf = (id) => Number(document.getElementById(id).value);
    for (const id of ["run-a", "run-b"]) document.getElementById(id).addEventListener("change", () => choose(valueOf("run-a"), valueOf("run-b")));
    document.getElementById("swap").addEventListener("click", swap);
    ggb.keys.on("s", "swap A and B", swap);
    ggb.filters.onChange(draw);
    load(false).catch(ggb.problem);
  });
  addEventListener("ggb-new-data", () => load(true).catch(ggb.problem));
})();
