// The conversation: a card for each turn.
"use strict";

ggb.talk = (() => {
  const { h } = ggb;
  const { fold, note, say, count, seconds, number } = ggb.parts;
  const LONG = 30, OPENED_ARGUMENT = 60;
  let turns = [];

  // A conversation; `turns` of the one that was drawn by `main` are those that keys walk through.
  function main(conversation) {
    const drawn = cards(conversation);
    turns = drawn;
    return draw(conversation, drawn);
  }

  function cards({ turns: said, asides }) {
    return said.map((turn) => card(turn, asides));
  }

  function draw(conversation, turns = cards(conversation)) {
    const { asides } = conversation;
    const called = new Set(conversation.turns.flatMap(({ calls }) => calls.map(({ id }) => id)));
    return [
      talk(conversation, turns),
      asides.filter(({ call }) => !called.has(call)).map(aside),
    ];
  }

  // Another conversation of the episode: a sub-agent's, or one for a title or a summary.
  function aside(of) {
    const what = of.call === null ? "Beside it" : "Sub-agent";
    const length = of.turns.length;
    return fold([h("b", {}, say(`${what}: conversation ${of.name}`)), h("span", { class: "soft" }, `, ${length} turn${length === 1 ? "" : "s"}`)], () => talk(of, cards(of)), { name: "fold aside" });
  }

  function talk({ asked, before, faults, ending }, turns) {
    return [
      asked.length ? h("p", { class: "soft" }, say(asked.map(settings).join(" · "))) : null,
      before.map((message) => fold([h("b", {}, say(message.role)), " ", h("span", { class: "soft" }, sizeOf(message.text))], () => ggb.code.block(message.text, { language: "markdown", label: message.role }), { name: "fold message" })),
      turns.length ? h("ol", { class: "turns" }, turns) : note("The model said nothing."),
      faults.map(fault),
      ending ? end(ending) : ending === null ? note("It has not ended.") : null,
    ];
  }

  function settings(asked) {
    if (!asked || typeof asked !== "object") return "";
    const parameters = Object.entries(asked.parameters ?? {}).map(([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : value}`);
    return [`asked ${asked.model} by ${asked.api}`, `${(asked.tools ?? []).length} tools`, ...parameters].join(", ");
  }

  function sizeOf(text) {
    const lines = ggb.code.linesOf(text).length;
    return `${count(lines)} line${lines === 1 ? "" : "s"}, ${count(text.length)} character${text.length === 1 ? "" : "s"}`;
  }

  function card(turn, asides = []) {
    return h("li", { class: "turn", tabindex: "-1", "data-turn": turn.number },
      h("header", {}, h("h3", {}, `Turn ${turn.number}`), figures(turn)),
      turn.faults.map(fault),
      turn.reasoning ? fold([h("span", { class: "soft" }, `Reasoning, ${sizeOf(turn.reasoning)}`)], () => ggb.code.block(turn.reasoning, { label: "reasoning" }), { name: "fold reasoning" }) : null,
      turn.text ? ggb.code.block(turn.text, { language: "markdown", label: "answer" }) : null,
      turn.calls.map((one) => [call(one), asides.filter((of) => of.call !== null && of.call === one.id).map(aside)]),
      turn.after.map(reminder),
      !turn.text && !turn.calls.length ? note("An empty answer.") : null);
  }

  function figures(turn) {
    const said = [];
    if (turn.at !== null && turn.at !== undefined) said.push(`at ${seconds(turn.at)}`);
    if (turn.seconds !== undefined) said.push(`took ${seconds(turn.seconds)}`);
    if (turn.tokens) said.push(`${Object.entries(turn.tokens).map(([name, value]) => `${count(value)} ${name}`).join(", ")} tokens`);
    if (turn.cached) said.push("known before");
    else if (turn.cost_usd !== undefined) said.push(`$${number(turn.cost_usd, 4)}`);
    if (turn.attempt > 1) said.push(`try ${turn.attempt}`);
    if (turn.finish_reason && !["stop", "tool_calls"].includes(turn.finish_reason)) said.push(`finish reason ${turn.finish_reason}`);
    return h("span", { class: "soft" }, said.join(" · "));
  }

  function fault(of) {
    return h("div", { class: "fault" }, h("b", {}, "✗ No answer: "), say(`${of.fate}${of.status ? ` (HTTP ${of.status})` : ""}${of.cause ? `: ${of.cause}` : ""}`), of.seconds === undefined ? null : h("span", { class: "soft" }, ` after ${seconds(of.seconds)}`),
      of.partial ? fold(h("span", { class: "soft" }, `What arrived, ${sizeOf(of.partial)}`), () => ggb.code.block(of.partial, { label: "what arrived" })) : null);
  }

  function call(of) {
    return h("div", { class: of.is_error ? "call error" : "call" },
      h("div", { class: "call-name" }, h("span", { "aria-hidden": "true" }, "→ "), h("code", {}, say(of.name ?? "a call that is none")), of.is_error ? h("span", { class: "badge other" }, "✗ error") : null),
      of.raw === null ? null : ggb.code.block(of.raw, { label: "arguments as they came" }),
      of.arguments.length ? h("dl", { class: "arguments" }, of.arguments.map((argument) => h("div", {}, h("dt", {}, say(argument.name)), h("dd", {}, value(argument, of.arguments))))) : null,
      of.result === null ? note("Nothing came back.") : result(of));
  }

  function value(argument, all) {
    if (!argument.text.includes("\n") && argument.text.length < 200) return h("code", { class: "short" }, argument.text === "" ? h("span", { class: "soft" }, "[empty]") : argument.text);
    const block = () => ggb.code.block(argument.text, { language: argument.json ? "json" : languageOf(all), label: argument.name });
    return ggb.code.linesOf(argument.text).length <= OPENED_ARGUMENT ? block() : fold(h("span", { class: "soft" }, sizeOf(argument.text)), block);
  }

  // Code is coloured as the file that another argument names.
  function languageOf(all) {
    return all.map(({ text }) => (text.length < 300 && /\.\w+$/.test(text) ? ggb.code.languageOf(text) : null)).find(Boolean) ?? null;
  }

  function result(of) {
    const block = () => ggb.code.block(of.result, { label: "result" });
    const lines = ggb.code.linesOf(of.result).length;
    if (lines <= LONG) return h("div", { class: "returned" }, block());
    return h("div", { class: "returned" }, fold(h("span", { class: "soft" }, `Result, ${sizeOf(of.result)}`), block));
  }

  function reminder(message) {
    const isTool = message.role === "tool";
    return h("div", { class: message.is_error ? "call error" : "reminder" }, h("b", {}, say(isTool ? "Result" : `Reminder (${message.role})`)), ggb.code.block(message.text, { label: message.role }));
  }

  function end(ending) {
    const usage = ending.usage ?? {};
    const said = Object.entries(usage).filter(([, value]) => value !== null && typeof value !== "object").map(([name, value]) => `${ggb.parts.words(name)} ${value}`);
    return h("div", { class: ending.error ? "ending error" : "ending" }, h("b", {}, `Ended: ${ggb.parts.words(ending.status)}`), ending.turns === null || ending.turns === undefined ? "" : ` after ${ending.turns} turns`,
      ending.error ? say(`: ${ending.error}`) : "", said.length ? h("div", { class: "soft" }, said.join(", ")) : null, (ending.notes ?? []).map((text) => note(`Note: ${text}`)));
  }

  // The turn after or before the one that was gone to.
  function go(step) {
    if (!turns.length) return;
    const top = 8;
    const at = turns.findIndex((turn) => turn.getBoundingClientRect().bottom > top + 1);
    const here = turns.findIndex((turn) => turn === document.activeElement);
    const from = here >= 0 ? here : at < 0 ? turns.length : at - (step > 0 ? 1 : 0);
    const to = turns[Math.max(0, Math.min(turns.length - 1, from + step))];
    to.scrollIntoView({ block: "start" });
    to.focus({ preventScroll: true });
  }

  return { main, draw, go };
})();
