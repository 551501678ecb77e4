// Rates, intervals and means of some episodes, counted as `gitgoodbench report` counts them (scoring/statistics.py).
"use strict";

ggb.figures = (() => {
  const Z = 1.959963984540054;

  // hits of total, with the effective number of cases where samples come several times. cases: [cluster, hit].
  function proportion(cases, t95) {
    const clusters = new Map();
    for (const [cluster, hit] of cases) {
      const known = clusters.get(cluster) || [0, 0];
      known[0] += hit ? 1 : 0;
      known[1] += 1;
      clusters.set(cluster, known);
    }
    const sizes = [...clusters.values()];
    const hits = sum(sizes.map(([hit]) => hit));
    const total = sum(sizes.map(([, size]) => size));
    const effective = total === sizes.length ? total : effectiveSize(sizes, hits, total, t95);
    return { hits, total, rate: total ? hits / total : null, interval: wilson(hits, total, effective) };
  }

  function wilson(hits, total, n) {
    if (!total) return null;
    const p = hits / total;
    const scale = 1 / (1 + Z * Z / n);
    const centre = scale * (p + Z * Z / (2 * n));
    const half = scale * Z * Math.sqrt(p * (1 - p) / n + Z * Z / (4 * n * n));
    return [hits === 0 ? 0 : centre - half, hits === total ? 1 : centre + half];
  }

  function effectiveSize(sizes, hits, total, t95) {
    const least = total ** 2 / sum(sizes.map(([, size]) => size ** 2));
    if (hits === 0 || hits === total || sizes.length === 1) return least;
    const between = sum(sizes.map(([hit, size]) => (hit * total - hits * size) ** 2));
    const plain = hits * (total - hits) * total ** 2;
    const effective = between * total <= plain ? total : plain / between;
    return Math.max(least, effective * (student(total - 1, t95) / student(sizes.length - 1, t95)) ** 2);
  }

  // The 97.5 % quantile of Student's t: a table, then the expansion of Fisher and Cornish.
  function student(degrees, t95) {
    if (degrees <= t95.length) return t95[degrees - 1];
    const n = degrees;
    return Z + (Z ** 3 + Z) / (4 * n) + (5 * Z ** 5 + 16 * Z ** 3 + 3 * Z) / (96 * n ** 2)
      + (3 * Z ** 7 + 19 * Z ** 5 + 17 * Z ** 3 - 15 * Z) / (384 * n ** 3);
  }

  function sum(values) {
    return values.reduce((all, value) => all + value, 0);
  }

  function mean(values) {
    return values.length ? sum(values) / values.length : null;
  }

  function median(values) {
    if (!values.length) return null;
    const sorted = [...values].sort((a, b) => a - b);
    const middle = sorted.length >> 1;
    return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  const counted = new WeakMap();

  // The figures of some episodes (their numbers), as reporting/cells.py has them. The same list is counted once.
  function cell(overview, episodes) {
    if (!counted.has(episodes)) counted.set(episodes, count(overview, episodes));
    return counted.get(episodes);
  }

  function count(overview, episodes) {
    const columns = overview.episodes;
    const sample = (episode) => overview.tasks.sample[columns.task[episode]];
    const share = (some, holds) => proportion(some.map((episode) => [sample(episode), holds(episode)]), overview.t95);
    const solved = (episode) => columns.solved[episode] === true;
    const answers = episodes.filter((episode) => columns.answer[episode]);
    const known = answers.filter((episode) => columns.solved[episode] !== null);
    const numbers = (name) => episodes.map((episode) => columns[name][episode]).filter((value) => value !== null);
    const settled = episodes.filter((episode) => columns.verdict[episode] !== null);
    const awaiting = episodes.filter((episode) => columns.awaiting[episode]).length;
    const traits = {};
    for (const [fact, values] of Object.entries(columns.traits)) {
      if (fact === "attainable") continue;
      const having = share(known.filter((episode) => values[episode] === true), solved);
      if (having.total) traits[fact] = having;
    }
    return {
      rows: episodes.length,
      answers: answers.length,
      success: share(episodes, (episode) => columns.success[episode]),
      of_attainable: share(known.filter((episode) => columns.attainable[episode]), solved),
      of_answers: share(known, solved),
      of_all: share(episodes, (episode) => columns.answer[episode] && solved(episode)),
      of_traits: traits,
      known: known.length > 0 || (answers.length === 0 && awaiting === 0),
      all_known: scenariosAreKnown(overview, answers),
      not_judged: answers.length - known.length,
      awaiting,
      all_gates: gates(overview, answers, share),
      gates: named(columns.gates, (values) => share(answers.filter((one) => values[one] !== null), (one) => values[one])),
      scores: named(columns.scores, (values) => {
        const some = answers.map((one) => values[one]).filter((value) => value !== null);
        return { mean: mean(some), count: some.length };
      }),
      wins: share(settled, (episode) => columns.verdict[episode] === "win"),
      ties: share(settled, (episode) => columns.verdict[episode] === "tie"),
      cost: numbers("cost").length ? sum(numbers("cost")) : null,
      unknown_costs: sum(numbers("unknown")),
      tokens: numbers("tokens").length ? sum(numbers("tokens")) : null,
      seconds: median(numbers("seconds")),
      failures: episodes.length - answers.length,
    };
  }

  // Whether of each scenario some answer is known to be solved or not: a rate of all rows would count the others' as not solved.
  function scenariosAreKnown(overview, answers) {
    const scenario = (episode) => overview.tasks.scenario[overview.episodes.task[episode]];
    const known = answers.filter((episode) => overview.episodes.solved[episode] !== null);
    return new Set(known.map(scenario)).size === new Set(answers.map(scenario)).size;
  }

  function named(columns, make) {
    return Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, make(values)]));
  }

  function gates(overview, answers, share) {
    const columns = Object.values(overview.episodes.gates);
    const having = answers.filter((one) => columns.some((values) => values[one] !== null));
    return share(having, (one) => columns.every((values) => values[one] !== false));
  }

  // In words, as the report's tables have them.
  const percent = (rate) => (rate === null ? "-" : `${(100 * rate).toFixed(1)} %`);
  const share = (figure) => (figure.rate === null ? "-" : `${figure.hits}/${figure.total} ${percent(figure.rate)}`);
  const interval = (figure) => (figure.interval === null ? "" : `[${(100 * figure.interval[0]).toFixed(1)}, ${(100 * figure.interval[1]).toFixed(1)}]`);
  const dollars = (cost, unknown) => (cost === null ? "-" : `${unknown ? "≥ " : ""}$${cost.toFixed(2)}`);
  const seconds = (value) => (value === null ? "-" : value < 100 ? value.toFixed(1) : Math.round(value).toString());
  const grouped = (value) => (value === null ? "-" : value.toLocaleString("en"));

  return { proportion, student, median, cell, percent, share, interval, dollars, seconds, count: grouped };
})();
