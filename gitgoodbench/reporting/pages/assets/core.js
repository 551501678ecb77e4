// What every page needs: data that arrives by scripts, elements made without HTML, and text shown as it is.
"use strict";

const ggb = (() => {
  const arrived = new Map();
  const waiting = new Map();
  const ESCAPED = /(?:[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202f\u205f-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]|\r(?!\n)|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|\udb40[\udc00-\udfff])+/g;

  // A script of data calls this. `text` is JSON.
  function data(key, text) {
    arrived.set(key, JSON.parse(text));
  }

  // The data of that key; `fresh` asks for it again. Rejects where there is none.
  function load(key, { fresh = false } = {}) {
    if (!fresh && arrived.has(key)) return Promise.resolve(arrived.get(key));
    if (waiting.has(key)) return waiting.get(key);
    const promise = new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = `data/${key}.js${fresh ? `?t=${Date.now()}` : ""}`;
      script.onload = () => {
        script.remove();
        waiting.delete(key);
        if (arrived.has(key)) resolve(arrived.get(key));
        else reject(new Error(`data/${key}.js holds no ${key}`));
      };
      script.onerror = () => {
        script.remove();
        waiting.delete(key);
        reject(new Error(`data/${key}.js cannot be loaded`));
      };
      document.head.append(script);
    });
    waiting.set(key, promise);
    return promise;
  }

  // A character that would not show, or would reorder others, as its escape.
  function escapeOf(found) {
    return [...found].map((one) => {
      const code = one.codePointAt(0);
      if (code < 256) return `\\x${code.toString(16).padStart(2, "0")}`;
      return code < 65536 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
    }).join("");
  }

  // Text from anywhere as nodes: what cannot be seen stands as an escape, marked as one.
  function text(value) {
    const whole = String(value);
    const part = document.createDocumentFragment();
    let end = 0;
    for (const match of whole.matchAll(ESCAPED)) {
      if (match.index > end) part.append(whole.slice(end, match.index));
      part.append(h("span", { class: "escape" }, escapeOf(match[0])));
      end = match.index + match[0].length;
    }
    if (end < whole.length) part.append(whole.slice(end));
    return part;
  }

  // The same as a string, for attributes, titles and options.
  function plain(value) {
    return String(value).replace(ESCAPED, escapeOf);
  }

  // An element. Strings among the children are shown by `text`; null and false are left out. Nothing is ever read as HTML.
  function h(name, attributes = {}, ...children) {
    return fill(document.createElement(name), attributes, children);
  }

  function svg(name, attributes = {}, ...children) {
    return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
  }

  function fill(element, attributes, children) {
    for (const [key, value] of Object.entries(attributes)) {
      if (value === null || value === undefined || value === false) continue;
      if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
      else element.setAttribute(key, value === true ? "" : plain(value));
    }
    for (const child of children.flat(Infinity)) {
      if (child === null || child === undefined || child === false) continue;
      element.append(child instanceof Node ? child : text(child));
    }
    return element;
  }

  function show(element, ...children) {
    element.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false)
      .map((child) => (child instanceof Node ? child : text(child))));
  }

  function problem(error) {
    const place = document.getElementById("problem");
    place.hidden = false;
    show(place, `This page cannot be drawn: ${error.message}`);
  }

  return { data, load, text, plain, h, svg, show, problem };
})();
globalThis.ggb = ggb;
