// Keys, and the list of them that `?` opens.
"use strict";

ggb.keys = (() => {
  const { h } = ggb;
  const known = new Map();

  // `words` says what the key does; `act` does it.
  function on(key, words, act) {
    known.set(key, { words, act });
  }

  function isTyping(target) {
    return target.closest("input:not([type=checkbox]), select, textarea, [contenteditable]") !== null;
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector("dialog[open]")) return;
    const found = known.get(event.key);
    if (!found) return;
    event.preventDefault();
    found.act(event);
  });

  function help() {
    const dialog = document.getElementById("keys");
    ggb.show(dialog.querySelector("dl"), [...known].map(([key, { words }]) => h("div", {}, h("dt", {}, h("kbd", {}, key)), h("dd", {}, words))));
    dialog.showModal();
  }

  on("?", "this help", help);
  on("/", "search samples and repositories", () => document.getElementById("search")?.focus());
  document.addEventListener("DOMContentLoaded", () => document.getElementById("help").addEventListener("click", help));

  return { on };
})();
