import { INTENTS, type Intent } from '../../core/intent.ts';
import { own } from '../../core/own-text.ts';
import type { OwnText } from '../../core/text.ts';
import { isOtherScript, queryLanguage } from './language.ts';
import { sharesOf } from './model.ts';
import { sureIntent } from './patterns.ts';

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
