// Small parts that several tabs of an episode are made of.
"use strict";

ggb.parts = (() => {
  const { h } = ggb;

  // A tick or a cross, and in words what it says; null is unknown.
  function mark(good, words) {
    const name = good === null || good === undefined ? "unknown" : good ? "yes" : "no";
    return h("span", { class: `verdict ${name}` }, h("span", { class: "sign", "aria-hidden": "true" }, { yes: "✓", no: "✗", unknown: "?" }[name]), " ", words instanceof Node ? words : say(words));
  }

  // Something that is drawn when it is opened. make: gives what is inside.
  function fold(summary, make, { open = false, name = "fold" } = {}) {
    const place = h("details", { class: name }, h("summary", {}, summary));
    let isDrawn = false;
    const draw = () => {
      if (isDrawn || !place.open) return;
      isDrawn = true;
      place.append(...[make()].flat(Infinity).filter((node) => node instanceof Node));
    };
    place.addEventListener("toggle", draw);
    place.open = open;
    draw();
    return place;
  }

  // A text of any length on one line: the beginning of a long one, and a button for the rest.
  function say(text) {
    return ggb.code.line([["", String(text)]]);
  }

  function note(...words) {
    return h("p", { class: "soft note" }, words.map((word) => (word instanceof Node ? word : say(word ?? ""))));
  }

  function number(value, digits = 3) {
    return value === null || value === undefined ? "unknown" : Number(value).toFixed(digits);
  }

  function count(value) {
    return value === null || value === undefined ? "unknown" : Number(value).toLocaleString("en");
  }

  // Seconds as people say them.
  function seconds(value) {
    if (value === null || value === undefined) return "unknown";
    if (value < 10) return `${value.toFixed(value < 1 ? 2 : 1)} s`;
    return value < 120 ? `${Math.round(value)} s` : `${Math.floor(value / 60)} min ${Math.round(value % 60)} s`;
  }

  // `not_met` -> `not met`.
  function words(name) {
    return String(name).replaceAll("_", " ");
  }

  function facts(pairs) {
    return h("dl", { class: "facts" }, pairs.filter(Boolean).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
  }

  return { mark, fold, note, say, number, count, seconds, words, facts };
})();
