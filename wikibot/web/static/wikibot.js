/* Keys for what the buttons do. Everything works without this file. */
"use strict";

(() => {
  const KEYS_OFF = "wikibot-keys-off";

  const keysAreOn = () => {
    try {
      return localStorage.getItem(KEYS_OFF) !== "1";
    } catch {
      return true; // storage is switched off: so is the switch
    }
  };

  const isTyping = (element) =>
    element.matches("input:not([type=checkbox]), textarea, select, [contenteditable]");

  // On many keyboards "[" is typed with AltGr, which Windows reports as Ctrl and Alt.
  const isCommand = (event) =>
    event.metaKey || ((event.ctrlKey || event.altKey) && !event.getModifierState("AltGraph"));

  const openMenu = () => document.querySelector("details.menu[open]");

  const withKey = (attribute, key) =>
    [...document.querySelectorAll(`[${attribute}]`)].find((one) => one.getAttribute(attribute) === key);

  const press = (element) => {
    element.focus({ preventScroll: true });
    element.click();
  };

  const closeMenu = (menu) => {
    menu.open = false;
    menu.querySelector("summary").focus();
  };

  const onKey = (event) => {
    if (event.key === "Escape" && openMenu()) {
      closeMenu(openMenu());
      return;
    }
    if (isCommand(event) || event.repeat || (isTyping(event.target) && event.key !== "Escape")) return;
    if (!keysAreOn()) return;
    const menu = openMenu();
    const item = menu && menu.querySelector(`[data-menu-key="${CSS.escape(event.key)}"]`);
    const found = item || withKey("data-key", event.key);
    if (found) {
      event.preventDefault();
      press(found);
    } else if (event.key === "?") {
      event.preventDefault();
      location.assign("/help");
    }
  };

  // One decision for one press, however fast it is repeated.
  const onSubmit = (event) => {
    const form = event.target;
    if (form.dataset.sent) {
      event.preventDefault();
      return;
    }
    if (form.method === "post") {
      form.dataset.sent = "yes";
      if (event.submitter) event.submitter.setAttribute("aria-busy", "true");
    }
  };

  // A page that comes back from the browser's cache may be decided by now.
  const onShow = (event) => {
    if (event.persisted) location.reload();
  };

  const onToggle = (event) => {
    const menu = event.target;
    if (!menu.matches || !menu.matches("details.menu") || !menu.open) return;
    document.querySelectorAll("details.menu[open]").forEach((other) => {
      if (other !== menu) other.open = false;
    });
    const first = menu.querySelector(".menu-item");
    if (first) first.focus();
  };

  const onClickElsewhere = (event) => {
    const menu = openMenu();
    if (menu && !menu.contains(event.target)) menu.open = false;
  };

  // Results while typing; without this, the button does the same.
  const searchLive = (form) => {
    let asked = 0;
    form.addEventListener("input", async () => {
      const mine = ++asked;
      await new Promise((resolve) => setTimeout(resolve, 120));
      if (mine !== asked) return;
      const address = `${location.pathname}?${new URLSearchParams(new FormData(form))}`;
      const answer = await fetch(address);
      if (!answer.ok || mine !== asked) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.getElementById(form.dataset.live);
      const results = document.getElementById(form.dataset.live);
      if (fresh && results) results.replaceChildren(...fresh.childNodes);
    });
  };

  // What was not ready yet is asked for again until it is, ever more patiently.
  const askAgain = async (waited = 200) => {
    const missing = document.querySelector("[data-not-ready] a");
    if (!missing) return;
    await new Promise((resolve) => setTimeout(resolve, waited));
    const answer = await fetch(missing.href);
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById("main");
    const focused = document.activeElement;
    // nothing is taken away from under somebody's hands
    const isAtWork = focused && focused !== document.body && focused.closest("#main");
    if (!isAtWork) document.getElementById("main").replaceChildren(...fresh.childNodes);
    askAgain(Math.min(2 * waited, 2000));
  };

  // A live region speaks when it changes, not when it is there from the start.
  const announce = () => {
    const said = document.querySelector("[data-announce]");
    const text = said ? said.textContent.replace(/\s+/g, " ").trim() : "";
    if (text) setTimeout(() => (document.getElementById("announcer").textContent = text), 150);
  };

  // After a decision the keyboard goes on at the next proposal, not at the top of the page.
  const goOn = () => {
    const proposal = document.getElementById("proposal");
    if (proposal && new URLSearchParams(location.search).has("after")) {
      proposal.focus({ preventScroll: true });
    }
  };

  const setUpSwitch = (box) => {
    box.closest(".js-only").hidden = false;
    box.checked = keysAreOn();
    box.addEventListener("change", () => {
      if (box.checked) localStorage.removeItem(KEYS_OFF);
      else localStorage.setItem(KEYS_OFF, "1");
    });
  };

  document.addEventListener("keydown", onKey);
  document.documentElement.dataset.keys = "on";
  document.addEventListener("submit", onSubmit);
  document.addEventListener("toggle", onToggle, true);
  document.addEventListener("click", onClickElsewhere);
  window.addEventListener("pageshow", onShow);
  document.querySelectorAll("form[data-live]").forEach(searchLive);
  const box = document.getElementById("use-keys");
  if (box) setUpSwitch(box);
  announce();
  goOn();
  askAgain();
  const marked = document.querySelector(".prose mark");
  if (marked) {
    const prose = marked.closest(".prose");
    prose.scrollTop = marked.offsetTop - prose.offsetTop - prose.clientHeight / 2;
  }
})();
