// Patches as lines, with their signs, and what each line belongs to.
"use strict";

ggb.patches = (() => {
  const { h } = ggb;
  const OLD = /^--- (a\/|\/dev\/null$)/, NEW = /^\+\+\+ (b\/|\/dev\/null$)/;

  // Lines of a patch: { kind: "file" | "hunk" | "added" | "removed" | "same" | "note", text, path }.
  function read(patch) {
    const lines = ggb.code.linesOf(patch);
    const found = [];
    let path = "";
    let inHunk = false;
    lines.forEach((text, at) => {
      const opens = OLD.test(text) && NEW.test(lines[at + 1] ?? "");
      if (opens || text.startsWith("diff --git ")) inHunk = false;
      if (!inHunk && NEW.test(text)) path = text.slice(text.startsWith("+++ b/") ? 6 : 4);
      if (text.startsWith("@@ ")) { inHunk = true; found.push({ kind: "hunk", text, path }); return; }
      const kind = !inHunk ? "file" : { "+": "added", "-": "removed", " ": "same" }[text[0]] ?? "note";
      found.push({ kind, text, path });
    });
    return found;
  }

  // owner: the class of a line that belongs to something, and its title; null where it belongs to nothing.
  function draw(patch, { owner = () => null, label = "patch" } = {}) {
    const lines = read(patch);
    const colours = new Map();
    return h("div", { class: "code block patch", role: "group", tabindex: "0", "aria-label": label }, lines.length ? ggb.code.rows(lines.length, (at) => {
      const { kind, text, path } = lines[at];
      const is = ["added", "removed", "same"].includes(kind);
      const found = is ? owner(lines[at]) : null;
      const content = is ? text.slice(1) : text;
      return h("div", { class: `line ${kind}${found ? ` owned ${found.name}` : ""}`, "data-sign": is ? text[0].replace("-", "−") : null, title: found?.title },
        kind === "file" || kind === "hunk" || kind === "note" ? ggb.code.line([["", content]]) : ggb.code.line(tokensOf(content, path, colours)));
    }) : h("span", { class: "soft" }, "[nothing]"));
  }

  function tokensOf(content, path, known) {
    if (!known.has(path)) known.set(path, ggb.code.languageOf(path));
    return content === "" ? [["", " "]] : ggb.code.tokens(content, known.get(path))[0] ?? [["", content]];
  }

  return { read, draw };
})();
