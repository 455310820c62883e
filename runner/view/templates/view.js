"use strict";
// The served pages: keys, the stream of an answer, blocks and what they matched, and the news of a run.
// Text goes into a page by textContent alone.

const find = (selector) => document.querySelector(selector);
const all = (selector) => [...document.querySelectorAll(selector)];

// Keys: whatever has data-key is clicked, or focused where it takes input.
const LETTERS = "evals-letters";
let letters = localStorage.getItem(LETTERS) !== "off";

function showLetters(button) {
  button.textContent = `letter keys: ${letters ? "on" : "off"}`;
  button.setAttribute("aria-pressed", String(letters));
}

function setUpKeys() {
  const button = find("#letters");
  button.hidden = false;
  showLetters(button);
  button.addEventListener("click", () => {
    letters = !letters;
    localStorage.setItem(LETTERS, letters ? "on" : "off");
    showLetters(button);
  });
  document.addEventListener("keydown", onKey);
}

function onKey(event) {
  const typing = event.target.closest("input:not([type=range]), select, textarea");
  if (event.key === "Escape") {
    document.activeElement.blur();
    return;
  }
  if (!letters || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === " " && event.target.closest("button, a, summary, input")) return;
  if (event.key === "w") document.body.classList.toggle("unwrapped");
  const target = all("[data-key]").find((node) => node.dataset.key === event.key && !node.hidden);
  if (!target) return;
  event.preventDefault();
  if (target.matches("select, input")) target.focus();
  else target.click();
}

function setUpCopies() {
  for (const button of all("[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(button.dataset.copy);
      button.firstChild.textContent = "copied ";
    });
  }
}

// The stream: what had not arrived at a moment is invisible but keeps its room.
function setUpStream() {
  const source = find("#arrivals");
  if (!source) return;
  const { moments, lengths } = JSON.parse(source.textContent);
  const slider = find("#slider");
  const parts = all("#answer .part").map((node) => {
    const text = node.textContent;
    const pending = document.createElement("span");
    pending.className = "pending";
    node.append(pending);
    return { text, pending, arrived: node.firstChild, start: Number(node.dataset.start) };
  });
  const last = moments.at(-1);
  const end = Math.max(last, Number(find(".timeline").dataset.end) || last) || 1;

  function show(step) {
    const length = step === moments.length - 1 ? Infinity : lengths[step];
    for (const part of parts) {
      const here = Math.max(0, Math.min(part.text.length, length - part.start));
      part.arrived.textContent = part.text.slice(0, here);
      part.pending.textContent = part.text.slice(here);
    }
    find("#moment").textContent = `${moments[step].toFixed(1)} ms, ${step} of ${moments.length - 1} pieces`;
    const x = (1000 * moments[step]) / end;
    find("#cursor").setAttribute("d", `M${x} 0V200`);
  }

  function go(step) {
    slider.value = String(Math.max(0, Math.min(moments.length - 1, step)));
    show(Number(slider.value));
  }

  slider.addEventListener("input", () => show(Number(slider.value)));
  slider.addEventListener("change", () => history.replaceState(null, "", `#at=${moments[Number(slider.value)]}`));
  document.addEventListener("keydown", (event) => {
    if (!letters || event.target.closest("input:not([type=range]), select")) return;
    if (event.key === "[") go(Number(slider.value) - 1);
    if (event.key === "]") go(Number(slider.value) + 1);
  });
  setUpPlaying(moments, slider, go);
  find(".player").hidden = false;
  const at = /^#at=([\d.]+)$/.exec(location.hash);
  go(at ? moments.findLastIndex((ms) => ms <= Number(at[1])) : moments.length - 1);
}

function setUpPlaying(moments, slider, go) {
  const button = find("#play");
  const label = button.firstChild;
  let timer = 0;

  function stop() {
    clearTimeout(timer);
    timer = 0;
    label.textContent = "play ";
  }

  function next() {
    const step = Number(slider.value);
    if (step >= moments.length - 1) {
      stop();
      return;
    }
    timer = setTimeout(() => {
      go(step + 1);
      next();
    }, moments[step + 1] - moments[step]);
  }

  button.addEventListener("click", () => {
    if (timer) {
      stop();
      return;
    }
    label.textContent = "pause ";
    if (Number(slider.value) >= moments.length - 1) go(0);
    next();
  });
  slider.addEventListener("pointerdown", stop);
}

// A block of the answer and what it matched in the file light each other.
function setUpBlocks() {
  for (const node of all("[data-block]")) {
    node.addEventListener("click", () => {
      for (const other of all("[data-block]")) {
        other.classList.toggle("lit", other.dataset.block === node.dataset.block);
      }
      const target = all("[data-block]").find((other) => other.dataset.block === node.dataset.block
        && other.classList.contains("matched") !== node.classList.contains("matched"));
      if (target) target.scrollIntoView({ block: "nearest" });
    });
  }
}

// News of a run: figures change in place, rows only when the page is loaded again.
function setUpNews() {
  const strip = find("[data-events]");
  if (!strip) return;
  const news = find("#news");
  const pause = find("#pause");
  let paused = false;
  let heard = Date.now();
  let scored = null;
  let waiting = {};

  function draw(texts) {
    for (const [name, text] of Object.entries(texts)) {
      const place = find(`[data-live="${CSS.escape(name)}"]`);
      if (place && place.textContent !== text) place.textContent = text;
    }
    scored ??= texts.scorings;
    const ended = texts.state !== "running";
    if (ended) news.textContent = `The run is ${texts.state}; reload for all figures.`;
    else if (texts.scorings !== scored) news.textContent = "New attempts are scored; reload for the figures below.";
  }

  const source = new EventSource(strip.dataset.events);
  source.addEventListener("progress", (event) => {
    heard = Date.now();
    waiting = JSON.parse(event.data);
    if (!paused) draw(waiting);
    if (waiting.state !== "running") source.close();
  });
  source.addEventListener("error", () => {
    if (source.readyState === EventSource.CLOSED) return;
    news.textContent = `Last news ${Math.round((Date.now() - heard) / 1000)} s ago, retrying.`;
  });
  pause.hidden = false;
  pause.addEventListener("click", () => {
    paused = !paused;
    pause.textContent = paused ? "go on" : "pause";
    if (!paused) draw(waiting);
  });
}

setUpKeys();
setUpCopies();
setUpStream();
setUpBlocks();
setUpNews();
