import { INTENTS, type Intent } from '../../core/query.ts';
import { own } from '../../core/own-text.ts';
import type { OwnText } from '../../core/text.ts';
import { isOtherScript, queryLanguage } from './language.ts';
import { sharesOf } from './model.ts';

/** What a query is about: the most probable intents first, with what each is worth. */
export interface TopicRoute {
  /** What it is about; `general` unless something else is clearly more probable. */
  intent: Intent;
  /** Of the language, for encyclopaedias. */
  language: string;
  /** The topics whose sources may know something, the best first; without `general`. */
  topics: { intent: Intent; share: number; why: OwnText }[];
}

/** Below this share a topic is not worth a request. */
export const SHARE_MIN = 0.25;
const TITLES: Record<Intent, OwnText> = {
  general: own`general search`,
  encyclopaedia: own`a question for an encyclopaedia`,
  programming: own`a programming question`,
  software: own`a question about software`,
  science: own`a question for the scientific literature`,
  medicine: own`a medical question`,
  books: own`a question about books`,
  security: own`a question about vulnerabilities`,
};

/** Decides what a query is about: by sure patterns, else by a small model. Another script goes to the encyclopaedia. */
export function routeTopic(query: string, language?: string): TopicRoute {
  const lang = language ?? queryLanguage(query);
  const sure = sureIntent(query);
  if (sure !== undefined && sure.intent !== 'general')
    return {
      intent: sure.intent,
      language: lang,
      topics: [{ intent: sure.intent, share: 1, why: sure.why }],
    };
  const encyclopaedia = {
    intent: 'encyclopaedia',
    share: SHARE_MIN,
    why: own`an encyclopaedia may know it`,
  } as const;
  if (isOtherScript(query)) {
    const why = own`the encyclopaedia of its language may know it`;
    return { intent: 'general', language: lang, topics: [{ ...encyclopaedia, why }] };
  }
  const shares = sharesOf(query);
  const likely = INTENTS.filter((intent) => intent !== 'general' && (shares.get(intent) ?? 0) >= SHARE_MIN)
    .map((intent) => ({ intent, share: shares.get(intent) ?? 0, why: own`it looks like ${TITLES[intent]}` }))
    .sort((a, b) => b.share - a.share);
  const [best] = likely;
  const isGeneral = sure !== undefined || best === undefined || best.share < (shares.get('general') ?? 0);
  return {
    intent: isGeneral ? 'general' : best.intent,
    language: lang,
    topics: best === undefined ? [encyclopaedia] : likely,
  };
}

/** What a query surely is about, and how that was seen. */
interface Sure {
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
