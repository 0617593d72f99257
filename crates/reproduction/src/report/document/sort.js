// Headers sort their tables: by click, Enter or Space. What has no value stays last.
(() => {
  "use strict";
  const key = (cell) => {
    if (cell.hasAttribute("data-value")) return Number(cell.getAttribute("data-value"));
    const text = cell.textContent.trim();
    return text === "–" || text === "" ? null : text;
  };
  const order = (a, b, sign) => {
    if (a === null || b === null) return (a === null) - (b === null);
    if (typeof a === "number" && typeof b === "number") return sign * (a - b);
    return sign * String(a).localeCompare(String(b), "en", { numeric: true });
  };
  const sort = (table, header, place) => {
    const down = header.getAttribute("aria-sort") === "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", down ? "descending" : "ascending");
    const rows = [...table.tBodies[0].rows].map((row) => [key(row.cells[place]), row]);
    rows.sort(([a], [b]) => order(a, b, down ? -1 : 1));
    for (const [, row] of rows) table.tBodies[0].append(row);
  };
  for (const table of document.querySelectorAll("table")) {
    [...table.tHead.rows[0].cells].forEach((header, place) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...header.childNodes);
      header.append(button);
      button.addEventListener("click", () => sort(table, header, place));
    });
  }
})();
