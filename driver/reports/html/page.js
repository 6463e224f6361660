/* Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

   The filters, keys, theme, and links of the HTML report, which is complete
   without them. */
"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const findings = [...document.querySelectorAll(".finding")];
  const form = $("filters");
  const tiles = [...document.querySelectorAll(".tile")].map((box) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = box.className;
    button.dataset.outcome = box.dataset.outcome;
    button.append(...box.childNodes);
    box.replaceWith(button);
    return button;
  });
  const texts = new Map();
  const shown = () => findings.filter((f) => !f.hidden);
  const summaryOf = (f) => f.querySelector("summary");

  // Filters. They are kept in the address, so that users can share a view.
  const wanted = () => {
    const all = new FormData(form);
    return (name) => all.get(name) || "";
  };
  const textOf = (f) => {
    if (!texts.has(f)) texts.set(f, f.textContent.toLowerCase());
    return texts.get(f);
  };
  const passes = (f, get, words) =>
    ["outcome", "check", "sure", "file", "run"].every(
      (name) => !get(name) || f.dataset[name] === get(name)) &&
    (!get("region") || f.dataset.region.split(" ").includes(get("region"))) &&
    words.every((word) => textOf(f).includes(word));
  const filter = () => {
    const get = wanted();
    const words = get("text").toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const f of findings) {
      f.hidden = !passes(f, get, words);
      count += !f.hidden;
    }
    const any = words.length || [...new FormData(form).values()].some(Boolean);
    for (const region of document.querySelectorAll("section.region"))
      region.hidden = Boolean(any) && region.querySelector(".finding") !== null &&
        region.querySelector(".finding:not([hidden])") === null ||
        Boolean(any) && region.querySelector(".finding") === null;
    for (const tile of tiles)
      tile.setAttribute("aria-pressed", String(tile.dataset.outcome === get("outcome")));
    $("shown").textContent = any ? `${count} of ${findings.length} shown` :
      `all ${findings.length} shown`;
    $("none").hidden = count > 0 || !findings.length;
  };
  const reset = () => { form.reset(); filter(); };
  $("filter-box").hidden = false;
  $("filter-box").open = matchMedia("(min-width: 60rem)").matches;
  form.addEventListener("input", filter);
  form.addEventListener("submit", (e) => e.preventDefault());
  form.addEventListener("reset", () => setTimeout(filter));
  for (const tile of tiles)
    tile.addEventListener("click", () => {
      const pressed = tile.getAttribute("aria-pressed") === "true";
      form.elements.outcome.value = pressed ? "" : tile.dataset.outcome;
      filter();
    });

  // Opens the target of a link, and shows it regardless of the filters.
  const open = (id, focus) => {
    const target = id && $(id);
    if (!target) return;
    if (target.closest("[hidden]")) reset();
    for (let d = target.closest("details"); d; d = d.parentElement.closest("details"))
      d.open = true;
    const inner = target.matches("details") ? target : target.querySelector(":scope > details");
    if (inner) inner.open = true;
    target.scrollIntoView({ block: "start" });
    if (focus && inner) inner.querySelector("summary").focus({ preventScroll: true });
  };
  const hash = () => decodeURIComponent(location.hash.slice(1));
  addEventListener("hashchange", () => open(hash(), true));
  document.addEventListener("click", (e) => {
    const link = e.target.closest("a[href^='#']");
    if (link && link.getAttribute("href") === location.hash) open(hash(), true);
  });

  // Theme.
  const themes = ["", "light", "dark"];
  const store = (value) => {
    try {
      if (value === undefined) return localStorage.getItem("cudagraph-tidy-theme") || "";
      localStorage.setItem("cudagraph-tidy-theme", value);
    } catch { /* a file without storage */ }
    return "";
  };
  const paint = (theme) => {
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    $("theme").textContent = `Theme: ${theme || "system"}`;
  };
  let theme = themes.includes(store()) && store() || document.documentElement.dataset.theme || "";
  const nextTheme = () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    store(theme);
    paint(theme);
  };
  paint(theme);
  $("theme").hidden = $("help").hidden = false;
  $("theme").addEventListener("click", nextTheme);
  $("help").addEventListener("click", () => $("keys").showModal());
  $("close").addEventListener("click", () => $("keys").close());

  // Keys.
  const go = (list, from, by) => {
    if (!list.length) return;
    let at = list.findIndex((x) => x === from);
    if (at < 0) {
      // Relative to the visible part of the page: the first one below its upper edge.
      at = list.findIndex((x) => x.getBoundingClientRect().top > 8);
      if (at < 0) at = list.length;
      if (by > 0) at -= 1;
    }
    return list[Math.min(Math.max(at + by, 0), list.length - 1)];
  };
  const current = () => document.activeElement.closest(".finding");
  const toFinding = (by) => {
    const f = go(shown(), current(), by);
    if (!f) return;
    summaryOf(f).focus({ preventScroll: true });
    f.scrollIntoView({ block: "nearest" });
    if (f.getBoundingClientRect().height > innerHeight) f.scrollIntoView({ block: "start" });
  };
  let region = null;
  const toRegion = (by) => {
    const list = [...document.querySelectorAll("section.region:not([hidden])")];
    region = go(list, list.includes(region) ? region : null, by);
    if (!region) return;
    region.tabIndex = -1;
    region.focus({ preventScroll: true });
    region.scrollIntoView({ block: "start" });
  };
  const toggle = () => {
    const f = current();
    if (f) f.firstElementChild.open = !f.firstElementChild.open;
  };
  const toggleAll = () => {
    const some = shown().some((f) => !f.firstElementChild.open);
    for (const f of shown()) f.firstElementChild.open = some;
  };
  const keys = {
    j: () => toFinding(1), k: () => toFinding(-1),
    n: () => toRegion(1), p: () => toRegion(-1),
    o: toggle, e: toggleAll, t: nextTheme,
    "/": () => {
      $("filter-box").open = true;
      $("by-text").focus();
    },
    "?": () => $("keys").showModal(),
    Escape: () => { if (!$("keys").open) reset(); },
  };
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const typing = e.target.closest("input, select, textarea");
    if (typing) {
      if (e.key === "Escape" && typing.id === "by-text") {
        typing.blur();
        e.preventDefault();
      }
      return;
    }
    if ($("keys").open) return;
    const act = Object.hasOwn(keys, e.key) && keys[e.key];
    if (!act) return;
    e.preventDefault();
    act();
  });

  // Elements that scroll sideways are also reachable by keyboard.
  const reachable = (root) => {
    for (const box of root.querySelectorAll(".src, .diff, .flow, .scroll, .code"))
      if (box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1)
        box.tabIndex = 0;
  };
  document.addEventListener("toggle", (e) => {
    if (e.target.open) reachable(e.target);
  }, true);
  // With many findings, only once it is visible, because the query lays it out.
  const many = $("main").classList.contains("many");
  const seen = new IntersectionObserver((all) => {
    for (const { isIntersecting, target } of all)
      if (isIntersecting) {
        seen.unobserve(target);
        reachable(target);
      }
  });
  for (const box of document.querySelectorAll("details[open], .picture"))
    many ? seen.observe(box) : reachable(box);
  addEventListener("beforeprint", () => {
    for (const f of shown()) f.firstElementChild.open = true;
  });

  filter();
  // After the browser's own navigation, which removes the focus.
  addEventListener("load", () => setTimeout(() => open(hash(), true)));
})();
