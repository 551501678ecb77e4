// How runs and episodes are marked: by shape and letter first, by colours that colour-blind people tell apart second.
"use strict";

ggb.marks = (() => {
  const OUTCOMES = {
    solved: { letter: "●", words: "solved" },
    missed: { letter: "×", words: "not solved" },
    out: { letter: "–", words: "not solved, out of reach of the tools" },
    unjudged: { letter: "?", words: "an answer that nobody judged" },
    broken: { letter: "!", words: "broken: setup, infrastructure or judge failed" },
    absent: { letter: "", words: "not played" },
  };
  const SYMBOLS = ["symbolCircle", "symbolSquare", "symbolTriangle", "symbolDiamond", "symbolStar", "symbolCross", "symbolWye"];
  const COLOURS = 7;

  // Which of the outcomes an episode is.
  function outcome(episodes, episode) {
    if (!episodes.answer[episode]) return "broken";
    if (episodes.solved[episode] === true) return "solved";
    if (episodes.solved[episode] === null) return "unjudged";
    return episodes.attainable[episode] === false ? "out" : "missed";
  }

  function colour(run) {
    return `run-${run % COLOURS}`;
  }

  // The shape of a run: another for each, the same in all plots.
  function symbol(run, size = 70) {
    return d3.symbol(d3[SYMBOLS[run % SYMBOLS.length]], size)();
  }

  function legend(shown) {
    return ggb.h("ul", { class: "legend" }, shown.map((name) => ggb.h("li", {},
      ggb.h("span", { class: `cell ${name}`, "aria-hidden": "true" }, OUTCOMES[name].letter), " ", OUTCOMES[name].words)));
  }

  return { OUTCOMES, outcome, colour, symbol, legend };
})();
