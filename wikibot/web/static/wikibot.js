/* Keys for what the buttons do, and pages without waiting. Everything works without this file. */
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

  // AltGr is reported as Ctrl and Alt by Windows; what it types is not a command.
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
    const found = item || inArticle(event.key) || withKey("data-key", event.key);
    if (found) {
      event.preventDefault();
      press(found);
    } else if (event.key === "?") {
      event.preventDefault();
      location.assign("/help");
    }
  };

  /* The whole page: j and k go from proposal to proposal, the verdicts are for the one in focus. */

  const proposalInFocus = () => document.activeElement.closest(".proposal");

  const inArticle = (key) => {
    if (!document.querySelector("[data-article]")) return null;
    const all = [...document.querySelectorAll(".proposal")];
    const here = all.indexOf(proposalInFocus());
    if (key === "j" || key === "k") {
      const next = all[(here + (key === "j" ? 1 : all.length - (here < 0 ? 0 : 1))) % all.length];
      if (next) goTo(next);
      return null;
    }
    return here < 0 ? null : all[here].querySelector(`[data-verdict="${CSS.escape(key)}"]`);
  };

  const goTo = (proposal) => {
    proposal.tabIndex = 0;
    proposal.focus();
    proposal.scrollIntoView({ block: "center" });
  };

  /* Pages that are put in place of the one on the screen, instead of being loaded. */

  const parsed = (text) => new DOMParser().parseFromString(text, "text/html");

  const putInPlace = (id, fresh) => {
    const old = document.getElementById(id);
    if (old && fresh) old.replaceWith(fresh);
  };

  const place = () => location.pathname + location.search;

  let shown = place(); // whose page is on the screen

  const swap = (page, address, { stay = false } = {}) => {
    if (!page.getElementById("main")) throw new Error("This is not a page of ours.");
    const bar = document.querySelector(".actions");
    document.title = page.title;
    document.getElementById("main").replaceWith(page.getElementById("main"));
    const freshBar = page.querySelector(".actions");
    if (bar && freshBar) bar.replaceWith(freshBar);
    else if (bar) bar.remove();
    else if (freshBar) document.getElementById("announcer").before(freshBar);
    if (address !== location.href) history.pushState(null, "", address);
    shown = place();
    if (!stay) scrollTo(0, 0);
    prepared = null;
    setUp({ isNew: !stay });
  };

  let prepared = null; // the page after the proposal on the screen, asked for before it is needed

  // After the frame that shows this proposal: nothing takes time from that.
  const prepareNext = () => requestAnimationFrame(() => setTimeout(fetchNext));

  const fetchNext = () => {
    const next = document.querySelector("#main ~ .actions a[rel=next]");
    const card = document.getElementById("proposal");
    if (!next || !card) return;
    const asked = fetch(next.href, { headers: { "Wikibot-Ahead": "yes" } });
    const page = asked.then(async (answer) => (answer.ok ? parsed(await answer.text()) : null));
    prepared = { after: card.dataset.proposal, page: page.catch(() => null) };
    prepared.page.then((ready) => countAgain(ready, card));
  };

  // What comes with the next page is the newest count there is.
  const countAgain = (ready, card) => {
    const counts = ready && ready.getElementById("counts");
    if (counts && card.isConnected) putInPlace("counts", document.importNode(counts, true));
  };

  // What was prepared, unless the queue has turned its corner back to the same proposal.
  const finished = async ({ after, page }) => {
    const ready = await page;
    const card = ready && ready.getElementById("proposal");
    return card && card.dataset.proposal !== after ? ready : null;
  };

  const send = async (form, submitter) => {
    const fields = new URLSearchParams(new FormData(form));
    if (submitter && submitter.name) fields.append(submitter.name, submitter.value);
    const next = form.dataset.swap === "next" ? prepared : null;
    const headers = next ? { "Wikibot-Has-Next": "yes" } : {};
    const answer = await fetch(form.action, { method: "POST", body: fields, headers });
    const page = parsed(await answer.text());
    const news = page.querySelector("[data-address]");
    if (next && news) await showNext(next, news);
    else swap(page, answer.url, { stay: form.dataset.swap === "stay" });
    if (form.dataset.swap === "") focusAgain(submitter);
  };

  // Who changes words by Tab and Enter stays at the button.
  const focusAgain = (submitter) => {
    const same = submitter && submitter.dataset.key && withKey("data-key", submitter.dataset.key);
    if (same && !same.disabled) same.focus({ preventScroll: true });
  };

  const showNext = async (next, news) => {
    const address = news.dataset.address;
    const page = await finished(next);
    if (!page) {
      swap(parsed(await (await fetch(address)).text()), address);
      return;
    }
    swap(page, address);
    for (const id of ["status", "undo"]) putInPlace(id, news.querySelector(`#${id}`));
    announce();
  };

  const sayOffline = (form) => {
    delete form.dataset.sent;
    const note = document.createElement("div");
    note.className = "notice is-error";
    note.setAttribute("role", "alert");
    note.textContent = document.body.dataset.offline;
    document.getElementById("main").prepend(note);
  };

  /* A page may change on the wiki while its proposal is looked at: the reviewer is told. */

  const LOOK_AGAIN_MS = 15000;

  const lookAgain = async () => {
    const card = document.getElementById("proposal");
    if (!card || !card.dataset.same || document.hidden) return;
    const answer = await fetch(card.dataset.same).catch(() => null);
    if (!answer || !answer.ok || (await answer.json()).is_same || !card.isConnected) return;
    delete card.dataset.same;
    const note = document.createElement("div");
    note.className = "notice is-error";
    note.id = "changed";
    note.setAttribute("role", "alert");
    note.textContent = card.dataset.changed;
    document.getElementById("main").prepend(note);
  };

  // One decision for one press, however fast it is repeated.
  const onSubmit = (event) => {
    const form = event.target;
    if (form.dataset.sent) {
      event.preventDefault();
      return;
    }
    if (form.method !== "post") return;
    form.dataset.sent = "yes";
    if (event.submitter) event.submitter.setAttribute("aria-busy", "true");
    if (!("swap" in form.dataset)) return;
    event.preventDefault();
    send(form, event.submitter).catch(() => sayOffline(form));
  };

  // A page that comes back from the browser's cache may be decided by now.
  const onShow = (event) => {
    if (event.persisted) location.reload();
  };

  const onToggle = (event) => {
    const opened = event.target;
    if (!opened.matches || !opened.open) return;
    if (opened.matches("details.more-text")) {
      document.querySelectorAll("details.more-text").forEach((other) => (other.open = true));
    }
    if (!opened.matches("details.menu")) return;
    document.querySelectorAll("details.menu[open]").forEach((other) => {
      if (other !== opened) other.open = false;
    });
    const first = opened.querySelector(".menu-item");
    if (first) first.focus();
  };

  /* Choosing words: drag over them, or click a proposal of the whole page and then a word. */

  // Offsets in the wikitext count characters; those of the browser count halves of some.
  const placeOf = (node, offset) => {
    const piece = node.nodeType === Node.TEXT_NODE && node.parentElement.closest("[data-at]");
    return piece ? Number(piece.dataset.at) + [...node.data.slice(0, offset)].length : null;
  };

  const placeAt = (event) => {
    const caret = document.caretPositionFromPoint
      ? document.caretPositionFromPoint(event.clientX, event.clientY)
      : document.caretRangeFromPoint(event.clientX, event.clientY);
    return caret && placeOf(caret.offsetNode || caret.startContainer, caret.offset ?? caret.startOffset);
  };

  const withSpan = () => [...document.querySelectorAll("[data-start][data-end]")];

  const spanOf = (element) => [Number(element.dataset.start), Number(element.dataset.end)];

  const chooseWords = (element, start, end) => {
    const form = document.getElementById(`words-${element.dataset.words || element.dataset.proposal}`);
    if (!form || (start === spanOf(element)[0] && end === spanOf(element)[1])) return;
    form.elements.start.value = start;
    form.elements.end.value = end;
    form.requestSubmit();
  };

  const onDrag = () => {
    const selection = getSelection();
    if (selection.isCollapsed || !selection.rangeCount) return false;
    const range = selection.getRangeAt(0);
    const start = placeOf(range.startContainer, range.startOffset);
    const end = placeOf(range.endContainer, range.endOffset);
    if (start === null || end === null) return false;
    const touched = withSpan().filter((one) => start < spanOf(one)[1] && spanOf(one)[0] < end);
    if (touched.length !== 1) return false;
    selection.removeAllRanges();
    chooseWords(touched[0], start, end);
    return true;
  };

  const onClickWord = (event) => {
    const proposal = event.target.closest(".proposal[data-start]");
    const active = document.querySelector(".proposal.is-active");
    if (!active) {
      if (proposal && event.target.closest("mark")) proposal.classList.add("is-active");
      return;
    }
    const place = placeAt(event);
    active.classList.remove("is-active");
    if (place === null) return;
    const [start, end] = spanOf(active);
    if (place < start) chooseWords(active, place, end);
    else if (place >= end) chooseWords(active, start, place + 1);
    else if (place - start < end - place) chooseWords(active, place, end);
    else chooseWords(active, start, place);
  };

  const onClick = (event) => {
    const menu = openMenu();
    if (menu && !menu.contains(event.target)) menu.open = false;
    if (event.target.closest(".choices-inline")) return;
    if (!onDrag() && event.target.closest("[data-article] .reading")) onClickWord(event);
  };

  const onChange = (event) => {
    if (event.target.id !== "tick-all") return;
    event.target.form.querySelectorAll("[name=pick]").forEach((box) => (box.checked = event.target.checked));
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
      const page = parsed(await answer.text());
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
    const fresh = parsed(await answer.text()).getElementById("main");
    const focused = document.activeElement;
    // nothing is taken away from under somebody's hands
    const isAtWork = focused && focused !== document.body && focused.closest("#main");
    if (!isAtWork) {
      document.getElementById("main").replaceChildren(...fresh.childNodes);
      showScriptOnly();
    }
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
    const wanted = document.querySelector(".anchor-tools.is-wanted [data-focus]");
    if (wanted) wanted.focus({ preventScroll: true });
    else if (proposal && new URLSearchParams(location.search).has("after")) {
      proposal.focus({ preventScroll: true });
    }
  };

  const goOnInArticle = () => {
    const next = document.querySelector(".proposal[data-start]");
    const wanted = location.hash && document.getElementById(location.hash.slice(1));
    const after = lastInArticle && document.getElementById(lastInArticle);
    const all = [...document.querySelectorAll(".proposal")];
    const following = after && all.slice(all.indexOf(after) + 1).find((one) => one.dataset.start);
    const goal = following || (after && next) || wanted;
    if (goal) goal.focus({ preventScroll: true });
  };

  let lastInArticle = ""; // the proposal that was decided last on the whole page

  const showScriptOnly = () => {
    document.querySelectorAll(".js-only").forEach((one) => (one.hidden = false));
  };

  const setUpSwitch = (box) => {
    box.checked = keysAreOn();
    box.addEventListener("change", () => {
      if (box.checked) localStorage.removeItem(KEYS_OFF);
      else localStorage.setItem(KEYS_OFF, "1");
    });
  };

  const showMarked = (marked) => {
    const prose = marked.closest(".prose");
    prose.scrollTop = marked.offsetTop - prose.offsetTop - prose.clientHeight / 2;
  };

  // What a page would ask for anyway begins by itself; without this, the button does it.
  const beginByItself = () => {
    const form = document.querySelector("form[data-begin]");
    if (form && !form.dataset.sent) form.requestSubmit();
  };

  const setUp = ({ isNew }) => {
    showScriptOnly();
    beginByItself();
    document.querySelectorAll("form[data-live]").forEach(searchLive);
    const box = document.getElementById("use-keys");
    if (box) setUpSwitch(box);
    const marked = document.querySelector(".prose mark");
    if (marked) showMarked(marked);
    announce();
    if (document.querySelector("[data-article]")) goOnInArticle();
    else if (isNew) goOn();
    askAgain();
    prepareNext();
  };

  document.addEventListener("keydown", onKey);
  document.addEventListener("submit", (event) => {
    const match = /^(?:decide|undo|words)-(\d+)$/.exec(event.target.id);
    if (match) lastInArticle = `p${match[1]}`;
    onSubmit(event);
  });
  document.addEventListener("toggle", onToggle, true);
  document.addEventListener("click", onClick);
  document.addEventListener("change", onChange);
  window.addEventListener("pageshow", onShow);
  window.addEventListener("popstate", () => {
    if (place() !== shown) location.reload();
  });
  setUp({ isNew: true });
  setInterval(lookAgain, LOOK_AGAIN_MS);
  document.documentElement.dataset.keys = "on";
})();
