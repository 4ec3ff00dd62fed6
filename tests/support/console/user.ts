import type { TestGateway } from '../gateway/gateway.ts';

/** A person in a browser, without the browser. */
export interface ConsoleUser {
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
  /** The same person in another browser. */
  another(): Promise<ConsoleUser>;
}

const OURS = { 'sec-fetch-site': 'same-origin', origin: 'http://127.0.0.1' };

/** Uses a setup link as a person would and stays signed in. */
export async function signUp(gateway: TestGateway, password: string): Promise<ConsoleUser> {
  const token = await gateway.store.sessions.createSetupToken();
  const made = await gateway.post('/console/setup', { token, name: 'admin', password }, OURS);
  return userOf(gateway, password, made);
}

async function userOf(gateway: TestGateway, password: string, opened: Response): Promise<ConsoleUser> {
  if (!opened.ok) throw new Error(await opened.text());
  const cookie = (opened.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const { csrf } = (await opened.json()) as { csrf: string };
  return {
    ask: async (method, path, body, headers = {}) =>
      gateway.app.request(`http://127.0.0.1${path}`, {
        method,
        headers: { ...OURS, cookie, 'x-csrf-token': csrf, 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    another: async () =>
      userOf(gateway, password, await gateway.post('/console/sign-in', { name: 'admin', password }, OURS)),
  };
}
