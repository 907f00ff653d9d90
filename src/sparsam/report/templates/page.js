"use strict";
(() => {
  const all = (selector) => Array.from(document.querySelectorAll(selector));
  const byId = (id) => document.getElementById(id);
  const picker = byId("picker");
  const chosen = picker.dataset.chosen;
  const radios = all('input[name="point"]');
  const parts = Object.fromEntries(all("[data-part]").map((part) => [part.dataset.part, part]));
  const lines = byId("lines").textContent.split("\n");
  const variants = { [chosen]: {} };

  // Each line of the index names a variant, a part of the page, and the lines to put there.
  for (const entry of byId("variants").textContent.split("\n")) {
    const [id, part, ...runs] = entry.split(" ");
    variants[id] = variants[id] || {};
    variants[id][part] = runs;
    variants[chosen][part] = variants[chosen][part] || parts[part].innerHTML;
  }

  function written(runs) {
    if (typeof runs === "string") return runs;
    return runs.map((run) => {
      const [first, last = first] = run.split("-").map((number) => parseInt(number, 36));
      return lines.slice(first, last + 1).join("\n");
    }).join("\n");
  }

  let shown = chosen;
  function show(id) {
    const before = picker.getBoundingClientRect().top;
    if (id !== shown) {
      for (const [part, runs] of Object.entries(variants[id])) parts[part].innerHTML = written(runs);
      shown = id;
    }
    for (const dot of all("[data-dot]")) dot.classList.toggle("viewed", dot.dataset.dot === id);
    for (const row of all("[data-row]")) row.classList.toggle("viewed", row.dataset.row === id);
    for (const radio of radios) radio.checked = radio.value === id;
    const row = all(`[data-row="${id}"]`)[0];
    row.scrollIntoView({ block: "nearest" });
    byId("elsewhere").hidden = id === chosen;
    byId("elsewhere-name").textContent = row.querySelector(".way").textContent;
    // What stands above has grown or shrunk: keep the list where the reader's eye is.
    scrollBy({ top: picker.getBoundingClientRect().top - before, behavior: "instant" });
  }

  function near(id, on) {
    for (const mark of all(`[data-dot="${id}"], [data-row="${id}"]`)) mark.classList.toggle("near", on);
  }

  // A finger is wider than a dot: take the nearest one within reach.
  function pickFrom(event) {
    let best = 28, id = null;
    for (const dot of event.currentTarget.querySelectorAll("[data-dot]")) {
      const box = dot.lastElementChild.getBoundingClientRect();
      const away = Math.hypot(box.x + box.width / 2 - event.clientX, box.y + box.height / 2 - event.clientY);
      if (away < best) [best, id] = [away, dot.dataset.dot];
    }
    if (id !== null) show(id);
  }

  document.documentElement.classList.add("js");
  show(chosen);
  for (const radio of radios) radio.addEventListener("change", () => show(radio.value));
  for (const figure of all("svg.front")) figure.addEventListener("click", pickFrom);
  for (const mark of all("[data-dot], [data-row]")) {
    const id = mark.dataset.dot || mark.dataset.row;
    mark.addEventListener("pointerenter", () => near(id, true));
    mark.addEventListener("pointerleave", () => near(id, false));
    if (mark.dataset.row) mark.addEventListener("click", () => show(id));
  }
  byId("back").addEventListener("click", () => {
    show(chosen);
    radios.find((radio) => radio.checked).focus({ preventScroll: true });
  });
  addEventListener("beforeprint", () => {
    for (const fold of all("details")) fold.open = true;
  });
})();
