// What judges were asked, what they answered, and how that was counted.
"use strict";

ggb.judge = (() => {
  const { h } = ggb;
  const { fold, note, say, words, facts, count } = ggb.parts;
  const ORDERS = ["agent_first", "real_first"];

  function draw(judge, prompts) {
    return [
      judge ? record(judge) : note("Nobody judged this episode."),
      prompts ? [h("h3", {}, "What was asked"), ORDERS.filter((order) => Array.isArray(prompts[order])).map((order) => fold(h("b", {}, words(order)), () => prompts[order].map(message), { name: "fold" }))] : judge?.judges.length ? note("The prompts are not kept with this run.") : null,
    ];
  }

  function record(judge) {
    return [
      facts([["State", words(judge.state)], ["Verdict", judge.verdict ?? "none"], judge.problem ? ["Problem", say(judge.problem)] : null,
        ["Repeats of each order", judge.repeats], judge.cut ? ["Cut", `at ${count(judge.cut.limit)} characters: ${judge.cut.agent.map(count).join(" of ")} of the agent's, ${judge.cut.real.map(count).join(" of ")} of the real`] : null,
        judge.prompt ? ["Hash of the instructions", h("code", {}, judge.prompt)] : null]),
      judge.judges.map((of) => opinion(of, false)),
      judge.former.length ? fold("Answers of before, which do not count", () => judge.former.map((of) => opinion(of, true))) : null,
    ];
  }

  function opinion(of) {
    return h("section", { class: "opinion" }, h("h3", {}, say(of.model), " ", h("span", { class: `vote ${of.verdict ?? "none"}` }, of.verdict ?? "no verdict")),
      of.problem ? note(of.problem) : null,
      facts([...ORDERS.map((order) => [words(order), of[order] ?? "unknown"]), ["Both orders say the same", of.consistent === null ? "unknown" : of.consistent ? "yes" : "no"]]),
      of.questions.map(question), of.notes.map((text) => note(text)));
  }

  function question(of) {
    return h("div", { class: "question" }, h("h4", {}, `${words(of.order)}, ${of.repeat}: `, h("span", { class: `vote ${of.vote ?? "none"}` }, of.vote ?? "no vote"), of.preferred ? h("span", { class: "soft" }, ` preferred ${of.preferred}`) : null),
      of.reason ? h("p", {}, say(of.reason)) : null,
      of.answers.map((answer, at) => fold(h("span", { class: "soft" }, say(`Raw answer${of.answers.length > 1 ? ` ${at + 1}` : ""}, ${answer.finish_reason}${answer.problem ? `: ${answer.problem}` : ""}`)), () => ggb.code.block(answer.text, { language: "json", label: "raw answer" }))));
  }

  function message(of) {
    const text = typeof of?.content === "string" ? of.content : JSON.stringify(of?.content ?? of, null, 2);
    return [h("h4", {}, say(of?.role ?? "message")), ggb.code.block(text, { language: "markdown", label: "prompt" })];
  }

  return { draw };
})();
