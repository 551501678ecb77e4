// The frame of every page: themes, and new data while runs go on.
"use strict";

(() => {
  const THEMES = ["system", "light", "dark"];
  const SIGNS = { system: "◐", light: "☀", dark: "☾" };
  const WORDS = { system: "as the system has them", light: "light", dark: "dark" };
  const EVERY_MS = 2000;

  function stored() {
    try { return localStorage.getItem("ggb-theme") || "system"; } catch { return "system"; }
  }

  function showTheme(button, theme) {
    button.textContent = SIGNS[theme];
    button.setAttribute("aria-label", `Colours: ${WORDS[theme]}`);
    button.title = `Colours: ${WORDS[theme]}`;
  }

  function toggle(button) {
    const theme = THEMES[(THEMES.indexOf(document.documentElement.dataset.theme || "system") + 1) % THEMES.length];
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    try { localStorage.setItem("ggb-theme", theme); } catch { /* storage is switched off */ }
    showTheme(button, theme);
  }

  // Ask the server whether anything changed; pages listen to `ggb-new-data`.
  async function follow(place, version) {
    let state = null;
    if (!document.hidden) state = await ggb.load("live", { fresh: true }).catch(() => null);
    if (state) {
      place.textContent = state.running ? `${state.running} running` : "";
      if (version !== null && state.version !== version) dispatchEvent(new Event("ggb-new-data"));
      version = state.version;
    }
    setTimeout(() => follow(place, version), EVERY_MS);
  }

  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    showTheme(button, THEMES.includes(stored()) ? stored() : "system");
    button.addEventListener("click", () => toggle(button));
    if (document.querySelector("meta[name=ggb-live]")) follow(document.getElementById("live"), null);
  });
})();
