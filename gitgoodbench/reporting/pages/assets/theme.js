// Runs before the page is painted, so that a chosen theme does not flash.
(() => {
  "use strict";
  let chosen = null;
  try { chosen = localStorage.getItem("ggb-theme"); } catch { /* storage is switched off */ }
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
})();
