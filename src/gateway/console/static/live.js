// News of the gateway: pages are told when calls were written, and notice at once when the gateway is gone.
import { askNow, unanswered, whenBack } from './connection.js';
import { useEffect, useRef } from './dom.js';

const QUIET_MS = 2_000;
const AGAIN_MS = 3_000;
const watchers = new Set();
/** @type {EventSource | undefined} */
let source;

function open() {
  if (source !== undefined || document.visibilityState !== 'visible') return;
  source = new EventSource('/console/api/live');
  source.addEventListener('message', () => watchers.forEach((watch) => watch()));
  source.addEventListener('error', async () => {
    close();
    // A session that has ended is not a gateway that has gone.
    if (await askNow()) setTimeout(open, AGAIN_MS);
    else unanswered();
  });
}

function close() {
  source?.close();
  source = undefined;
}

/** Listens while the page is seen: a browser has only a few connections for all of its tabs. */
export function listen() {
  const look = () => (document.visibilityState === 'visible' ? open() : close());
  document.addEventListener('visibilitychange', look);
  const stop = whenBack(open);
  open();
  return () => {
    document.removeEventListener('visibilitychange', look);
    stop();
    close();
  };
}

/** Does something after calls were written, at most every two seconds. */
export function useLive(action, isOn = true) {
  const latest = useRef(action);
  latest.current = action;
  useEffect(() => {
    if (!isOn) return undefined;
    let timer = 0;
    let doneAt = 0;
    const act = () => {
      timer = 0;
      doneAt = Date.now();
      latest.current();
    };
    const watch = () => {
      timer ||= window.setTimeout(act, Math.max(0, doneAt + QUIET_MS - Date.now()));
    };
    watchers.add(watch);
    return () => {
      watchers.delete(watch);
      clearTimeout(timer);
    };
  }, [isOn]);
}
