/* SPDX-License-Identifier: MIT
 *
 * Zoom, search and keyboard of a flame graph. Everything it needs is in the picture: each g.f is a
 * frame, with the counts to its left (data-s) and of it (data-t), its level (aria-level), and name
 * and numbers in its <title>. */
(function () {
  "use strict";
  const SVG = "http://www.w3.org/2000/svg", HTML = "http://www.w3.org/1999/xhtml";
  const script = document.currentScript;
  const svg = (script && script.closest("svg")) || document.documentElement;
  const isAlone = svg === document.documentElement;
  const margin = Number(svg.dataset.margin), unit = svg.dataset.unit;
  const details = svg.querySelector(".details");
  let letter = Number(svg.dataset.letter);
  let width = svg.viewBox.baseVal.width;
  const height = svg.viewBox.baseVal.height;

  const frames = Array.from(svg.querySelectorAll("g.f"), function (g) {
    const start = Number(g.dataset.s), total = Number(g.dataset.t);
    const title = g.querySelector("title").textContent, end = title.indexOf("\n");
    return {
      g: g, rect: g.querySelector("rect"), text: g.querySelector("text"),
      start: start, total: total, end: start + total, depth: Number(g.getAttribute("aria-level")) - 1,
      name: title.slice(0, end), about: title.slice(end + 1), shown: true, found: false
    };
  });
  const byElement = new Map(frames.map(function (frame) { return [frame.g, frame]; }));
  const root = frames[0];
  let view = root, current = root, pattern = null;

  /* ---- drawing ---- */

  function fitted(text, px) {
    const letters = Array.from(text), room = Math.floor(px / letter);
    if (letters.length <= room) return text;
    return letters.slice(0, Math.max(room - 1, 0)).join("") + "\u2026";
  }

  function place(frame, x, w) {
    frame.rect.setAttribute("x", x.toFixed(2));
    frame.rect.setAttribute("width", (w > 2 ? w - 0.6 : w).toFixed(2));
    if (w - 7 < 3 * letter) {
      if (frame.text) frame.text.textContent = "";
      return;
    }
    if (!frame.text) {
      frame.text = document.createElementNS(SVG, "text");
      frame.text.setAttribute("y", Number(frame.rect.getAttribute("y")) + 13);
      frame.g.appendChild(frame.text);
    }
    frame.text.setAttribute("x", (x + 3.5).toFixed(2));
    frame.text.textContent = fitted(frame.name, w - 7);
  }

  /* Numbers here are doubles: beyond 2^53 sums are off by a hair, hence the tolerance. */
  function draw() {
    const plot = width - 2 * margin, slack = view.total * 1e-9;
    frames.forEach(function (frame) {
      const isAround = frame.depth < view.depth && frame.start <= view.start + slack &&
        frame.end >= view.end - slack;
      const isInside = frame.depth >= view.depth && frame.start >= view.start - slack &&
        frame.end <= view.end + slack;
      frame.shown = isAround || isInside;
      frame.g.classList.toggle("out", !frame.shown);
      frame.g.classList.toggle("around", isAround);
      if (isAround) place(frame, margin, plot);
      else if (isInside)
        place(frame, margin + (frame.start - view.start) / view.total * plot,
              Math.max(frame.total / view.total * plot, 0.1));
    });
  }

  function percent(part, whole) {
    const share = 100 * part / whole;
    return part === whole ? "100%" : share < 0.01 && part > 0 ? "<0.01%" : share.toFixed(2) + "%";
  }

  function say(text) {
    details.textContent = fitted(text, width - 2 * margin);
  }

  /* ---- search ---- */

  function compiled(term) {
    try {
      return new RegExp(term, "i");
    } catch (error) {
      return new RegExp(term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i");
    }
  }

  /* What lies above a frame that was found is part of it: not counted again. */
  function showFound() {
    let count = 0, sum = 0, covered = -1;
    frames.forEach(function (frame) {
      frame.found = pattern !== null && frame !== root && pattern.test(frame.name);
      frame.g.classList.toggle("found", frame.found);
      if (!frame.found || !frame.shown) return;
      count++;
      const start = Math.max(frame.start, view.start), end = Math.min(frame.end, view.end);
      if (start >= covered) {
        sum += end - start;
        covered = end;
      }
    });
    if (pattern === null) return say("");
    say("found: " + count.toLocaleString("en") + (count === 1 ? " frame" : " frames") + ", " +
        sum.toLocaleString("en") + " " + unit + ", " + percent(sum, view.total) +
        (view === root ? "" : " of " + view.name));
  }

  function search(term) {
    pattern = term === "" ? null : compiled(term);
    tools.reset.disabled = view === root && pattern === null;
    showFound();
  }

  /* ---- zoom ---- */

  function zoom(frame) {
    view = frame;
    draw();
    showFound();
    if (pattern === null) say(frame === root ? "" : frame.name + ": " + frame.about);
    tools.reset.disabled = view === root && pattern === null;
  }

  function reset() {
    tools.field.value = "";
    pattern = null;
    zoom(root);
  }

  /* ---- keyboard: one frame at a time can be reached with Tab, the arrows move it ---- */

  function focus(frame) {
    if (!frame) return;
    current.g.setAttribute("tabindex", "-1");
    current = frame;
    frame.g.setAttribute("tabindex", "0");
    frame.g.focus();
  }

  /* The nearest shown frame in document order that fits. Frames come parents first. */
  function nearest(step, fits) {
    for (let i = frames.indexOf(current) + step; i >= 0 && i < frames.length; i += step)
      if (frames[i].shown && fits(frames[i])) return frames[i];
    return null;
  }

  function parent() {
    return nearest(-1, function (frame) { return frame.depth === current.depth - 1; });
  }

  function child() {
    const next = nearest(1, function () { return true; });
    return next && next.depth > current.depth ? next : null;
  }

  function level(step) {
    return nearest(step, function (frame) { return frame.depth === current.depth; });
  }

  const up = Number(root.rect.getAttribute("y")) > height / 2 ? child : parent;
  const moves = {
    ArrowUp: up, ArrowDown: up === child ? parent : child,
    ArrowRight: function () { return level(1); }, ArrowLeft: function () { return level(-1); },
    Home: function () { return root; }
  };

  function onKey(event) {
    const isField = event.target === tools.field;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "f" && !isField) {
      tools.field.focus();
      tools.field.select();
    } else if (event.key === "Escape") {
      reset();
      if (isField) current.g.focus();
    } else if (event.ctrlKey || event.metaKey || event.altKey || event.target === tools.reset) {
      return;
    } else if (isField) {
      if (event.key !== "Enter") return;
      focus(frames.find(function (frame) { return frame.found && frame.shown; }));
    } else if (!byElement.has(event.target)) {
      return;
    } else if (event.key === "Enter" || event.key === " ") {
      zoom(current);
    } else if (moves[event.key]) {
      focus(moves[event.key]());
    } else {
      return;
    }
    event.preventDefault();
  }

  /* ---- the tools, which without a script would be dead ---- */

  const tools = { box: document.createElementNS(SVG, "foreignObject") };
  tools.field = document.createElementNS(HTML, "input");
  tools.field.setAttribute("type", "search");
  tools.field.setAttribute("placeholder", "Search (Ctrl-F)");
  tools.field.setAttribute("aria-label", "Search for functions; regular expressions work");
  tools.reset = document.createElementNS(HTML, "button");
  tools.reset.setAttribute("type", "button");
  tools.reset.setAttribute("title", "Show everything again (Escape)");
  tools.reset.textContent = "Reset";
  tools.reset.disabled = true;
  const row = document.createElementNS(HTML, "div");
  row.setAttribute("class", "tools");
  row.append(tools.field, tools.reset);
  tools.box.append(row);
  svg.insertBefore(tools.box, svg.querySelector(".frames"));

  function resize() {
    if (isAlone && window.innerWidth > 300) width = window.innerWidth;
    svg.setAttribute("width", width);
    svg.setAttribute("viewBox", "0 0 " + width + " " + height);
    const box = { x: width - margin - 290, y: 8, width: 290, height: 34 };
    Object.keys(box).forEach(function (key) { tools.box.setAttribute(key, box[key]); });
    draw();
  }

  const measured = document.createElementNS(SVG, "text");
  measured.textContent = "MMMMMMMMMMMMMMMMMMMM";
  svg.appendChild(measured);
  letter = measured.getComputedTextLength() / 20 || letter;
  measured.remove();

  frames.forEach(function (frame) { frame.g.setAttribute("tabindex", frame === root ? "0" : "-1"); });
  details.setAttribute("aria-live", "polite");
  svg.classList.add("live");
  svg.addEventListener("click", function (event) {
    const g = event.target.closest && event.target.closest("g.f");
    if (!g) return;
    focus(byElement.get(g));
    zoom(current);
  });
  svg.addEventListener("mouseover", function (event) {
    const g = event.target.closest && event.target.closest("g.f");
    if (g) say(byElement.get(g).name + ": " + byElement.get(g).about);
    else showFound();
  });
  svg.addEventListener("focusin", function (event) {
    const frame = byElement.get(event.target);
    if (!frame) return;
    current = frame;
    if (pattern === null) say(frame.name + ": " + frame.about);
  });
  tools.field.addEventListener("input", function () { search(tools.field.value); });
  tools.reset.addEventListener("click", reset);
  (isAlone ? document : svg).addEventListener("keydown", onKey);
  if (isAlone) window.addEventListener("resize", resize);
  resize();
})();
