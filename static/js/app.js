// The shell of every page: keyboard, focus after a swap, announcements, buttons in flight, messages, kept text.
// No page needs it. What a page adds of its own goes through window.Reaffirm.
"use strict";

(() => {
  const root = document.documentElement;
  const isMac = /Mac|iP(hone|ad|od)/.test(navigator.platform);
  const byId = (id) => document.getElementById(id);
  const visible = (el) => el.checkVisibility?.({ checkVisibilityCSS: true }) ?? el.offsetParent !== null;
  let inFlight = 0;

  // Announcements ------------------------------------------------------------------------------------------------

  function announce(text) {
    const live = byId("live");
    if (!live || !text) return;
    live.textContent = "";
    // A new text node, a moment later: some screen readers miss a change within one frame.
    setTimeout(() => { live.textContent = text; }, 60);
  }

  function showMessage(node, { replace = true } = {}) {
    const area = byId("messages");
    if (!area) return;
    if (replace) area.replaceChildren();
    area.append(node);
    node.scrollIntoView?.({ block: "nearest" });
  }

  function note(kind, text) {
    const box = document.createElement("div");
    box.className = `note note-${kind}`;
    box.setAttribute("role", kind === "bad" ? "alert" : "status");
    const inner = document.createElement("div");
    inner.textContent = text;
    box.append(inner);
    return box;
  }

  // Keyboard: one registry feeds the handler, the badges and the sheet ---------------------------------------------
  // In HTML: data-key="j" data-key-label="Next flag" on a link, button, radio or field. In code: Reaffirm.key({…}).

  const registered = [];
  const SHOWN = { "Mod+Enter": isMac ? "⌘ ↵" : "Ctrl ↵", Escape: "Esc" };
  const shown = (key) => SHOWN[key] ?? key.replace("Mod+", isMac ? "⌘ " : "Ctrl ");

  function nameOf(event) {
    const mod = isMac ? event.metaKey : event.ctrlKey;
    return (mod ? "Mod+" : "") + event.key;
  }

  const writes = (el) => el?.closest?.("input:not([type=radio],[type=checkbox],[type=button],[type=submit]),textarea,select,[contenteditable]");
  const usable = (el) => !el.disabled && el.getAttribute("aria-disabled") !== "true" && visible(el);

  function bindingFor(key) {
    for (const el of document.querySelectorAll("[data-key]")) {
      if (el.dataset.key === key && usable(el)) return { run: () => act(el) };
    }
    return registered.find((entry) => entry.key === key && (!entry.when || entry.when()));
  }

  function act(el) {
    if (el.matches("input[type=radio],input[type=checkbox]")) { el.click(); el.focus(); }
    else if (el.matches("input,textarea,select")) el.focus();
    else if (el.matches("summary")) { el.click(); el.focus(); }
    else el.click();
  }

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.repeat || event.isComposing || event.altKey) return;
    const key = nameOf(event);
    const withMod = key.startsWith("Mod+");
    if (!withMod && (event.ctrlKey || event.metaKey)) return;
    if (event.key === "Escape") return leaveField();
    if (document.querySelector("dialog[open],[popover]:popover-open")) return;
    if (!withMod && writes(event.target)) return;
    if (!withMod && root.dataset.singleKeys === "off" && key !== "?") return;
    if (key === "?") { event.preventDefault(); return openSheet(); }
    const found = bindingFor(key);
    if (!found) return;
    event.preventDefault();
    // While a request is on its way the same key must not act twice.
    if (inFlight === 0 && !leaving) found.run(event);
  });

  function leaveField() {
    const el = document.activeElement;
    if (writes(el)) el.blur();
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      const within = menu.contains(el);
      menu.open = false;
      if (within) menu.querySelector("summary").focus();
    }
  }

  function entries() {
    const listed = new Map();
    for (const el of document.querySelectorAll("[data-key][data-key-label]")) {
      if (!listed.has(el.dataset.key)) listed.set(el.dataset.key, el.dataset.keyLabel);
    }
    for (const entry of registered) if (entry.label && !listed.has(entry.key)) listed.set(entry.key, entry.label);
    return listed;
  }

  function fillSheet() {
    const list = byId("keys-list");
    if (!list) return;
    // Keys with the same label share a line: "Next / previous flag".
    const lines = new Map();
    for (const [key, label] of entries()) lines.set(label, [...(lines.get(label) ?? []), key]);
    lines.set("This list", ["?"]);
    lines.set("Close, leave field", ["Escape"]);
    list.replaceChildren(...[...lines].map(([label, keys]) => {
      const line = document.createElement("div");
      const term = document.createElement("dt");
      const value = document.createElement("dd");
      term.textContent = label;
      for (const key of [...keys].sort()) {
        const badge = document.createElement("kbd");
        badge.textContent = shown(key);
        value.append(badge, " ");
      }
      line.append(term, value);
      return line;
    }));
  }

  function openSheet() {
    const sheet = byId("keys");
    if (!sheet) return;
    fillSheet();
    sheet.showPopover();
    sheet.querySelector("button")?.focus();
  }

  function badges(within) {
    const off = root.dataset.singleKeys === "off";
    for (const el of [...(within.matches?.("[data-key]") ? [within] : []), ...within.querySelectorAll("[data-key]")]) {
      const key = el.dataset.key;
      const host = el.matches("input,textarea,select") ? el.closest("label") : el;
      if (!host || el.dataset.keyBadge === "off" || host.querySelector(":scope > kbd") || (off && !key.startsWith("Mod+"))) continue;
      const badge = document.createElement("kbd");
      badge.setAttribute("aria-hidden", "true");
      badge.textContent = shown(key);
      if (host === el) host.append(badge); else el.after(badge);
      if (!el.hasAttribute("aria-keyshortcuts")) el.setAttribute("aria-keyshortcuts", key.replace("Mod", isMac ? "Meta" : "Control"));
    }
  }

  // Swaps: focus on purpose, say what happened ---------------------------------------------------------------------

  function focusOn(el) {
    if (!el.matches("a[href],button,input,select,textarea,summary,[tabindex]")) el.tabIndex = -1;
    el.focus({ preventScroll: false });
  }

  document.addEventListener("htmx:afterSettle", (event) => {
    const swapped = event.detail.elt;
    if (!swapped?.querySelectorAll) return;
    badges(swapped);
    const all = (selector) => [...(swapped.matches(selector) ? [swapped] : []), ...swapped.querySelectorAll(selector)];
    const next = all("[data-focus-after-swap]")[0];
    if (next) { next.removeAttribute("data-focus-after-swap"); focusOn(next); }
    for (const el of all("[data-announce]")) { announce(el.dataset.announce); el.removeAttribute("data-announce"); }
  });

  // Requests: one at a time per form, every refusal is told --------------------------------------------------------

  const sent = new WeakMap();
  let leaving = false;

  function buttonsOf(el) {
    const form = el.closest?.("form");
    if (!form) return el.matches?.("button") ? [el] : [];
    return [...form.elements].filter((field) => field.matches("button:not([type=button]),input[type=submit]"));
  }

  document.addEventListener("htmx:beforeSend", (event) => {
    inFlight += 1;
    const el = event.detail.elt;
    const buttons = buttonsOf(el).filter((button) => !button.disabled);
    const focused = document.activeElement;
    for (const button of buttons) button.disabled = true;
    sent.set(event.detail.xhr, { el, buttons, focused });
    (el.closest?.("form") ?? el).setAttribute("aria-busy", "true");
  });

  function settle(event) {
    const record = sent.get(event.detail.xhr);
    if (!record) return;
    sent.delete(event.detail.xhr);
    inFlight = Math.max(0, inFlight - 1);
    (record.el.closest?.("form") ?? record.el).removeAttribute("aria-busy");
    // On the way to another page everything stays off, or a second click would slip in (cases.md 43).
    if (event.detail.xhr.getResponseHeader("HX-Redirect")) { leaving = true; inFlight += 1; return; }
    for (const button of record.buttons) button.disabled = false;
    if (record.focused?.isConnected && document.activeElement === document.body) record.focused.focus({ preventScroll: true });
  }
  document.addEventListener("htmx:afterRequest", settle);

  // Before anything is swapped: an earlier refusal is out of date, and a new one is told. 409 and 422 tell their own.
  document.addEventListener("htmx:beforeOnLoad", (event) => {
    const xhr = event.detail.xhr;
    byId("messages")?.replaceChildren();
    if (xhr.status < 400 || xhr.status === 409 || xhr.status === 422) return;
    if (xhr.getResponseHeader("X-Message") === "1") {
      const parsed = new DOMParser().parseFromString(xhr.responseText, "text/html");
      const fragment = document.createElement("div");
      fragment.append(...parsed.body.childNodes);
      showMessage(fragment);
    } else {
      showMessage(note("bad", `The server answered ${xhr.status}. Your text is still here. Try again in a moment.`));
    }
  });
  document.addEventListener("htmx:sendError", () => {
    showMessage(note("bad", "No answer from the server. Your text is still here. Try again in a moment."));
  });
  document.addEventListener("htmx:timeout", () => {
    showMessage(note("bad", "The server took too long. Your text is still here: sending it again is safe, it is written once."));
  });

  const LEVELS = { 25: "ok", 30: "warn", 40: "bad" };
  document.addEventListener("reaffirm:notice", (event) => {
    for (const { level, text } of event.detail.items ?? []) showMessage(note(LEVELS[level] ?? "info", text), { replace: false });
  });

  // Plain forms: a second press sends nothing
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.method !== "post" || form.hasAttribute("hx-post")) return;
    if (form.dataset.sent) { event.preventDefault(); return; }
    form.dataset.sent = "1";
    // After the browser has collected the values: a disabled button would not send its own.
    setTimeout(() => { for (const button of buttonsOf(form)) button.disabled = true; });
  });
  window.addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    leaving = false; inFlight = 0;
    for (const form of document.querySelectorAll("form[data-sent]")) {
      delete form.dataset.sent;
      for (const button of buttonsOf(form)) button.disabled = false;
    }
  });

  // Text kept over a sign-in: a session that ended in the middle must not cost what was typed ------------------------

  const KEPT = "reaffirm:kept";
  const DAY = 24 * 60 * 60 * 1000;
  const typed = (form) => [...form.elements].filter((el) => el.name && el.matches("textarea,input[type=text],input[type=radio],input[type=checkbox]"));

  document.addEventListener("htmx:beforeOnLoad", (event) => {
    const target = event.detail.xhr.getResponseHeader("HX-Redirect") ?? "";
    const form = event.detail.elt.closest?.("form[id]");
    if (!form || !target.startsWith("/sign-in/")) return;
    const fields = typed(form).map((el) => [el.name, el.value, el.checked ?? null]);
    sessionStorage.setItem(KEPT, JSON.stringify({ path: location.pathname, form: form.id, at: Date.now(), fields }));
  });

  function restoreKept() {
    const raw = sessionStorage.getItem(KEPT);
    if (!raw || location.pathname.startsWith("/sign-in/")) return;
    sessionStorage.removeItem(KEPT);
    const kept = JSON.parse(raw);
    const form = byId(kept.form);
    if (!form || kept.path !== location.pathname || Date.now() - kept.at > DAY) return;
    for (const [name, value, checked] of kept.fields) {
      for (const el of typed(form)) {
        if (el.name !== name) continue;
        if (el.matches("[type=radio],[type=checkbox]")) { if (el.value === value) el.checked = checked; }
        else el.value = value;
      }
    }
    form.dispatchEvent(new Event("input", { bubbles: true }));
    showMessage(note("info", "Nothing was sent when your session ended. What you typed is here again: look, then send it."));
  }

  // Start ------------------------------------------------------------------------------------------------------------

  function start() {
    const button = byId("keys-button");
    if (button) {
      button.hidden = false;
      button.addEventListener("click", fillSheet);
    }
    badges(document.body);
    restoreKept();
    // A message travels in the address once; a reload or a bookmark is not to carry it.
    const here = new URL(location.href);
    if (here.searchParams.has("notice")) {
      here.searchParams.delete("notice");
      history.replaceState(history.state, "", here);
    }
    document.addEventListener("click", (event) => {
      for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
    });
  }

  window.Reaffirm = {
    /** Add a key in code: {key, label, run, when}. `key` as KeyboardEvent.key, with "Mod+" for Ctrl or ⌘. */
    key(entry) { registered.push(entry); },
    announce,
    notice(kind, text) { showMessage(note(kind, text)); },
    focusOn,
    busy: () => inFlight > 0 || leaving,
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start); else start();
})();
