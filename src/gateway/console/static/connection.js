// Whether the gateway answers. While it does not, pages keep what they show, and it is asked until it does.
import { useEffect, useState } from './dom.js';

const ASK_MS = 1_000;
const ASK_MS_MAX = 8_000;

/** When it last answered; `isUp` is false from the first request that did not arrive. */
const state = { isUp: true, answeredAt: Date.now() };
const watchers = new Set();
let timer = 0;

const tell = () => watchers.forEach((watch) => watch());

export function answered() {
  state.answeredAt = Date.now();
  if (state.isUp) return;
  state.isUp = true;
  clearTimeout(timer);
  tell();
}

export function unanswered() {
  if (!state.isUp) return;
  state.isUp = false;
  tell();
  askIn(ASK_MS);
}

const askIn = (ms) => {
  clearTimeout(timer);
  timer = window.setTimeout(async () => !(await askNow()) && askIn(Math.min(ASK_MS_MAX, ms * 2)), ms);
};

/** Asks whether it is there again. */
export async function askNow() {
  const found = await fetch('/healthz', { cache: 'no-store' }).catch(() => undefined);
  if (found?.ok) answered();
  return found?.ok === true;
}

/** Does something whenever the gateway is there again; the result stops that. */
export function whenBack(action) {
  const watch = () => state.isUp && action();
  watchers.add(watch);
  return () => void watchers.delete(watch);
}

/** The state now, and again whenever it changes. */
export function useConnection() {
  const [, draw] = useState(0);
  useEffect(() => {
    const watch = () => draw((count) => count + 1);
    watchers.add(watch);
    return () => void watchers.delete(watch);
  }, []);
  return { ...state };
}
