// Talking to the gateway. Every write carries the session's token.
import { answered, unanswered } from './connection.js';
import { t } from './i18n.js';

let csrf = '';
let onSignedOut = () => {};

/** Called when a session has ended while the page was open. */
export const whenSignedOut = (action) => {
  onSignedOut = action;
};

export const remember = (session) => {
  csrf = session.csrf ?? '';
  return session;
};

/** Refusals that end no session. */
const AT_THE_DOOR = new Set(['sign_in_refused', 'second_factor_needed']);

async function send(method, path, body, signal) {
  const response = await fetch(path, {
    method,
    credentials: 'same-origin',
    headers: { 'content-type': 'application/json', 'x-csrf-token': csrf },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  }).catch((thrown) => {
    throw signal?.aborted ? thrown : gone();
  });
  const answer = response.ok ? {} : await response.json().catch(() => undefined);
  // A proxy speaks for a gateway that is not there.
  if (answer === undefined && [502, 503, 504].includes(response.status)) throw gone();
  answered();
  if (response.ok) return response;
  const code = answer?.detail?.code;
  if (response.status === 401 && !AT_THE_DOOR.has(code)) onSignedOut();
  throw Object.assign(new Error(answer?.detail?.error ?? `HTTP ${response.status}`), { code });
}

/** The gateway cannot be reached. */
export const gone = () => {
  unanswered();
  return Object.assign(new Error(t('gone.text')), { code: 'gone' });
};

/** @import { Answer, Write } from '../answers.ts' */
/** @type {<const P extends string>(path: P) => Promise<Answer<'GET', P>>} */
export const read = async (path) => (await send('GET', path)).json();
/** @type {<const P extends string, M extends Write>(method: M, path: P, body?: object) => Promise<Answer<M, P>>} */
export const write = async (method, path, body) => (await send(method, path, body)).json();

/** How agents, workspaces and keys are called; a delegation `a/b` names both. What is not known is its id, nothing is nothing. */
export async function readNames() {
  const [{ agents }, { workspaces }, { keys }] = await Promise.all([
    read('/admin/agents'),
    read('/admin/workspaces'),
    read('/admin/keys'),
  ]);
  const names = new Map(
    /** @type {[string, string][]} */ ([
      ...[...agents, ...workspaces].map((one) => [one.id, one.name]),
      ...keys.map((one) => [one.id, one.label]),
    ]),
  );
  const nameOf = (id) => names.get(id) ?? id;
  return (id) => (id ? String(id).split('/').map(nameOf).join(' → ') : undefined);
}

/**
 * Runs an operation and tells of its progress; aborting the signal cancels it.
 * @type {(operation: string, body: object, options: { signal?: AbortSignal, onProgress(progress: any): void }) => Promise<any>}
 */
export const run = async (operation, body, { signal, onProgress }) => {
  const response = await send('POST', `/console/run/${operation}`, body, signal);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await (reader?.read() ?? Promise.reject(gone())).catch((thrown) => {
      throw signal?.aborted ? thrown : gone();
    });
    if (done) throw gone();
    const parts = (rest + value).split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts.map((part) => JSON.parse(part))) {
      if (line.progress !== undefined) onProgress(line.progress);
      if (line.done !== undefined || line.failed !== undefined) return line;
    }
  }
};
