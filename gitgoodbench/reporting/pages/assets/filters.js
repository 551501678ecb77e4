// The filters: kept in the address, carried to every page, and shown as a row of lists.
"use strict";

ggb.filters = (() => {
  const { h } = ggb;
  const PLACES = ["e", "tab"]; // where one is: no filters
  const LISTED = ["scenario", "difficulty", "language", "repository", "attainable", "status", "solved"];
  const ORDER = { easy: 0, medium: 1, hard: 2 };
  const WORDS = { attainable: { true: "yes", false: "no", null: "unknown" }, solved: { true: "yes", false: "no", null: "unknown" } };
  const TYPING_MS = 150;
  const listeners = [];
  let typed = null;

  function read() {
    return new URLSearchParams(location.search);
  }

  function valueOf(overview, name, episode) {
    if (name === "status") return overview.episodes.status[episode];
    if (name === "solved") return WORDS.solved[overview.episodes.solved[episode]];
    const task = overview.episodes.task[episode];
    const value = overview.tasks[name][task];
    return WORDS[name] ? WORDS[name][value] : value;
  }

  // Whether an episode (its number) is among those that the filters keep.
  function matcher(overview) {
    const chosen = read();
    const lists = LISTED.filter((name) => chosen.has(name)).map((name) => [name, new Set(chosen.getAll(name))]);
    const ranges = Object.keys(overview.sizes).filter((name) => chosen.has(name)).map((name) => [name, rangeOf(chosen.get(name))]);
    const words = (chosen.get("q") || "").toLowerCase().split(/\s+/).filter(Boolean);
    const { tasks, episodes } = overview;
    return (episode) => {
      const task = episodes.task[episode];
      for (const [name, values] of lists) if (!values.has(valueOf(overview, name, episode))) return false;
      for (const [name, [low, high]] of ranges) {
        const size = tasks.sizes[name][task];
        if (size === null || size < low || size > high) return false;
      }
      if (!words.length) return true;
      const named = `${tasks.sample[task]} ${tasks.repository[task]}`.toLowerCase();
      return words.every((word) => named.includes(word));
    };
  }

  function rangeOf(text) {
    const [low, high] = text.includes("-") ? text.split("-") : [text, text];
    return [low === "" ? -Infinity : Number(low), high === undefined || high === "" ? Infinity : Number(high)];
  }

  function set(name, values) {
    const chosen = read();
    chosen.delete(name);
    for (const value of values) chosen.append(name, value);
    history.replaceState(null, "", `${location.pathname}?${chosen}${location.hash}`);
    changed();
  }

  function clear() {
    const chosen = read();
    for (const name of [...chosen.keys()]) if (!PLACES.includes(name)) chosen.delete(name);
    history.replaceState(null, "", `${location.pathname}?${chosen}`);
    changed();
  }

  function changed() {
    carry(document);
    for (const listener of listeners) listener();
  }

  // An address of these pages with the filters that are set; `own` are its further parameters.
  function address(file, own = {}) {
    const query = read();
    query.delete("e");
    for (const [name, value] of Object.entries(own)) query.set(name, value);
    const text = query.toString();
    return text ? `${file}?${text}` : file;
  }

  // Links that keep the filters point to their page with those that are set now.
  function carry(root) {
    for (const link of root.querySelectorAll("a[data-keeps-filters]")) {
      link.setAttribute("href", address(link.getAttribute("href").split("?")[0]));
    }
  }

  const counted = new WeakMap();

  // The values of a filter and how many samples (of status and solved: episodes) have each; the same whatever is chosen.
  function countsOf(overview, name) {
    if (!counted.has(overview)) counted.set(overview, new Map());
    const known = counted.get(overview);
    if (!known.has(name)) known.set(name, count(overview, name));
    return known.get(name);
  }

  function count(overview, name) {
    const counts = new Map();
    const seen = new Set();
    overview.episodes.task.forEach((task, episode) => {
      const value = valueOf(overview, name, episode);
      const once = name === "status" || name === "solved" ? episode : `${value}\0${task}`;
      if (seen.has(once)) return;
      seen.add(once);
      counts.set(value, (counts.get(value) || 0) + 1);
    });
    return [...counts].sort(([a], [b]) => (ORDER[a] ?? 9) - (ORDER[b] ?? 9) || (a < b ? -1 : 1));
  }

  function list(overview, name) {
    const counts = countsOf(overview, name);
    if (counts.length < 2) return null;
    const chosen = new Set(read().getAll(name));
    const summary = h("summary", {}, name, chosen.size ? `: ${[...chosen].join(", ")}` : "");
    const boxes = counts.map(([value, count]) => h("label", {},
      h("input", { type: "checkbox", value, checked: chosen.has(value), onchange: () => {
        set(name, boxes.map((box) => box.firstChild).filter((box) => box.checked).map((box) => box.value));
      } }), " ", value, h("span", { class: "soft" }, ` ${count}`)));
    return h("details", { class: chosen.size ? "filter on" : "filter", "data-filter": name }, summary,
      h("div", { class: "panel", role: "group", "aria-label": name }, boxes));
  }

  function range(overview, name) {
    const word = overview.sizes[name];
    const known = overview.tasks.sizes[name].filter((size) => size !== null);
    if (!known.length) return null;
    const chosen = read().get(name);
    const [low, high] = chosen === null ? ["", ""] : chosen.includes("-") ? chosen.split("-") : [chosen, chosen];
    const field = (label, value, placeholder) => h("label", {}, h("span", { class: "soft" }, label), " ",
      h("input", { type: "number", min: 0, value, placeholder, onchange: () => {
        const [from, to] = fields.map((one) => one.querySelector("input").value);
        set(name, from === "" && to === "" ? [] : [from === to ? from : `${from}-${to}`]);
      } }));
    const fields = [field("from", low, Math.min(...known)), field("to", high, Math.max(...known))];
    return h("details", { class: chosen === null ? "filter" : "filter on", "data-filter": name },
      h("summary", {}, word, chosen === null ? "" : `: ${chosen}`),
      h("div", { class: "panel", role: "group", "aria-label": `Number of ${word}` }, fields));
  }

  function search() {
    return h("label", { class: "search" }, h("span", { class: "hidden" }, "Search samples and repositories"),
      h("input", { type: "search", id: "search", placeholder: "Search samples  ( / )", value: read().get("q") || "", "aria-keyshortcuts": "/",
        oninput: (event) => later(() => set("q", event.target.value.trim() ? [event.target.value] : [])) }));
  }

  // Once nothing was typed for a moment.
  function later(act) {
    clearTimeout(typed);
    typed = setTimeout(act, TYPING_MS);
  }

  // Draw the row of filters; an open list and the field that is typed in stay as they are.
  function draw(overview) {
    const place = document.getElementById("filters");
    if (!place) return;
    const open = place.querySelector("details[open]")?.dataset.filter;
    const focused = place.contains(document.activeElement) ? document.activeElement : null;
    const mark = focused && [focused.closest("[data-filter]")?.dataset.filter, focused.value, focused.tagName];
    const searching = focused?.id === "search" ? focused.closest("label") : null;
    const lists = [...LISTED.map((name) => list(overview, name)), ...Object.keys(overview.sizes).map((name) => range(overview, name))];
    const any = [...read().keys()].some((name) => !PLACES.includes(name));
    const clearing = any && h("button", { type: "button", onclick: clear }, "Clear filters");
    if (!searching) ggb.show(place, h("form", { class: "filters", role: "search", onsubmit: (event) => event.preventDefault() }, search(), lists, clearing));
    else {
      const form = place.querySelector("form");
      for (const old of [...form.children]) if (old !== searching) old.remove();
      form.append(...[...lists, clearing].filter(Boolean));
    }
    const again = open && place.querySelector(`details[data-filter="${CSS.escape(open)}"]`);
    if (again) again.open = true;
    if (mark && mark[0] && again) {
      const same = [...again.querySelectorAll(mark[2])].find((one) => mark[2] === "SUMMARY" || one.value === mark[1]);
      same?.focus();
    }
  }

  document.addEventListener("click", (event) => {
    for (const details of document.querySelectorAll("details.filter[open]")) if (!details.contains(event.target)) details.open = false;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    const details = document.querySelector("details.filter[open]");
    if (details) { details.open = false; details.querySelector("summary").focus(); }
  });
  document.addEventListener("DOMContentLoaded", () => carry(document));
  addEventListener("popstate", changed);

  return { read, set, matcher, address, carry, draw, onChange: (listener) => listeners.push(listener) };
})();
