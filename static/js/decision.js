// The decision page: the button and its summary name the chosen verdict, and the rail follows the evidence in view.
"use strict";

(() => {
  const byId = (id) => document.getElementById(id);
  const chosen = () => document.querySelector('#verdict input[name="verdict"]:checked:not(:disabled)')?.value;
  const inEditor = () => document.querySelector('#verdict input[name="how"]:checked')?.value === "edit";

  function show() {
    const verdict = chosen();
    const label = byId("commit-label");
    for (const line of document.querySelectorAll("[data-will]")) line.hidden = line.dataset.will !== verdict;
    if (!label || !verdict) return;
    label.textContent = verdict === "supersede" && inEditor() ? "Go on in the editor" : `Commit: ${verdict}`;
  }

  document.addEventListener("change", (event) => {
    if (event.target.form?.id === "verdict") show();
  });
  // After a swap the form is new, and so is the button.
  document.addEventListener("htmx:afterSettle", show);
  show();

  // The editor is a page of its own, so the form goes there as a plain form, with what was typed.
  document.addEventListener("htmx:configRequest", (event) => {
    const form = event.detail.elt;
    if (form.id !== "verdict" || chosen() !== "supersede" || !inEditor()) return;
    event.preventDefault();
    form.submit();
  });

  // 503 for a verdict comes with a panel that keeps the text; any other 503 is a message (app.js).
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.xhr.getResponseHeader("X-Panel") !== "verdict") return;
    event.detail.shouldSwap = true;
    event.detail.isError = false;
  });

  // A message that a page brings along, as "This is the last flag.", is said too: only changes of a region are.
  window.Reaffirm.announce(byId("messages")?.textContent.trim());

  // A page that answers a POST has the address of the action, which nobody can open again.
  const opened = location.pathname.match(/^(.*\/decisions\/[^/]+\/)verdict\/$/);
  if (opened) history.replaceState(history.state, "", opened[1] + location.search);

  // The rail marks the citation whose text is in view.
  function markCurrent(id) {
    for (const row of document.querySelectorAll(".cite")) {
      const link = row.querySelector("a");
      const current = link.hash === `#${id}`;
      row.classList.toggle("is-current", current);
      if (current) link.setAttribute("aria-current", "true"); else link.removeAttribute("aria-current");
    }
  }

  const middle = byId("middle");
  if (middle && "IntersectionObserver" in window) {
    const inView = new Set();
    const blocks = [...document.querySelectorAll(".block[id^=cite-]")];
    const observer = new IntersectionObserver((changes) => {
      for (const change of changes) if (change.isIntersecting) inView.add(change.target); else inView.delete(change.target);
      const first = blocks.find((block) => inView.has(block));
      if (first) markCurrent(first.id);
    }, { rootMargin: "-15% 0px -60% 0px" });
    for (const block of blocks) observer.observe(block);
  }
})();
