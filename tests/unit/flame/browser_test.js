/* SPDX-License-Identifier: MIT
 *
 * Drives flame.js in a browser: browser_page.cmake puts a flame graph and this script into one page.
 * The graph: main;copy 35, main;parse 9, main;parse;strcmp 56, of 100 samples. */
(function () {
  "use strict";
  const failures = [];
  const svg = document.querySelector("svg");
  const details = svg.querySelector(".details");
  const field = svg.querySelector("input"), button = svg.querySelector("button");
  const frames = Array.from(svg.querySelectorAll("g.f"));

  function check(what, actual, expected) {
    if (JSON.stringify(actual) !== JSON.stringify(expected))
      failures.push(what + ": " + JSON.stringify(actual) + ", expected " + JSON.stringify(expected));
  }
  function frame(name) {
    return frames.find(function (g) {
      return g.querySelector("title").textContent.startsWith(name + "\n");
    });
  }
  function nameOf(g) {
    return g.querySelector ? g.querySelector("title").textContent.split("\n")[0] : null;
  }
  function shown() {
    return frames.filter(function (g) { return !g.classList.contains("out"); }).map(nameOf);
  }
  function width(name) {
    return Math.round(Number(frame(name).querySelector("rect").getAttribute("width")));
  }
  function key(target, name, isControl) {
    target.dispatchEvent(new KeyboardEvent("keydown",
      { key: name, ctrlKey: Boolean(isControl), bubbles: true, cancelable: true }));
  }
  function click(target) {
    target.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  }
  function type(text) {
    field.value = text;
    field.dispatchEvent(new Event("input"));
  }

  const all = ["all", "main", "copy", "parse", "strcmp"];
  check("at first", shown(), all);
  check("reset at first", button.disabled, true);

  click(frame("parse").querySelector("rect"));
  check("zoomed", shown(), ["all", "main", "parse", "strcmp"]);
  check("zoomed width", width("parse"), 1171);
  check("zoomed width above", width("strcmp"), Math.round(1172 * 56 / 65 - 0.6));
  check("callers", frame("main").classList.contains("around"), true);
  check("details", details.textContent, "parse: 65 samples, 65.00%, 9 of its own");
  check("reset when zoomed", button.disabled, false);
  type("strcmp");
  check("found in zoom", details.textContent, "found: 1 frame, 56 samples, 86.15% of parse");
  click(button);
  check("reset", shown(), all);
  check("field after reset", field.value, "");

  type("^(main|parse)$");
  check("found once", details.textContent, "found: 2 frames, 100 samples, 100%");
  type("PARSE");
  check("whatever the case", details.textContent, "found: 1 frame, 65 samples, 65.00%");
  type("strcmp(");
  check("no regular expression", details.textContent, "found: 0 frames, 0 samples, 0.00%");

  key(svg, "f", true);
  check("ctrl-f", document.activeElement === field, true);
  type("cop");
  key(field, "Enter");
  check("enter in field", nameOf(document.activeElement), "copy");
  key(document.activeElement, "ArrowRight");
  check("right", nameOf(document.activeElement), "parse");
  key(document.activeElement, "ArrowUp");
  check("up", nameOf(document.activeElement), "strcmp");
  key(document.activeElement, "ArrowDown");
  key(document.activeElement, "ArrowDown");
  check("down", nameOf(document.activeElement), "main");
  key(document.activeElement, "ArrowUp");
  key(document.activeElement, "Enter");
  check("enter on a frame", shown(), ["all", "main", "copy"]);
  key(document.activeElement, "Escape");
  check("escape", shown(), all);
  check("one stop for Tab", svg.querySelectorAll('g.f[tabindex="0"]').length, 1);

  frames.forEach(function (g) {
    const text = g.querySelector("text"), rect = g.querySelector("rect").getBBox();
    if (text && text.textContent !== "" && text.getBBox().x + text.getBBox().width > rect.x + rect.width)
      failures.push("the text of " + nameOf(g) + " is wider than its frame");
  });
  document.body.append(failures.length === 0 ? "browser_test: passed" : failures.join("\n"));
})();
