import { isMeasure } from './lexicon.ts';
import { isWord, type QuantityMatch, type Side } from './match.ts';
import type { Reading } from './reading.ts';
import type { Unit } from './scan.ts';

/** Meanings with one agent: who founded it, who wrote it. */
const BY = new Set(
  'design write compose direct paint invent develop discover acquire found build'.split(' '),
);
/** Meanings with one place, holder or name. */
const AT = new Set('located born die capital lead named elected signed found held own'.split(' '));

/** What several agents can do to one thing: a book is praised by many. Other actions have one agent. */
const REPEATED =
  /^(?:visit|use|prais|critici|support|attack|play|read|studi|cite|cit|attend|watch|describ|mention|sponsor|fund|influenc|inspir|affect|follow|interview|hire|award|nomin|see|seen|hit|damag|buy|sell|speak|eat|help|join|share|test|besuch|gelobt|kritisier|unterst|beschrieb|zitier|visit|elogi|critic|apoy|descri|citad|訪|批判|支持|称賛|批评|赞|参观)/u;

function isDoneOnce(pairs: QuantityMatch['pairs'], { units }: Reading): boolean {
  const topic = units.find((unit) => isWord(unit) && unit.role === 'argument')?.phrase;
  const done = pairs
    .map(([unit]) => unit)
    .filter(
      ({ isName, role, meaning }) =>
        !isName && role !== 'agent' && (meaning === undefined || !isMeasure(meaning.name)),
    );
  const verbs = done.filter((unit) => unit.meaning !== undefined || unit.phrase !== topic);
  return verbs.length > 0 && !verbs.some(({ key }) => REPEATED.test(key.replace('#', '')) || key === '#win');
}

/** Each thing has one holder, but one holder may have several things. */
const HELD = new Set(['capital', 'lead', 'elected']);

/** Two names in a role that allows only one. */
export function differingNames(
  { pairs, figures, matched }: QuantityMatch,
  [first, second]: [Side, Side],
  a: Reading,
  b: Reading,
): [string, string] | undefined {
  const meanings = pairs.flatMap(([{ meaning }]) => (meaning === undefined ? [] : [meaning.name]));
  const extras = [first, second].map(({ blocking, soft }) => [...blocking, ...soft]) as [Unit[], Unit[]];
  if (
    extras.some(
      (units) => units.length === 0 || !units.every(({ isName, meaning }) => isName && meaning === undefined),
    )
  )
    return undefined;
  if (figures.some(({ relation }) => relation !== 'equal' && relation !== 'about')) return undefined;
  const isWhole = extras.every(
    (units, index) =>
      units.every(({ phrase }) => phrase === units[0]?.phrase) &&
      ![...(matched[index] as Set<Unit>)].some((one) => one.phrase === units[0]?.phrase),
  );
  if (!isWhole || extras.some((units) => units.some(({ isOwner }) => isOwner === true))) return undefined;
  const isDoer = (unit: Unit | undefined, reading: Reading): boolean =>
    unit !== undefined && markOf(unit, reading) === 'doer';
  const both = isDoer(extras[0][0], a) && isDoer(extras[1][0], b);
  const neither = !isDoer(extras[0][0], a) && !isDoer(extras[1][0], b);
  const isNamed = a.isNaming && b.isNaming && figures.length === 0 && pairs.length > 1 && neither;
  const isUniqueSlot =
    isNamed ||
    (both && meanings.includes('win') && figures.some(({ a: one }) => one.figure?.kind === 'date')) ||
    (both && a.isPassive && b.isPassive && isDoneOnce(pairs, a)) ||
    meanings.some(
      (name) =>
        (BY.has(name) && both) ||
        (AT.has(name) && (HELD.has(name) ? both || (neither && a.isNaming && b.isNaming) : neither)),
    );
  if (!isUniqueSlot) return undefined;
  const written = (units: Unit[]): string =>
    units.map(({ key }) => (/^[a-z]/.test(key) ? key.charAt(0).toUpperCase() + key.slice(1) : key)).join(' ');
  return [written(extras[0]), written(extras[1])];
}

/** The agent of a sentence: its first argument, or the agent of a passive. */
function markOf(unit: Unit, { units, isPassive }: Reading): 'doer' | 'done' | undefined {
  if (unit.role === 'agent') return 'doer';
  if (unit.mark === 'to' && isPassive) return 'doer';
  if (unit.role !== 'argument' || (unit.isOwner === true && unit.mark === undefined)) return undefined;
  if (unit.mark !== undefined) {
    // 線は鈴木が設計した: next to a subject, the topic is the object.
    const isTopicOnly = unit.mark === 'topic' && !units.some(({ mark }) => mark === 'subject');
    return (unit.mark === 'subject' || isTopicOnly) !== isPassive ? 'doer' : 'done';
  }
  const first = units.find((one) => one.role === 'argument' && one.mark !== 'object' && isWord(one));
  const isFirst = first?.phrase === unit.phrase;
  return isFirst !== isPassive ? 'doer' : 'done';
}

/** `A bought B` is not `B bought A`. */
export function isSwapped({ pairs }: QuantityMatch, a: Reading, b: Reading): boolean {
  const marks = pairs
    .filter(([one, other]) => isWord(one) && one.isName && other.isName)
    .map(([one, other]) => [markOf(one, a), markOf(other, b)]);
  return (
    marks.some(([one, other]) => one === 'doer' && other === 'done') &&
    marks.some(([one, other]) => one === 'done' && other === 'doer')
  );
}
