/** What a site says about the use of its content: `{"ai-input": "no", "ai-train": "no"}`. */
export type Usage = Record<string, 'yes' | 'no'>;

/** The words of Content-Signal, of Content-Usage (AIPREF), and one each for TDM reservations and `noai`. */
const WORDS = [
  'search',
  'ai-input',
  'ai-train',
  'train-ai',
  'train-genai',
  'ai',
  'bots',
  'automation',
  'tdm',
];

/** Signals that are about reading for a model, not only about training one. */
const REFUSING = ['ai-input', 'ai', 'bots', 'automation', 'tdm'];

/** The word by which a site refuses that an agent reads the page; undefined when none does. */
export const refusingSignal = (usage: Usage | undefined): string | undefined =>
  REFUSING.find((word) => usage?.[word] === 'no');

const CHARS_MAX = 1_000;

/** Reads `search=yes, ai-train=no` or `train-ai=n`; unknown words are left out. */
export function parseUsage(text: string): Usage {
  const usage: Usage = {};
  for (const pair of text.slice(0, CHARS_MAX).split(',')) {
    const [word = '', value = ''] = pair.split('=').map((part) => part.trim().toLowerCase());
    const meant = /^(y|yes)\b/.test(value) ? 'yes' : /^(n|no)\b/.test(value) ? 'no' : undefined;
    if (meant !== undefined && WORDS.includes(word)) usage[word] = meant;
  }
  return usage;
}

/** Joins what several places say; a `no` of any of them stands. */
export function joinUsage(...all: readonly (Usage | undefined)[]): Usage | undefined {
  const joined: Usage = {};
  for (const usage of all)
    for (const [word, value] of Object.entries(usage ?? {})) if (joined[word] !== 'no') joined[word] = value;
  return Object.keys(joined).length === 0 ? undefined : joined;
}

const RULES_MAX = 1_000;

/** Reads a `/.well-known/tdmrep.json`: the paths whose use for text and data mining is reserved, or is not. */
export function parseReservations(text: string): { pattern: string; usage: Usage }[] {
  let rules: unknown;
  try {
    rules = JSON.parse(text);
  } catch {
    return [];
  }
  return (Array.isArray(rules) ? (rules as unknown[]) : []).slice(0, RULES_MAX).flatMap((rule) => {
    const { location, 'tdm-reservation': reserved } = (rule ?? {}) as Record<string, unknown>;
    if (typeof location !== 'string' || !location.startsWith('/') || ![0, 1].includes(Number(reserved)))
      return [];
    return [
      { pattern: location, usage: { tdm: Number(reserved) === 1 ? ('no' as const) : ('yes' as const) } },
    ];
  });
}

const HEAD_BYTES = 32_768;

/** What the headers and the `meta` elements of a page say. */
export function pageUsage(headers: Record<string, string | undefined>, bytes: Uint8Array): Usage | undefined {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1');
  const metas = /<meta\b/i.test(head) ? [...head.matchAll(/<meta\b[^>]{1,500}>/gi)].map(([tag]) => tag) : [];
  const contentOf = (name: RegExp): string =>
    metas
      .filter((tag) => name.test(attribute(tag, 'name')))
      .map((tag) => attribute(tag, 'content'))
      .join(',');
  const tdm = headers['tdm-reservation'] ?? contentOf(/^tdm-reservation$/i);
  const robots = `${headers['x-robots-tag'] ?? ''},${contentOf(/^robots$/i)}`;
  return joinUsage(
    parseUsage(headers['content-usage'] ?? ''),
    parseUsage(headers['content-signal'] ?? ''),
    /^\s*1\s*(,|$)/.test(tdm) ? { tdm: 'no' } : undefined,
    /(^|[\s,:])noai([\s,]|$)/i.test(robots.slice(0, CHARS_MAX)) ? { ai: 'no' } : undefined,
  );
}

const attribute = (tag: string, name: string): string =>
  new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s>]+))`, 'i')
    .exec(tag)
    ?.slice(1)
    .find(Boolean) ?? '';
