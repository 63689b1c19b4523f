"use strict";
(() => {
  // Elements by the place in the PTX that they belong to: `file-line`.
  const byPlace = new Map();
  const placesOf = (element) => element.dataset.k.split(" ");
  for (const element of document.querySelectorAll("[data-k]")) {
    for (const place of placesOf(element)) {
      const known = byPlace.get(place);
      if (known) known.push(element);
      else byPlace.set(place, [element]);
    }
  }
  const follow = document.getElementById("follow");

  // Marks all elements of these places.
  let marked = [];
  const mark = (places) => {
    for (const element of marked) element.classList.remove("on");
    marked = [];
    for (const place of places) {
      for (const element of byPlace.get(place) || []) {
        element.classList.add("on");
        marked.push(element);
      }
    }
  };

  // Scrolls a pane, and nothing else, so that an element can be seen in it.
  const reveal = (pane, element) => {
    const folded = element.closest("details");
    if (folded) folded.open = true;
    const outer = pane.getBoundingClientRect();
    const inner = element.getBoundingClientRect();
    if (inner.top >= outer.top + 30) {
      if (outer.bottom - 20 >= inner.bottom) return;
    }
    pane.scrollTop += inner.top - outer.top - outer.height / 3;
  };

  // Scrolls every pane but the one of `origin` to its first marked line.
  const revealMarked = (origin) => {
    const own = origin.closest(".pane");
    const done = new Set([own]);
    for (const element of marked) {
      const pane = element.closest(".pane");
      if (!pane || done.has(pane)) continue;
      done.add(pane);
      reveal(pane, element);
    }
  };

  document.addEventListener("mouseover", (event) => {
    const element = event.target.closest("[data-k]");
    if (!element) return;
    mark(placesOf(element));
    if (follow && follow.checked && element.closest(".pane")) revealMarked(element);
  });
  document.addEventListener("click", (event) => {
    const element = event.target.closest("[data-k]");
    if (!element) return;
    const pane = element.closest(".pane");
    if (pane) setCurrent(pane, element);
    mark(placesOf(element));
    revealMarked(element);
    // A link goes to the line itself, which the panes show already.
    if (element.tagName.toLowerCase() === "a") {
      event.preventDefault();
      const panes = document.querySelector(".panes");
      if (panes) panes.scrollIntoView({ block: "nearest" });
    }
  });
  // A link to a line that is folded away opens what hides it.
  const openTarget = () => {
    const target = location.hash ? document.getElementById(location.hash.slice(1)) : null;
    if (!target || !target.dataset.k) return;
    const pane = target.closest(".pane");
    if (pane) reveal(pane, target);
    mark(placesOf(target));
    revealMarked(target);
  };
  window.addEventListener("hashchange", openTarget);
  openTarget();

  // With the keyboard, a pane that has the focus has a current line, which the arrow keys move.
  const current = new Map();
  const setCurrent = (pane, element) => {
    const last = current.get(pane);
    if (last) last.classList.remove("at");
    element.classList.add("at");
    current.set(pane, element);
  };
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 30, PageUp: -30, Home: -Infinity, End: Infinity };
  const linkedLines = new Map();
  for (const pane of document.querySelectorAll(".pane")) {
    pane.addEventListener("keydown", (event) => {
      const step = steps[event.key];
      if (step === undefined || event.target !== pane) return;
      if (!linkedLines.has(pane)) linkedLines.set(pane, [...pane.querySelectorAll("[data-k]")]);
      const lines = linkedLines.get(pane);
      if (lines.length === 0) return;
      event.preventDefault();
      const at = lines.indexOf(current.get(pane));
      const next = lines[Math.max(0, Math.min(lines.length - 1, at + step))];
      setCurrent(pane, next);
      reveal(pane, next);
      mark(placesOf(next));
      revealMarked(next);
    });
  }

  // Of compared functions those are shown whose name contains the text of the filter, in any case.
  const filter = document.getElementById("filter");
  const differing = document.getElementById("differing");
  if (filter) {
    const compared = [...document.querySelectorAll("details[data-name]")];
    const apply = () => {
      const wanted = filter.value.toLowerCase();
      let count = 0;
      for (const element of compared) {
        const isNamed = element.dataset.name.toLowerCase().includes(wanted);
        const isLeftOut = differing.checked ? element.dataset.differs === undefined : false;
        element.hidden = isLeftOut || !isNamed;
        if (!element.hidden) count += 1;
      }
      document.getElementById("shown").textContent = `${count} of ${compared.length} functions`;
    };
    filter.addEventListener("input", apply);
    differing.addEventListener("change", apply);
    apply();
  }
})();
