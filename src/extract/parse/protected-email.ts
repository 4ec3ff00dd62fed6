import { readAttribute } from './attributes.ts';

/** The placeholder that Cloudflare shows instead of an email address. */
const PLACEHOLDER = /^\[email\sprotected\]\s*$/;
const PROTECTED_LINK = /\/cdn-cgi\/l\/email-protection(?:#([0-9a-f]+))?$/i;
/** An email address has at most 254 characters, but a link may add a subject. */
const HEX_CHARS_MAX = 2_000;
const ADDRESS = /^[^\s@<>"'(),;:]+@[^\s@<>"'(),;:?]+\.[^\s@<>"'(),;:?]+(\?[^\s<>"]*)?$/u;

/** Replaces Cloudflare's placeholder by the email address that it protects. */
export function revealEmail(text: string, attributes: string[]): string {
  if (!PLACEHOLDER.test(text)) return text;
  const address = decodeEmail(readAttribute(attributes, 'data-cfemail') ?? '');
  return address === undefined ? text : text.replace(/\[.*\]/, () => address);
}

/** Turns a link to Cloudflare's email protection into a `mailto:` link. */
export function revealLink(attributes: string[]): void {
  for (let index = 0; index < attributes.length; index += 2) {
    if (attributes[index] !== 'href') continue;
    const href = attributes[index + 1] ?? '';
    const found = href.includes('/cdn-cgi/') ? PROTECTED_LINK.exec(href) : null;
    if (found === null) return;
    const address = decodeEmail(found[1] ?? readAttribute(attributes, 'data-cfemail') ?? '');
    if (address !== undefined) attributes[index + 1] = `mailto:${address}`;
    return;
  }
}

/** Decodes a protected email address: each byte is XORed with the first one. */
function decodeEmail(hex: string): string | undefined {
  if (hex.length > HEX_CHARS_MAX || hex.length % 2 !== 0 || !/^[0-9a-f]+$/i.test(hex)) return undefined;
  const [key = 0, ...hidden] = (hex.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));
  const bytes = Uint8Array.from(hidden, (byte) => byte ^ key);
  const address = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  return ADDRESS.test(address) ? address : undefined;
}
