import { joinUsage, parseUsage, type Usage } from './usage.ts';

/** The rules of a robots.txt for us (RFC 9309). */
export interface Robots {
  allows(path: string): boolean;
  crawlDelayMs: number;
  sitemaps: string[];
  /** What the site says about the use of its content at a path. */
  usageOf(path: string): Usage | undefined;
}

interface Rule {
  pattern: string;
  allow: boolean;
}

interface Group {
  agents: string[];
  rules: Rule[];
  delayMs: number;
  /** Of Content-Signal, for all paths. */
  signals?: Usage | undefined;
  /** Of Content-Usage, each for a path and what is below it. */
  usages: { pattern: string; usage: Usage }[];
}

const LINES_MAX = 10_000;
const DELAY_MAX_MS = 30_000;

/** Parses a robots.txt for one crawler. The group that names it applies, otherwise the group for all. */
export function parseRobots(text: string, agent: string): Robots {
  const { groups, sitemaps } = readGroups(text);
  const token = agent.toLowerCase();
  const own = groups.filter((group) => group.agents.some((name) => name !== '*' && token.includes(name)));
  const chosen = own.length > 0 ? own : groups.filter((group) => group.agents.includes('*'));
  const rules = chosen.flatMap((group) => group.rules);
  const signals = joinUsage(...chosen.map((group) => group.signals));
  const usages = chosen.flatMap((group) => group.usages);
  return {
    // As with rules, the longest path counts.
    usageOf: (path) => joinUsage(signals, ...longest(usages, path).map(({ usage }) => usage)),
    sitemaps,
    crawlDelayMs: Math.min(DELAY_MAX_MS, Math.max(0, ...chosen.map((group) => group.delayMs))),
    // The longest matching rule wins; of two equally long ones, the one that allows.
    allows: (path) => {
      const deciding = longest(rules, path);
      return deciding.length === 0 || deciding.some((rule) => rule.allow);
    },
  };
}

/** Those of the longest pattern that matches a path. */
export function longest<Entry extends { pattern: string }>(entries: readonly Entry[], path: string): Entry[] {
  const matching = entries.filter(({ pattern }) => matches(pattern, path));
  const length = Math.max(0, ...matching.map(({ pattern }) => pattern.length));
  return matching.filter(({ pattern }) => pattern.length === length);
}

function readGroups(text: string): { groups: Group[]; sitemaps: string[] } {
  const groups: Group[] = [];
  const sitemaps: string[] = [];
  let current: Group | undefined;
  let isNaming = false;
  for (const line of text.split(/\r\n?|\n/, LINES_MAX)) {
    const match = /^\s*([a-z-]+)\s*:\s*(.*?)\s*$/i.exec(line.replace(/#.*$/, ''));
    if (match === null) continue;
    const field = match[1]?.toLowerCase() ?? '';
    const value = match[2] ?? '';
    if (field === 'sitemap') sitemaps.push(value);
    if (field === 'user-agent') {
      if (!isNaming || current === undefined)
        groups.push((current = { agents: [], rules: [], delayMs: 0, usages: [] }));
      current.agents.push(value.toLowerCase());
      isNaming = true;
      continue;
    }
    isNaming = false;
    addRule(current, field, value);
  }
  return { groups, sitemaps };
}

function addRule(group: Group | undefined, field: string, value: string): void {
  if (group === undefined) return;
  if ((field === 'allow' || field === 'disallow') && value !== '')
    group.rules.push({ pattern: value, allow: field === 'allow' });
  if (field === 'content-signal') group.signals = joinUsage(group.signals, parseUsage(value));
  if (field === 'content-usage') {
    const [, pattern = '/', wishes = ''] = /^(?:(\/\S*)\s+)?(.*)$/.exec(value) ?? [];
    group.usages.push({ pattern, usage: parseUsage(wishes) });
  }
  if (field === 'crawl-delay' && Number.isFinite(Number(value))) group.delayMs = Number(value) * 1_000;
}

/**
 * True when a robots pattern (`*` for anything, `$` for the end) matches the start of a path. Linear time.
 */
function matches(pattern: string, path: string): boolean {
  const isAnchored = pattern.endsWith('$');
  const parts = (isAnchored ? pattern.slice(0, -1) : pattern).split('*');
  const first = parts[0] ?? '';
  if (!path.startsWith(first)) return false;
  let at = first.length;
  for (const part of parts.slice(1)) {
    const found = path.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  if (!isAnchored) return true;
  const last = parts.at(-1) ?? '';
  return parts.length === 1
    ? at === path.length
    : path.endsWith(last) && path.length - last.length >= at - last.length;
}
