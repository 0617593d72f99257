// Measures the report for a test and passes the result to the page that frames it.
window.addEventListener("load", () => {
  const sized = (element) => {
    const { width, height } = element.getBoundingClientRect();
    return width > 0 && height > 0;
  };
  const svgs = [...document.querySelectorAll("main svg")];
  const boxes = [...document.querySelectorAll(".scroll")];
  // The table of the hierarchies: its third column has numbers.
  const table = document.querySelector("[aria-labelledby=hmc] table");
  const column = () => [...table.tBodies[0].rows].map((row) => Number(row.cells[2].dataset.value));
  const header = table.tHead.rows[0].cells[2];
  const orders = [];
  for (let click = 0; click < 2; click += 1) {
    header.querySelector("button").click();
    orders.push({ sort: header.getAttribute("aria-sort"), values: column() });
  }
  // One column lacks values; those stay last both ways.
  const lacking = [...table.tHead.rows[0].cells].findIndex((cell) => /HMC-LMLP/.test(cell.textContent));
  const ends = [];
  for (let click = 0; click < 2; click += 1) {
    table.tHead.rows[0].cells[lacking].querySelector("button").click();
    ends.push([...table.tBodies[0].rows].slice(-4).map((row) => row.cells[lacking].textContent));
  }
  const found = {
    inner_width: window.innerWidth,
    scroll_width: document.documentElement.scrollWidth,
    figures: svgs.length,
    empty_figures: svgs.filter((svg) => !sized(svg)).length,
    untitled_figures: svgs.filter((svg) => !svg.querySelector("title") || svg.getAttribute("role") !== "img").length,
    images: document.querySelectorAll("main svg image").length,
    tables: boxes.length,
    wide_tables: boxes.filter((box) => box.getBoundingClientRect().right > window.innerWidth).length,
    without_caption: boxes.filter((box) => !box.querySelector("caption")).length,
    without_scope: document.querySelectorAll("th:not([scope])").length,
    broken_links: [...document.querySelectorAll("nav a")].filter((a) => !document.getElementById(a.hash.slice(1))).length,
    orders,
    ends,
  };
  parent.postMessage(JSON.stringify(found), "*");
});
