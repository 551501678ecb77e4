// Code as elements: lines, syntax, and texts of any size. Nothing is read as HTML, not even what highlighting returns.
"use strict";

ggb.code = (() => {
  const { h } = ggb;
  const LONG_LINE = 2000, SHOWN_OF_LINE = 400, PIECE = 4000;
  const MANY_LINES = 400, BATCH = 200;
  const HIGHLIGHTED = 100_000;
  const SPAN = /<span class="([^"<>]*)">|<\/span>|[^<]+/g;
  const ENTITY = /&(amp|lt|gt|quot|#x27);/g;
  const MEANING = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'" };
  const LANGUAGES = {
    bash: "bash sh zsh", c: "c h", cpp: "cc cpp cxx hh hpp hxx", csharp: "cs", css: "css", diff: "diff patch", go: "go",
    graphql: "graphql gql", ini: "ini cfg toml conf", java: "java", javascript: "js cjs mjs jsx", json: "json", kotlin: "kt kts",
    less: "less", lua: "lua", makefile: "mk makefile", markdown: "md markdown", objectivec: "m mm", perl: "pl pm", php: "php",
    python: "py pyi pyw", r: "r", ruby: "rb", rust: "rs", scss: "scss", sql: "sql", swift: "swift", typescript: "ts tsx mts cts",
    vbnet: "vb", xml: "xml html htm svg xhtml", yaml: "yml yaml",
  };
  const BY_ENDING = new Map(Object.entries(LANGUAGES).flatMap(([name, endings]) => endings.split(" ").map((ending) => [ending, name])));

  // The language of a file by its name; null where none is known.
  function languageOf(path) {
    const name = String(path).split("/").pop().toLowerCase();
    return BY_ENDING.get(name.split(".").pop()) ?? null;
  }

  // Lines by line feeds alone; a last line without one is a line, too.
  function linesOf(text) {
    const lines = text.split("\n");
    if (lines.at(-1) === "") lines.pop();
    return lines;
  }

  // Each line as [class, text] pieces, by syntax where the language is known and the text is not large.
  function tokens(text, language) {
    const lines = linesOf(text);
    const plain = () => lines.map((line) => [["", line]]);
    if (!language || text.length > HIGHLIGHTED || lines.some((line) => line.length > LONG_LINE) || !hljs.getLanguage(language)) return plain();
    let found;
    try { found = pieces(hljs.highlight(text, { language, ignoreIllegals: true }).value); } catch { return plain(); }
    const same = found.length >= lines.length && lines.every((line, at) => found[at].map(([, piece]) => piece).join("") === line);
    return same ? found.slice(0, lines.length) : plain();
  }

  // What highlight.js returns is text with escaped signs between `<span class="...">` and `</span>`: taken apart as a string.
  function pieces(marked) {
    const lines = [[]];
    const open = [];
    for (const [piece, name] of marked.matchAll(SPAN)) {
      if (piece === "</span>") open.pop();
      else if (name !== undefined) open.push(name);
      else {
        piece.replace(ENTITY, (_, entity) => MEANING[entity]).split("\n").forEach((part, at) => {
          if (at) lines.push([]);
          if (part) lines.at(-1).push([open.join(" "), part]);
        });
      }
    }
    return lines;
  }

  // One line as nodes. marks: ranges [from, to) of it that stand out.
  function line(parts, marks = []) {
    const length = parts.reduce((sum, [, text]) => sum + text.length, 0);
    if (length > LONG_LINE) return longLine(parts.map(([, text]) => text).join(""));
    const nodes = [];
    let at = 0;
    for (const [name, text] of parts) {
      for (const [from, to, marked] of cutAt(at, at + text.length, marks)) {
        const node = name ? h("span", { class: name }, text.slice(from - at, to - at)) : ggb.text(text.slice(from - at, to - at));
        nodes.push(marked ? h("mark", {}, node) : node);
      }
      at += text.length;
    }
    return nodes;
  }

  function cutAt(start, stop, marks) {
    const cuts = [];
    let at = start;
    for (const [from, to] of marks) {
      if (to <= at || from >= stop) continue;
      if (from > at) cuts.push([at, from, false]);
      cuts.push([Math.max(at, from), Math.min(stop, to), true]);
      at = Math.min(stop, to);
    }
    if (at < stop) cuts.push([at, stop, false]);
    return cuts;
  }

  // The beginning of a line that is too long to be drawn at once, and a button for the rest.
  function longLine(text) {
    const place = h("span", {});
    const more = h("button", { type: "button", class: "more", onclick: () => { more.remove(); draw(place, piecesOf(text, SHOWN_OF_LINE)); } },
      `show all ${text.length.toLocaleString("en")} characters of this line`);
    place.append(ggb.text(text.slice(0, SHOWN_OF_LINE)), more);
    return [place];
  }

  function* piecesOf(text, from) {
    let at = from;
    while (at < text.length) {
      let to = Math.min(at + PIECE, text.length);
      if (to < text.length && /[\ud800-\udbff]/.test(text[to - 1])) to += 1;
      yield h("span", { class: "piece" }, text.slice(at, to));
      at = to;
    }
  }

  // Append nodes a few at a time, so that the page stays usable meanwhile.
  function draw(place, nodes) {
    const until = performance.now() + 12;
    do {
      const following = nodes.next();
      if (following.done) return;
      place.append(following.value);
    } while (performance.now() < until);
    requestAnimationFrame(() => draw(place, nodes));
  }

  // Rows of which only the first are drawn where they are many. row: makes one of a number.
  function rows(count, row, { shown = MANY_LINES, what = "lines", wrap = (nodes) => h("div", { class: "batch" }, nodes) } = {}) {
    const first = Math.min(count, count > shown + BATCH ? shown : count);
    const place = [wrap(Array.from({ length: first }, (_, at) => row(at)), true)];
    if (first === count) return place;
    const more = h("button", { type: "button", class: "more" }, `show all ${count.toLocaleString("en")} ${what}`);
    const rest = h("div", { class: "rest" });
    more.addEventListener("click", () => { more.remove(); draw(rest, batches(first, count, row, wrap)); });
    return [...place, more, rest];
  }

  function* batches(from, count, row, wrap) {
    for (let at = from; at < count; at += BATCH) yield wrap(Array.from({ length: Math.min(BATCH, count - at) }, (_, step) => row(at + step)), false);
  }

  // A text as a block of code. label: what it is, for those who cannot see it.
  function block(text, { language = null, label = "text", wraps = true } = {}) {
    const lines = tokens(text, language);
    return h("div", { class: wraps ? "code block wraps" : "code block", role: "group", tabindex: "0", "aria-label": label },
      lines.length ? rows(lines.length, (at) => h("div", { class: "line" }, lines[at].length ? line(lines[at]) : h("br"))) : h("span", { class: "soft" }, "[empty]"));
  }

  return { languageOf, linesOf, tokens, line, rows, block };
})();
