// The result where histories were made: both as strips of commits, and what of one is in which of the other.
"use strict";

ggb.resultHistories = (() => {
  const { h, svg } = ggb;
  const { mark, note, number } = ggb.parts;
  const COLOURS = 8;

  const colour = (real) => `commit-${(real - 1) % COLOURS}`;

  function draw(histories) {
    const owners = ownersOf(histories.truth);
    const patch = h("div", { class: "patch-place", "aria-live": "polite" });
    const strips = h("div", { class: "strips" });
    const cards = { agent: [], truth: [] };
    const choose = (side, at) => {
      for (const card of [...cards.agent, ...cards.truth]) card.setAttribute("aria-expanded", card === cards[side][at] && card.getAttribute("aria-expanded") !== "true" ? "true" : "false");
      const isOpen = cards[side][at].getAttribute("aria-expanded") === "true";
      ggb.show(patch, isOpen ? shown(side, at, histories, owners) : []);
    };
    for (const side of ["agent", "truth"]) cards[side] = histories[side].map((commit, at) => card(side, at, histories, () => choose(side, at)));
    const links = svg("svg", { class: "links", "aria-hidden": "true" });
    strips.append(strip("agent", "Agent", histories, cards), links, strip("truth", "Real", histories, cards));
    const redraw = () => connect(links, strips, histories, cards);
    new ResizeObserver(redraw).observe(strips);
    return [pairing(histories), strips, cardHint(), patch];
  }

  function cardHint() {
    return note("A commit opens its patch. Bars and lines are coloured by the real commit that the changed lines belong to; numbers say the same.");
  }

  function pairing(histories) {
    if (histories.pairs === null) return note("How alike the commits are is not known, so no lines join them.");
    return h("ul", { class: "hidden" }, histories.pairs.map((pair) => h("li", {}, `Agent's commit ${pair.agent} belongs to real commit ${pair.truth}, ${similarity(pair)}.`)));
  }

  const similarity = (pair) => `similarity ${pair.at_least < pair.similarity ? "at most " : ""}${number(pair.similarity)}`;

  function strip(side, title, histories, cards) {
    const all = histories[`${side}_commits`], kept = cards[side].length;
    return h("section", { class: `strip ${side}` }, h("h3", {}, title, " ", h("small", { class: "soft" }, `${all} commit${all === 1 ? "" : "s"}`)),
      kept ? h("ol", {}, cards[side].map((card) => h("li", {}, card))) : note("No commits."),
      all > kept ? note(`${all - kept} more are not kept in this run.`) : null);
  }

  function card(side, at, histories, act) {
    const commit = histories[side][at];
    const subject = ggb.code.linesOf(commit.message.replace(/^\n+/, ""))[0] || "[no message]";
    const size = commit.added === null ? "not read" : `+${commit.added} −${commit.removed}`;
    return h("button", { type: "button", class: `commit ${side === "truth" ? colour(at + 1) : ""}`, "aria-expanded": "false", onclick: act },
      h("span", { class: "ordinal" }, at + 1), h("span", { class: "subject" }, subject.slice(0, 300)),
      h("span", { class: "soft size" }, `${size}, ${commit.files.length} file${commit.files.length === 1 ? "" : "s"}`),
      commit.same_as === null ? null : mark(true, side === "agent" ? `same lines as real ${commit.same_as}` : `made again by ${commit.same_as}`),
      side === "agent" ? bar(at + 1, commit, histories) : null);
  }

  // How many lines of an agent's commit are in which real commit.
  function bar(agent, commit, histories) {
    const groups = partsOf(agent, commit, histories);
    if (!groups.length) return null;
    const all = Math.max((commit.added ?? 0) + (commit.removed ?? 0), groups.reduce((sum, group) => sum + group.lines, 0));
    const own = all - groups.reduce((sum, group) => sum + group.lines, 0);
    const parts = [...groups.map(({ truth, lines }) => ({ name: colour(truth), words: `${lines} of real commit ${truth}`, letter: truth, lines })),
      ...(own ? [{ name: "own", words: `${own} in no real commit`, letter: "", lines: own }] : [])];
    return h("span", { class: "bar" }, parts.map(({ name, words, letter, lines }) => {
      const part = h("span", { class: `part ${name}`, title: words }, letter, h("span", { class: "hidden" }, ` ${words}. `));
      part.style.flexGrow = String(lines);
      return part;
    }));
  }

  function partsOf(agent, commit, histories) {
    if (histories.groups !== null) return histories.groups.filter((group) => group.agent === agent);
    return commit.same_as === null ? [] : [{ agent, truth: commit.same_as, lines: (commit.added ?? 0) + (commit.removed ?? 0) }];
  }

  // Which real commits have a changed line, by path, sign and text.
  function ownersOf(truth) {
    const owners = new Map();
    truth.forEach((commit, at) => {
      if (commit.patch === null) return;
      for (const line of ggb.patches.read(commit.patch)) if (line.kind === "added" || line.kind === "removed") {
        const key = `${line.path}\0${line.text}`;
        if (!owners.has(key)) owners.set(key, new Set());
        owners.get(key).add(at + 1);
      }
    });
    return owners;
  }

  function shown(side, at, histories, owners) {
    const commit = histories[side][at];
    const owner = (line) => {
      if (line.kind === "same") return null;
      const of = [...(owners.get(`${line.path}\0${line.text}`) ?? [])];
      if (of.length === 1) return { name: colour(of[0]), title: `of real commit ${of[0]}` };
      return of.length ? { name: "several", title: `in real commits ${of.join(", ")}` } : { name: "own", title: "in no real commit" };
    };
    return [
      h("h3", {}, `${side === "agent" ? "Agent's" : "Real"} commit ${at + 1} `, h("code", { class: "soft" }, commit.id.slice(0, 12))),
      ggb.code.block(commit.message, { label: "message" }),
      commit.files.length ? h("p", { class: "soft paths" }, ggb.parts.say(commit.files.join(", "))) : null,
      commit.cut ? note("Message, files or patch are not kept whole in this run.") : null,
      commit.patch === null ? note("Its changes were not read.") : ggb.patches.draw(commit.patch, { owner: side === "agent" ? owner : () => null }),
    ];
  }

  // A curve for each pair, as wide as the commits are alike.
  function connect(links, strips, histories, cards) {
    const box = strips.getBoundingClientRect();
    const place = links.getBoundingClientRect();
    links.setAttribute("viewBox", `0 0 ${place.width} ${box.height}`);
    const middle = (card) => { const of = card.getBoundingClientRect(); return of.top - box.top + Math.min(of.height / 2, 22); };
    const width = place.width;
    const pairs = (histories.pairs ?? []).filter((pair) => cards.agent[pair.agent - 1] && cards.truth[pair.truth - 1])
      .map((pair) => ({ pair, from: middle(cards.agent[pair.agent - 1]), to: middle(cards.truth[pair.truth - 1]) }));
    ggb.show(links, pairs.map(({ pair, from, to }) => svg("path", {
      class: `link ${colour(pair.truth)}${pair.similarity === 0 ? " unlike" : ""}`, d: `M0 ${from} C${width / 2} ${from} ${width / 2} ${to} ${width} ${to}`, "stroke-width": 1.5 + 6 * pair.similarity,
    })), pairs.map(({ pair, from, to }) => svg("text", { x: width / 2, y: (from + to) / 2 - 8, "text-anchor": "middle" }, number(pair.similarity, 2))));
  }

  return { draw };
})();
