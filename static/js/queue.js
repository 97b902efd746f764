// The queue by keyboard: j and k walk through the rows, o (or Enter, as on any link) opens the one in focus.
"use strict";

(() => {
  const links = () => [...document.querySelectorAll("#rows .qtitle")];

  function walk(step) {
    const all = links();
    const here = all.findIndex((link) => link.closest(".qrow").classList.contains("is-current"));
    const next = all[here < 0 ? (step > 0 ? 0 : all.length - 1) : here + step];
    if (!next) return atEnd(step);
    next.focus();
    next.closest(".qrow").scrollIntoView({ block: "nearest" });
  }

  function atEnd(step) {
    const more = document.querySelector(step > 0 ? "#pager [rel=next]" : "#pager [rel=prev]");
    const where = step > 0 ? "last" : "first";
    window.Reaffirm.announce(`This is the ${where} flag${more ? " on this page" : ""}.`);
  }

  function mark(event) {
    for (const row of document.querySelectorAll("#rows .qrow.is-current")) row.classList.remove("is-current");
    event.target.closest?.(".qrow")?.classList.add("is-current");
  }

  function open() {
    const all = links();
    (all.find((link) => link.closest(".qrow").classList.contains("is-current")) ?? all[0])?.click();
  }

  document.getElementById("rows")?.addEventListener("focusin", mark);
  window.Reaffirm.key({ key: "j", label: "Next / previous flag", run: () => walk(1) });
  window.Reaffirm.key({ key: "k", label: "Next / previous flag", run: () => walk(-1) });
  window.Reaffirm.key({ key: "o", label: "Open the flag", run: open });
})();
