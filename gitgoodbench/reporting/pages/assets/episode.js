// One episode: what `episode_record` made of it, as a head and tabs.
"use strict";

(() => {
  const { h } = ggb;
  const { note, fold } = ggb.parts;
  let selected = null;
  let drawn = null;

  ggb.showEpisode = (record, place) => {
    const now = JSON.stringify(record);
    if (now === drawn) return; // other episodes are new: who reads this one goes on
    drawn = now;
    const result = JSON.parse(record.raw);
    const details = record.details ?? result.details ?? null;
    ggb.show(place, ggb.episodeHead.draw(record, result), tabs(tabsOf(record, result, details)));
  };

  function tabsOf(record, result, details) {
    const { key } = record;
    return [
      { name: "result", title: "Result", draw: () => outcome(details, result) },
      { name: "trees", title: "Trees", draw: () => (record.trees ? ggb.trees.draw(key) : note(`No syntax trees to compare: ${details ? "nothing differs that has text on both sides" : "nothing is recorded of what was left"}.`)) },
      { name: "conversation", title: "Conversation", draw: () => talk(record) },
      { name: "judge", title: "Judge", draw: () => ggb.judge.draw(result.judge ?? null, record.prompts) },
      { name: "raw", title: "Raw", draw: () => [h("h3", {}, "result.json"), ggb.code.block(record.raw, { language: "json", label: "result.json" })] },
    ];
  }

  function talk({ conversation, earlier }) {
    return [
      conversation ? ggb.talk.main(conversation) : note("Nothing was said in this episode, or it is not kept."),
      earlier.map((one, at) => fold(`What was said in attempt ${at + 1}, which failed`, () => ggb.talk.draw(one))),
    ].flat(Infinity).filter(Boolean);
  }

  function outcome(details, result) {
    if (!details) return note("Nothing is recorded of what was left.", result.error ? ` ${result.error.kind}: ${result.error.message}` : "");
    const { files, histories, diff, more, trees } = details;
    const parts = [
      files.length ? ggb.resultFiles.draw(details) : null,
      histories ? ggb.resultHistories.draw(histories) : null,
      diff ? fold("From the agent's tree to the true one", () => ggb.patches.draw(diff, { label: "diff" }), { open: !files.length && !histories }) : null,
      diff === "" ? note("The agent's tree and the true one are the same.") : null,
      trees.truth ? note("Trees: agent ", h("code", {}, trees.agent ?? "none"), ", truth ", h("code", {}, trees.truth), ".") : null,
      Object.keys(more).length ? fold("More", () => ggb.code.block(JSON.stringify(more, null, 2), { language: "json", label: "more" }), { open: true }) : null,
      details.cut ? note("Not all of it is kept in this run.") : null,
    ].flat(Infinity).filter(Boolean);
    return parts.length ? parts : note("Nothing was left that could be compared with the truth.");
  }

  // The tabs pattern of ARIA: one tab is in the order of focus, arrows go to the others.
  function tabs(list) {
    const asked = ggb.filters.read().get("tab");
    const buttons = list.map(({ name, title }) => h("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}` }, title));
    const panels = list.map(({ name }) => h("div", { role: "tabpanel", id: `panel-${name}`, "aria-labelledby": `tab-${name}`, tabindex: "0", hidden: true }));
    const isDrawn = list.map(() => false);
    const select = (at, { focus = false, keep = true } = {}) => {
      selected = list[at].name;
      buttons.forEach((button, other) => { button.setAttribute("aria-selected", String(other === at)); button.tabIndex = other === at ? 0 : -1; panels[other].hidden = other !== at; });
      if (focus) buttons[at].focus();
      if (keep) ggb.filters.set("tab", at ? [selected] : []);
      if (!isDrawn[at]) { isDrawn[at] = true; fill(panels[at], list[at]); }
    };
    buttons.forEach((button, at) => button.addEventListener("click", () => select(at)));
    const bar = h("div", { role: "tablist", "aria-label": "Parts of the episode", class: "tabs" }, buttons);
    bar.addEventListener("keydown", (event) => {
      const here = buttons.indexOf(event.target);
      const to = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: list.length - 1 }[event.key];
      if (here < 0 || to === undefined) return;
      event.preventDefault();
      select((to + list.length) % list.length, { focus: true });
    });
    ggb.tab = (name, options) => select(list.findIndex((one) => one.name === name), options);
    select(Math.max(0, list.findIndex(({ name }) => name === (selected ?? asked))), { keep: false });
    return [bar, panels];
  }

  async function fill(panel, { draw }) {
    panel.setAttribute("aria-busy", "true");
    try { ggb.show(panel, await draw()); } catch (error) { ggb.show(panel, h("p", { class: "warning" }, `This part cannot be drawn: ${error.message}`)); }
    panel.setAttribute("aria-busy", "false");
  }

  function turn(step) {
    if (selected !== "conversation") ggb.tab?.("conversation");
    requestAnimationFrame(() => ggb.talk.go(step));
  }

  ggb.keys.on("l", "next turn of the conversation", () => turn(1));
  ggb.keys.on("h", "previous turn of the conversation", () => turn(-1));
})();
