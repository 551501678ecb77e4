// Syntax trees side by side: both from the top down, a node in the same row as what became of it.
"use strict";

ggb.trees = (() => {
  const { h } = ggb;
  const { fold, note } = ggb.parts;
  const KINDS = { kept: ["=", "kept"], relabelled: ["≈", "relabelled"], deleted: ["−", "deleted: only the agent has it"], inserted: ["+", "inserted: only the truth has it"] };
  const OPENED = 3, MANY_ROWS = 600;

  async function draw(key) {
    const { parts, more } = await ggb.load(`trees/${key}`);
    if (!parts.length) return note("Nothing to compare.");
    let opened = 0;
    return [legend(), parts.map((part) => {
      const open = !part.problem && opened < OPENED && part.rows.length <= MANY_ROWS;
      if (open) opened += 1;
      return fold([h("b", {}, part.title), " ", h("code", {}, part.path), " ", h("span", { class: "soft" }, part.problem ?? counts(part))], () => body(part), { open, name: "fold" });
    }), more ? note(`${more} more are not compared.`) : null];
  }

  function legend() {
    return h("ul", { class: "legend" }, Object.entries(KINDS).map(([kind, [sign, words]]) => h("li", {}, h("span", { class: `node ${kind}` }, h("span", { class: "sign", "aria-hidden": "true" }, sign)), " ", words)));
  }

  function counts({ counts: of, distance, language }) {
    return `${language}: ${distance} edit${distance === 1 ? "" : "s"}; ${Object.entries(of).map(([kind, count]) => `${count} ${kind}`).join(", ")}`;
  }

  function body(part) {
    if (part.problem) return note(`Not compared: ${part.problem}.`);
    const shown = visible(part.rows);
    const row = (at) => h("tr", { class: `node ${part.rows[at][0]}` }, cells(part.rows[at]));
    const folded = (at) => {
      const [, , , , , size] = part.rows[at];
      const place = row(at);
      const open = () => { button.remove(); place.after(...Array.from({ length: size }, (_, step) => row(at + 1 + step))); };
      const button = h("button", { type: "button", class: "more", onclick: open }, `${size} below, the same`);
      place.querySelector(".label").append(" ", button);
      return place;
    };
    const errors = part.errors.map((count, at) => (count ? `${at ? "the truth" : "the agent's text"} has ${count} place${count === 1 ? "" : "s"} that do not parse` : null)).filter(Boolean);
    return [
      errors.length ? note(`${errors.join("; ")}.`) : null,
      h("div", { class: "scrolls", tabindex: "0", role: "group", "aria-label": "syntax trees" }, ggb.code.rows(shown.length, (at) => (part.rows[shown[at]][5] ? folded(shown[at]) : row(shown[at])), {
        shown: MANY_ROWS, what: "nodes",
        wrap: (nodes, isFirst) => h("table", { class: "tree" }, isFirst && h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "sign" }, h("span", { class: "hidden" }, "edit")), h("th", { scope: "col" }, "Agent"), h("th", { scope: "col" }, "Truth"))), h("tbody", {}, nodes)),
      })),
    ];
  }

  // The rows that are not below one that is folded.
  function visible(rows) {
    const found = [];
    for (let at = 0; at < rows.length; at += 1 + rows[at][5]) found.push(at);
    return found;
  }

  function cells([kind, depth, label, otherDepth, otherLabel]) {
    const [sign, words] = KINDS[kind];
    return [h("td", { class: "sign" }, h("span", { "aria-hidden": "true" }, sign), h("span", { class: "hidden" }, words)), side(depth, label), side(otherDepth, otherLabel ?? label)];
  }

  function side(depth, label) {
    const place = h("td", { class: depth < 0 ? "absent" : "code" });
    if (depth < 0) return place;
    const inner = h("div", { class: "label" }, ggb.code.line([["", label]]));
    inner.style.paddingInlineStart = `${Math.min(depth, 40) * 0.9}em`;
    place.append(inner);
    return place;
  }

  return { draw };
})();
