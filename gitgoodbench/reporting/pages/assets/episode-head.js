// The top of an episode: what became of it, why, what it took, and where to look further.
"use strict";

ggb.episodeHead = (() => {
  const { h } = ggb;
  const { mark, note, say, number, count, seconds, words, facts } = ggb.parts;
  const TIMES = [["setup_s", "set-up"], ["agent_s", "agent"], ["outcome_s", "taking the outcome"], ["scoring_s", "scoring"], ["judge_s", "judge"], ["closing_s", "closing"]];

  function draw(record, result) {
    const solved = { true: "solved", false: "not solved", null: "solved unknown" }[result.solved];
    return [
      h("h1", {}, result.sample_id, " ", h("small", { class: "soft" }, `${result.scenario}, epoch ${result.epoch}`)),
      h("p", { class: "verdict-line" }, mark(result.solved, h("b", {}, solved)), " ", h("span", { class: "badge" }, words(result.status)),
        result.attainable === false ? h("span", { class: "badge other" }, "out of reach of the published tools") : null),
      h("p", { class: "sentence" }, say(record.sentence)),
      record.reasons.length ? h("ul", { class: "reasons" }, record.reasons.map((reason) => h("li", {}, say(reason)))) : null,
      h("div", { class: "columns" }, marks(result), scores(result), usage(record, result)),
      timings(result.timings),
      attempts(result.attempts),
      further(record, result),
    ];
  }

  function marks(result) {
    const gates = Object.entries(result.gates);
    return h("section", {}, h("h2", {}, "Gates"), gates.length ? h("ul", { class: "gates" }, gates.map(([name, met]) => h("li", {}, mark(met, words(name)), h("span", { class: "hidden" }, met ? ": met" : ": not met")))) : note("None were decided."));
  }

  function scores(result) {
    const all = Object.entries(result.scores);
    return h("section", {}, h("h2", {}, "Scores"), all.length ? h("ul", { class: "scores" }, all.map(([name, value]) => {
      const filled = h("span", { class: "filled" });
      filled.style.width = `${100 * Math.max(0, Math.min(1, value ?? 0))}%`;
      return h("li", {}, h("span", {}, say(words(name))), h("span", { class: "meter", "aria-hidden": "true" }, filled), h("span", { class: "figure" }, value === null ? "–" : number(value)));
    })) : note("None."));
  }

  function usage(record, result) {
    const { usage: used } = result;
    const who = result.model === null ? result.agent : `${result.agent} (${result.model})`;
    return h("section", {}, h("h2", {}, "Usage"), facts([
      ["Agent", who], ["Repository", result.name], ["Language", result.language], ["Difficulty", result.difficulty],
      ["Turns", result.turns === null ? "unknown" : count(result.turns)], ["Requests", count(used.requests)],
      ["Prompt tokens", `${count(used.prompt_tokens)}${used.cached_tokens ? `, ${count(used.cached_tokens)} of them cached` : ""}`], ["Completion tokens", count(used.completion_tokens)],
      ["Cost", used.cost_usd === null ? "unknown" : `$${number(used.cost_usd, 4)}`], ["Started", day(result.started)],
    ]), record.costs.map((line) => note(line)));
  }

  // `2026-03-01 10:00:00 UTC`.
  function day(time) {
    return time === null ? "unknown" : String(time).replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?Z$/, "$1 $2 UTC");
  }

  function timings(times) {
    const parts = TIMES.map(([name, what]) => ({ name: name.replace("_s", ""), what, took: times[name] })).filter(({ took }) => took !== null && took !== undefined);
    if (!parts.length) return null;
    const bar = h("div", { class: "timings", "aria-hidden": "true" }, parts.map(({ name, took }) => {
      const part = h("span", { class: `time ${name}` });
      part.style.flexGrow = String(took);
      return part;
    }));
    return h("section", {}, h("h2", {}, "Time ", h("small", { class: "soft" }, seconds(times.total_s))), bar,
      h("ul", { class: "legend" }, parts.map(({ name, what, took }) => h("li", {}, h("span", { class: `swatch time ${name}`, "aria-hidden": "true" }), ` ${what} ${seconds(took)}`))));
  }

  function attempts(of) {
    return of.length ? ggb.parts.fold(`${of.length} attempt${of.length === 1 ? "" : "s"} failed before`, () => h("ul", {}, of.map((attempt) => h("li", {}, `${attempt.started ?? "unknown time"}: ${words(attempt.status)}${attempt.error ? `: ${attempt.error.kind}: ${attempt.error.message}` : ""}`)))) : null;
  }

  function further(record, result) {
    const commits = Object.entries(record.links).filter(([, ids]) => ids.length);
    return h("section", { class: "further" }, commits.length ? facts(commits.map(([what, ids]) => [words(what), h("span", { class: "ids" }, ids.map(({ id, url }) => (url ? h("a", { href: url, rel: "noopener noreferrer external" }, id.slice(0, 12)) : h("code", {}, say(id)))))])) : null,
      record.command ? h("div", { class: "again" }, h("span", { id: "again" }, "Play it again"), h("pre", { tabindex: "0", "aria-labelledby": "again" }, record.command), copy(record.command))
        : note(`No command plays this again: ${result.agent} is no agent that is installed.`),
      record.logs.length ? ggb.parts.fold("The agent's own log", () => h("div", {}, note("In the episode's folder:"), h("ul", { class: "ids" }, record.logs.map((name) => h("li", {}, h("code", {}, say(name))))))) : null);
  }

  function copy(text) {
    const button = h("button", { type: "button" }, "Copy");
    button.addEventListener("click", async () => {
      try { await navigator.clipboard.writeText(text); button.textContent = "Copied"; } catch { button.textContent = "Select it by hand"; }
    });
    return button;
  }

  return { draw };
})();
