/** Applications that are opened by a scheme of their own without a dot in it. */
const APP_SCHEMES = new Set(['cursor:', 'vscode:', 'vscode-insiders:', 'windsurf:', 'zed:', 'claude:']);
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Whether an address may receive a code: https, http on the person's own machine, or the scheme of an
 * installed application. Only one spelling of each is accepted.
 */
export function isRedirectAllowed(text: string): boolean {
  // The URL parser removes some of these before it parses.
  if (text.length > 2_000 || !/^[\x21-\x7e]+$/.test(text) || /[\\#*<>"]/.test(text)) return false;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.username !== '' || url.password !== '') return false;
  if (url.href !== text && url.href !== `${text}/`) return false;
  if (url.protocol === 'https:') return url.hostname !== '' && !url.hostname.endsWith('.');
  if (url.protocol === 'http:') return LOOPBACK.has(url.hostname);
  // A scheme with a dot is a reversed domain name (RFC 8252); scripts and files have none.
  return APP_SCHEMES.has(url.protocol) || /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(url.protocol);
}

/** Whether an address is one that the client registered: the same text, except for the port on a loopback address. */
export function isRegistered(redirect: string, registered: readonly string[]): boolean {
  if (!isRedirectAllowed(redirect)) return false;
  return registered.includes(redirect) || registered.map(portless).includes(portless(redirect) ?? '');
}

function portless(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.protocol !== 'http:' || !LOOPBACK.has(url.hostname)) return undefined;
  return `${url.hostname}${url.pathname}${url.search}`;
}
