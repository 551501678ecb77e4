// The result where files were in conflict: each conflict with what met there, what the agent made of it, and the truth.
"use strict";

ggb.resultFiles = (() => {
  const { h } = ggb;
  const { mark, fold, note, number } = ggb.parts;
  const OPENED = 8;
  const SIDES = [["ours", "Ours"], ["base", "Base"], ["theirs", "Theirs"]];

  function draw(details) {
    let opened = 0;
    return details.files.map((file) => h("section", { class: "file" },
      h("h3", {}, h("code", {}, ggb.parts.say(file.path)), " ", mark(file.exact, file.exact ? "as in the truth" : "differs from the truth"),
        file.out_of_reach ? h("span", { class: "badge other" }, "out of reach") : null),
      file.out_of_reach ? note("The truth changes this file where no answer to a conflict can: who only resolves conflicts cannot match it.") : null,
      !file.conflicts.length && !file.exact ? note("It was not in conflict. How it differs is in the diff below.") : null,
      file.conflicts.map((conflict) => {
        const open = !conflict.exact && opened < OPENED;
        if (open) opened += 1;
        return fold([mark(conflict.exact, `Conflict ${conflict.number}`), figures(conflict)], () => body(conflict, file.path), { open, name: "fold conflict" });
      })));
  }

  function figures(conflict) {
    const said = [];
    if (conflict.kind !== "text") said.push(conflict.kind);
    if (conflict.similarity !== null) said.push(`similarity ${number(conflict.similarity)} (precision ${number(conflict.precision)}, recall ${number(conflict.recall)})`);
    if (conflict.together !== null) said.push("compared with its neighbours as one");
    if (conflict.cut) said.push("not kept whole in this run");
    return h("span", { class: "soft" }, said.length ? `: ${said.join("; ")}` : "");
  }

  function body(conflict, path) {
    const language = conflict.kind === "text" ? ggb.code.languageOf(path) : null;
    return [
      h("h4", {}, "What met"),
      conflict.sides ? met(conflict.sides, language) : note("Base, ours and theirs are not recorded in this run."),
      h("h4", {}, "What was made of it"),
      made(conflict, language),
    ];
  }

  function met(sides, language) {
    const absent = SIDES.filter(([name]) => sides[name] === null).map(([, title]) => title);
    return [
      ggb.diffs.three(SIDES.map(([name]) => sides[name] ?? ""), SIDES.map(([, title]) => title), language),
      absent.length ? note(`No file stands at this path in: ${absent.join(", ").toLowerCase()}.`) : null,
    ];
  }

  function made(conflict, language) {
    const { agent_text: agent, truth_text: truth } = conflict;
    if (agent === null && truth === null) return note("Neither the agent nor the truth has a file there.");
    if (agent === truth) return [note("The agent and the truth have the same."), ggb.code.block(truth, { language, label: "agent and truth" })];
    const absent = [[agent, "The agent"], [truth, "The truth"]].filter(([text]) => text === null).map(([, who]) => `${who} has no file there.`);
    return [ggb.diffs.two([agent ?? "", truth ?? ""], ["Agent", "Truth"], language), absent.length ? note(absent.join(" ")) : null];
  }

  return { draw };
})();
