import type { Intent } from '../../core/intent.ts';
import { own } from '../../core/own-text.ts';
import type { OwnText } from '../../core/text.ts';

/** What a query surely is about, and how that was seen. */
export interface Sure {
  intent: Intent;
  why: OwnText;
}

const PATTERNS: [RegExp, Intent, OwnText][] = [
  // What a caller restricts to a site, or wants of today, only the whole web has.
  [/(^|\s)-?site:\S/i, 'general', own`it has a site: operator`],
  [/\b(CVE-\d{4}-\d{4,}|GHSA(-[a-z0-9]{4}){3})\b/i, 'security', own`it names a vulnerability`],
  [/\b10\.\d{4,9}\/\S+/, 'science', own`it has a DOI`],
  [
    /\barxiv\b|(^|\s)\d{2}(0[1-9]|1[0-2])\.\d{4,5}(v\d+)?(\s|$)/i,
    'science',
    own`it names arXiv or has an arXiv ID`,
  ],
  [/\bisbn\b|(^|\s)97[89][- ]?(\d[- ]?){9}\d(\s|$)/i, 'books', own`it has an ISBN`],
  [/\b[A-Za-z_]\w*(Error|Exception)\b/, 'programming', own`it looks like an error message`],
  [
    /\b(traceback|stack trace|segmentation fault|segfault|core dumped|npm err!|undefined reference|cannot find module|null ?pointer|exit code \d+|error (ts|cs|e|c)\d{3,5}|ORA-\d{5}|unexpected token)\b|\bE(CONN|ACC|NO|RES|ADDR)[A-Z]{2,}\b|\bat \S+ ?\(\S+:\d+/i,
    'programming',
    own`it looks like an error message`,
  ],
  [/\brfc ?\d{2,5}\b/i, 'programming', own`it names an RFC`],
  [
    /(^|\s)@[a-z0-9][\w.-]*\/[\w.-]+|\b(npm|pip|cargo|gem|brew|yarn|pnpm|go) (install|add|get|i) \S|\b(npm|pypi|crates?\.io|cargo|nuget|packagist|maven|rubygems)\b[ :]|\bgithub\b/i,
    'software',
    own`it names a package or a repository`,
  ],
  [
    /\b(today|tonight|yesterday|tomorrow|this (week|weekend|morning|evening)|right now|near me|live score|breaking|heute|gestern|morgen früh|wochenende|aujourd['’]hui|ce soir|hier soir|demain|hoy|ayer|mañana|esta (noche|semana))(?![\p{L}])/iu,
    'general',
    own`it asks for what is current`,
  ],
];

/** What a query is about if one of the sure patterns says so. */
export function sureIntent(query: string): Sure | undefined {
  const found = PATTERNS.find(([pattern]) => pattern.test(query));
  return found === undefined ? undefined : { intent: found[1], why: found[2] };
}
