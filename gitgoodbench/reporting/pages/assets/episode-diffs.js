// Texts side by side: lines that belong together in one row, and words that differ marked.
"use strict";

ggb.diffs = (() => {
  const { h } = ggb;
  const SAME_SHOWN = 3, SAME_FOLDED = 8;
  const MOST_MS = 800, WORDS_MS = 40, WORDS_LENGTH = 1000;
  const MOST_PARTNERS = 2500, LIKE = 0.4;
  const narrow = matchMedia("(max-width: 760px)");

  // Runs of lines: [kind, first line of a, after the last, first of b, after the last]; kind is "same" or "other".
  function runs(a, b) {
    let start = 0;
    while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
    let [endA, endB] = [a.length, b.length];
    while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) { endA -= 1; endB -= 1; }
    const found = start ? [["same", 0, start, 0, start]] : [];
    found.push(...inner(a.slice(start, endA), b.slice(start, endB)).map(([kind, ...ends]) => [kind, ...ends.map((end) => end + start)]));
    if (endA < a.length) found.push(["same", endA, a.length, endB, b.length]);
    return found;
  }

  function inner(a, b) {
    if (!a.length && !b.length) return [];
    const changes = a.length && b.length ? Diff.diffArrays(a, b, { timeout: MOST_MS }) : undefined;
    if (!changes) return [["other", 0, a.length, 0, b.length]];
    const found = [];
    let [atA, atB] = [0, 0];
    for (const { added, removed, count } of changes) {
      const [toA, toB] = [atA + (added ? 0 : count), atB + (removed ? 0 : count)];
      const last = found.at(-1);
      if ((added || removed) && last?.[0] === "other") { last[2] = toA; last[4] = toB; }
      else found.push([added || removed ? "other" : "same", atA, toA, atB, toB]);
      [atA, atB] = [toA, toB];
    }
    return found;
  }

  // Ranges of two lines that are not in the other one; none where they have little in common.
  function words(a, b) {
    if (a.length > WORDS_LENGTH || b.length > WORDS_LENGTH) return [[], []];
    const changes = Diff.diffWordsWithSpace(a, b, { timeout: WORDS_MS });
    if (!changes) return [[], []];
    const marks = [[], []];
    let [atA, atB, same] = [0, 0, 0];
    for (const { added, removed, value } of changes) {
      if (removed) marks[0].push([atA, atA + value.length]);
      else if (added) marks[1].push([atB, atB + value.length]);
      else same += value.trim().length;
      if (!added) atA += value.length;
      if (!removed) atB += value.length;
    }
    return same * 5 < Math.max(a.trim().length, b.trim().length) * 2 ? [[], []] : marks;
  }

  // Rows of two texts: { kind, left, right }, of which a side is the number of its line, or null.
  function rowsOf(a, b) {
    return runs(a, b).flatMap(([kind, fromA, toA, fromB, toB]) => (kind === "same"
      ? Array.from({ length: toA - fromA }, (_, at) => ({ kind, left: fromA + at, right: fromB + at }))
      : partners(a.slice(fromA, toA), b.slice(fromB, toB)).map(([left, right]) => ({ kind, left: left === null ? null : fromA + left, right: right === null ? null : fromB + right }))));
  }

  // Lines that became others: pairs of numbers, null where a line has no partner. Those that have most words in common
  // belong together, in order; where there are many lines, the first with the first.
  function partners(a, b) {
    if (a.length * b.length > MOST_PARTNERS) {
      return Array.from({ length: Math.max(a.length, b.length) }, (_, at) => [at < a.length ? at : null, at < b.length ? at : null]);
    }
    const [left, right] = [a, b].map((lines) => lines.map((line) => line.slice(0, WORDS_LENGTH).match(/\w+|[^\w\s]/g) ?? []));
    const best = Array.from({ length: a.length + 1 }, () => new Float64Array(b.length + 1));
    const alike = left.map((one) => right.map((other) => likeness(one, other)));
    for (let i = a.length - 1; i >= 0; i -= 1) for (let j = b.length - 1; j >= 0; j -= 1) {
      best[i][j] = Math.max(best[i + 1][j], best[i][j + 1], alike[i][j] < LIKE ? 0 : alike[i][j] + best[i + 1][j + 1]);
    }
    const found = [];
    let [i, j] = [0, 0];
    while (i < a.length || j < b.length) {
      if (i < a.length && j < b.length && alike[i][j] >= LIKE && best[i][j] === alike[i][j] + best[i + 1][j + 1]) { found.push([i, j]); i += 1; j += 1; }
      else if (j >= b.length || (i < a.length && best[i][j] === best[i + 1][j])) { found.push([i, null]); i += 1; }
      else { found.push([null, j]); j += 1; }
    }
    return closed(found);
  }

  // The share of words that two lines have in common.
  function likeness(one, other) {
    const counts = new Map();
    for (const word of one) counts.set(word, (counts.get(word) ?? 0) + 1);
    let same = 0;
    for (const word of other) if (counts.get(word)) { same += 1; counts.set(word, counts.get(word) - 1); }
    return (2 * same) / Math.max(1, one.length + other.length);
  }

  // Lines without a partner between two pairs stand beside each other.
  function closed(found) {
    const rows = [];
    let [alone, others] = [[], []];
    const flush = () => {
      for (let at = 0; at < Math.max(alone.length, others.length); at += 1) rows.push([alone[at] ?? null, others[at] ?? null]);
      [alone, others] = [[], []];
    };
    for (const [left, right] of found) {
      if (left !== null && right !== null) { flush(); rows.push([left, right]); }
      else if (right === null) alone.push(left);
      else others.push(right);
    }
    flush();
    return rows;
  }

  // Stretches of rows that are the same, all but a few, are folded. Numbers of rows, or { fold: [from, to] }.
  function folded(rows, isSame) {
    const shown = [];
    for (let at = 0; at < rows.length;) {
      let to = at;
      while (to < rows.length && isSame(rows[to])) to += 1;
      const [before, after] = [at ? SAME_SHOWN : 0, to < rows.length ? SAME_SHOWN : 0];
      if (to - at > SAME_FOLDED + before + after) {
        for (let row = at; row < at + before; row += 1) shown.push(row);
        shown.push({ fold: [at + before, to - after] });
        for (let row = to - after; row < to; row += 1) shown.push(row);
      } else for (let row = at; row < to; row += 1) shown.push(row);
      at = to;
      while (at < rows.length && !isSame(rows[at])) { shown.push(at); at += 1; }
    }
    return shown;
  }

  // A table of rows; `cells` makes the cells of one. Folded rows stand behind a button.
  function table(head, rows, isSame, cells, width) {
    const row = (at) => h("tr", {}, cells(rows[at]));
    const fold = ([from, to]) => {
      const place = h("tr", { class: "fold" });
      const open = () => place.replaceWith(...Array.from({ length: to - from }, (_, step) => row(from + step)));
      place.append(h("td", { colspan: width }, h("button", { type: "button", class: "more", onclick: open }, `${to - from} lines that are the same`)));
      return place;
    };
    const shown = folded(rows, isSame);
    const parts = ggb.code.rows(shown.length, (at) => (typeof shown[at] === "number" ? row(shown[at]) : fold(shown[at].fold)), {
      what: "rows", wrap: (nodes, isFirst) => h("table", { class: `diff of-${width}` }, isFirst && h("thead", {}, h("tr", {}, head)), h("tbody", {}, nodes)),
    });
    return h("div", { class: "scrolls", tabindex: "0", role: "group", "aria-label": "differences" }, parts);
  }

  function cell(lines, number, kind, sign, marks) {
    if (number === null) return [h("td", { class: "number" }), h("td", { class: "code absent" })];
    const name = kind === "same" ? "code" : `code ${kind}`;
    return [h("td", { class: "number" }, number + 1), h("td", { class: name, "data-sign": kind === "same" ? null : sign }, ggb.code.line(lines[number], marks))];
  }

  const column = (title) => [h("th", { scope: "col", class: "number" }, h("span", { class: "hidden" }, "line")), h("th", { scope: "col" }, title)];

  // Two texts. titles: what they are; language: of both.
  function two(texts, titles, language) {
    return drawn(() => {
      const [a, b] = texts.map(ggb.code.linesOf);
      const [left, right] = texts.map((text) => ggb.code.tokens(text, language));
      const rows = rowsOf(a, b);
      const isSame = (row) => row.kind === "same";
      const marksOf = (row) => (row.kind === "other" && row.left !== null && row.right !== null ? words(a[row.left], b[row.right]) : [[], []]);
      if (narrow.matches) return unified(titles, rows, left, right, marksOf);
      return table(titles.map(column), rows, isSame, (row) => {
        const [before, after] = marksOf(row);
        return [cell(left, row.left, isSame(row) ? "same" : "removed", "−", before), cell(right, row.right, isSame(row) ? "same" : "added", "+", after)];
      }, 4);
    });
  }

  // One column where there is no room for two: first what is only in the first text, then what is only in the second.
  function unified(titles, rows, left, right, marksOf) {
    const single = [];
    for (let at = 0; at < rows.length; at += 1) {
      if (rows[at].kind === "same") { single.push({ kind: "same", row: rows[at], side: "right" }); continue; }
      let to = at;
      while (to < rows.length && rows[to].kind === "other") to += 1;
      const block = rows.slice(at, to);
      for (const side of ["left", "right"]) single.push(...block.filter((row) => row[side] !== null).map((row) => ({ kind: "other", row, side })));
      at = to - 1;
    }
    const title = h("span", {}, h("span", { class: "removed" }, `− ${titles[0]}`), "  ", h("span", { class: "added" }, `+ ${titles[1]}`));
    return table(column(title), single, (row) => row.kind === "same", ({ kind, row, side }) => {
      const [before, after] = marksOf(row);
      if (kind === "same") return cell(right, row.right, "same", "", []);
      return side === "left" ? cell(left, row.left, "removed", "−", before) : cell(right, row.right, "added", "+", after);
    }, 2);
  }

  // Three texts, what both outer ones made of the one in the middle: { kind, left, middle, right }.
  function threeRows(left, middle, right) {
    const [ours, theirs] = [beside(middle, left), beside(middle, right)];
    const rows = [];
    for (let at = 0; at <= middle.length; at += 1) {
      const [before, after] = [ours.before[at], theirs.before[at]];
      for (let step = 0; step < Math.max(before.length, after.length); step += 1) rows.push({ kind: "other", left: before[step] ?? null, middle: null, right: after[step] ?? null });
      if (at < middle.length) rows.push({ kind: ours.same[at] && theirs.same[at] ? "same" : "other", left: ours.partner[at], middle: at, right: theirs.partner[at] });
    }
    return rows;
  }

  // For each line of the middle text its partner in the other one, and the lines that come before it there.
  function beside(middle, other) {
    const found = { before: Array.from({ length: middle.length + 1 }, () => []), partner: middle.map(() => null), same: middle.map(() => false) };
    let next = 0;
    for (const row of rowsOf(middle, other)) {
      if (row.left === null) found.before[next].push(row.right);
      else { found.partner[row.left] = row.right; found.same[row.left] = row.kind === "same"; next = row.left + 1; }
    }
    return found;
  }

  // What two sides made of one text, which stands between them.
  function three(texts, titles, language) {
    return drawn(() => {
      if (narrow.matches) {
        return [two([texts[1], texts[0]], [titles[1], titles[0]], language), two([texts[1], texts[2]], [titles[1], titles[2]], language)];
      }
      const lines = texts.map(ggb.code.linesOf);
      const tokens = texts.map((text) => ggb.code.tokens(text, language));
      const rows = threeRows(...lines);
      return table(titles.map(column), rows, (row) => row.kind === "same", (row) => {
        const of = (side, at) => (row[side] === null ? null : lines[at][row[side]]);
        const [left, middle, right] = [of("left", 0), of("middle", 1), of("right", 2)];
        const side = (name, at, text) => {
          const changed = row.kind === "other" && text !== middle;
          const marks = changed && middle !== null && text !== null ? words(middle, text)[1] : [];
          return cell(tokens[at], row[name], changed ? "added" : "same", "+", marks);
        };
        const gone = row.kind === "other" && middle !== null && left !== middle && right !== middle;
        return [side("left", 0, left), cell(tokens[1], row.middle, gone ? "removed" : "same", "−", []), side("right", 2, right)];
      }, 6);
    });
  }

  // A place that is drawn again where the window gets narrow or wide.
  function drawn(make) {
    const place = h("div", { class: "differences" });
    const again = () => {
      if (!place.isConnected && place.childElementCount) { narrow.removeEventListener("change", again); return; }
      ggb.show(place, make());
    };
    narrow.addEventListener("change", again);
    again();
    return place;
  }

  return { two, three, rowsOf, threeRows, runs, words };
})();
