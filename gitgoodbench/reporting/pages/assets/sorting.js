// Tables whose columns sort by a button in their header, by mouse, keys and screen readers alike.
"use strict";

ggb.sorting = (() => {
  // The header of a column that sorts. `content` is what it says.
  function header(content, attributes = {}) {
    return ggb.h("th", { scope: "col", ...attributes }, ggb.h("button", { type: "button", class: "sorts" }, content));
  }

  function valueOf(row, at) {
    const cell = row.cells[at];
    const value = cell.dataset.sort ?? cell.textContent.trim();
    return value === "" ? null : Number.isNaN(Number(value)) ? value : Number(value);
  }

  function compare(a, b) {
    if (typeof a === "number" && typeof b === "number") return a - b;
    return String(a).localeCompare(String(b), "en", { numeric: true });
  }

  // Sort the rows by a column; those that have nothing there come last, whatever the direction.
  function sort(table, at, direction) {
    const sign = direction === "ascending" ? 1 : -1;
    const rows = [...table.tBodies[0].rows].map((row, number) => ({ row, number, value: valueOf(row, at) }));
    rows.sort((a, b) => {
      if (a.value === null || b.value === null) return (a.value === null) - (b.value === null) || a.number - b.number;
      return sign * compare(a.value, b.value) || a.number - b.number;
    });
    table.tBodies[0].append(...rows.map(({ row }) => row));
    [...table.tHead.rows[0].cells].forEach((head, number) => {
      if (number === at) head.setAttribute("aria-sort", direction);
      else head.removeAttribute("aria-sort");
    });
    table.dataset.sorted = `${table.tHead.rows[0].cells[at].textContent}\n${direction}`;
  }

  // Make the headers of a table work, and bring back the order that it had before it was filled anew.
  function enable(table) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, at) => head.querySelector("button.sorts")?.addEventListener("click", () => {
      const now = head.getAttribute("aria-sort");
      const first = table.tBodies[0].rows.length && typeof valueOf(table.tBodies[0].rows[0], at) === "string" ? "ascending" : "descending";
      const other = now === "ascending" ? "descending" : "ascending";
      sort(table, at, now ? other : first);
    }));
    const [name, direction] = (table.dataset.sorted || "").split("\n");
    const at = heads.findIndex((head) => head.textContent === name);
    if (direction && at >= 0) sort(table, at, direction);
  }

  return { header, enable };
})();
