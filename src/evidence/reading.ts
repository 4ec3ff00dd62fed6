import { figuresOf } from './figures.ts';
import { languageOf, type Language } from './language.ts';
import { readable } from './quote.ts';
import { readDense } from './read-dense.ts';
import { readSpaced } from './read-spaced.ts';
import { isPredicate, type Scanned, type Unit } from './scan.ts';

/** A sentence, parsed as far as needed to compare it with others. */
export interface Reading {
  language: Language;
  units: Unit[];
  /** Clauses with an odd number of negations. */
  negated: Set<number>;
  /** The subject of a clause that has none of its own. */
  subjects: Map<number, number>;
  /** `would`, `planned`, `may`: not a fact, or not yet. */
  isHypothetical: boolean;
  isFormer: boolean;
  isPassive: boolean;
  /** `The head of the board is …`: identifies one thing. */
  isNaming: boolean;
  /** The stems of its words. */
  heads: Set<string>;
}

/** Reads a sentence; `context` resolves a leading `it`, `surroundings` help to detect the language. */
export function read(sentence: string, context = '', surroundings = ''): Reading {
  const text = inOneWord(withoutFrame(readable(sentence).normalize('NFKC')));
  const language = languageOf(text, surroundings);
  const isDense = language === 'ja' || language === 'zh';
  const figures = figuresOf(text, language);
  const scanned = splitClauses(
    isDense ? readDense(text, language, figures) : readSpaced(text, language, figures),
  );
  const { units } = scanned;
  const negations = scanned.negations.map(({ clause }) => clause);
  const subject = PRONOUN.test(text) && context !== '' ? firstPhrase(read(context)) : [];
  const all = [
    ...subject.map((unit) => ({ ...unit, phrase: -1, clause: 0, role: 'argument' as const })),
    ...units,
  ];
  const negated = new Set(
    [...new Set(negations)].filter((clause) => negations.filter((one) => one === clause).length % 2 === 1),
  );
  return {
    language,
    units: all,
    negated,
    subjects: subjectsOf(all, scanned.relatives),
    isHypothetical: HYPOTHETICAL[language].test(text),
    isFormer: FORMER[language].test(text),
    isPassive: PASSIVE[language].test(text),
    isNaming: NAMING[language].test(text) && !ONE_OF.test(text),
    heads: new Set(
      all
        .filter((unit) => !isPredicate(unit))
        .map(({ key }) => key.slice(0, isDense ? DENSE_HEAD_CHARS : HEAD_CHARS)),
    ),
  };
}

/** Forms of one word share this many characters. */
const HEAD_CHARS = 4;
const DENSE_HEAD_CHARS = 2;
const PRONOUN = /^(?:It|They|He|She|This|These|Its|Their|His|Her|Er|Sie|Es|Ella|Ello|Este|Esta)\b/;

function firstPhrase({ units }: Reading): Unit[] {
  const first = units.find(
    ({ role, figure, meaning }) => role === 'argument' && figure === undefined && meaning === undefined,
  );
  return first === undefined ? [] : units.filter(({ phrase }) => phrase === first.phrase);
}

/** `is long and serves farms`: if both halves make a statement, they are two clauses. */
function splitClauses(scanned: Scanned): Scanned {
  const { units, negations, relatives, joints } = scanned;
  for (const joint of joints.toReversed()) {
    const clause = units[joint]?.clause;
    const isInside = (unit: Unit): boolean => unit.clause === clause;
    const before = units.slice(0, joint).filter(isInside);
    const after = units.slice(joint).filter(isInside);
    if (clause === undefined || !before.some(isPredicate) || !after.some(isPredicate)) continue;
    for (const unit of units.slice(joint)) unit.clause += 1;
    for (const negation of negations) if (negation.at >= joint) negation.clause += 1;
    for (const [relative, phrase] of [...relatives].filter(([one]) => one > clause)) {
      relatives.delete(relative);
      relatives.set(relative + 1, phrase);
    }
  }
  return scanned;
}

/** The implied subject of each clause: for `which` the preceding phrase, otherwise the first one. */
function subjectsOf(units: Unit[], relatives: Map<number, number>): Map<number, number> {
  const subjects = new Map(relatives);
  const first = units.find((unit) => !isPredicate(unit) && unit.role === 'argument');
  for (const clause of new Set(units.map((unit) => unit.clause))) {
    const own = units.filter((unit) => unit.clause === clause);
    const isOwn = own
      .slice(0, own.findIndex(({ meaning }) => meaning !== undefined) + 1 || undefined)
      .some((unit) => !isPredicate(unit) && unit.role === 'argument');
    if (!isOwn && first !== undefined && !subjects.has(clause)) subjects.set(clause, first.phrase);
  }
  return subjects;
}

/** `Studies show that …` asserts what follows. */
const FRAME =
  /^(?:[^,.;]{0,60}?\b(?:say|says|said|note|notes|noted|report|reports|reported|show|shows|showed|find|finds|found|state|states|stated|confirm|confirms|confirmed|estimate|estimates|estimated|explain|explains|explained)\s+that\s+|according to [^,]{1,60},\s+|[^,.;]{0,60}?\b(?:zeigen|zeigt|berichtet|berichten|sagen|sagt|bestätigt|bestätigen|erklärt),\s+dass\s+|(?:laut|nach Angaben)\s[^,]{1,40}?,\s+|[^,.;]{0,60}?\b(?:muestran|muestra|indican|indica|señala|señalan|afirma|afirman|informa|confirma|confirman)\s+que\s+|según [^,]{1,60},\s+|[^，。]{0,20}(?:表明|显示|指出|称)，?|(?:据|根据)[^，。]{1,20}，|[^、。]{1,20}によ(?:ると|れば)、?)/iu;

/** Phrases that are equivalent to one word. */
const PHRASES: [RegExp, string][] = [
  [/\bno longer\b/g, 'not'],
  [/\bneither\b([^.;]{1,80}?)\bnor\b/gi, 'no$1or'],
  [/\bset up\b/g, 'established'],
  [/\b(?:took|takes|taken) place\b/g, 'held'],
  [/\b(?:passed away|lost (?:their|his|her) li(?:ves|fe))\b/g, 'died'],
  [/\b(?:went|gone|go(?:es)?) up\b/g, 'rose'],
  [/\b(?:went|gone|go(?:es)?) down\b/g, 'fell'],
  [/\bums Leben\b/g, 'starben'],
  [/\b(?:fand|fanden) (.{1,60})\bstatt\b/g, 'stattfand $1'],
  [/\b(?:is|are) (?:scheduled|expected|due|set|planned|projected|slated) to\b/g, 'will'],
  [/\bperdieron la vida\b/g, 'murieron'],
  [/\btuvo lugar\b/g, 'celebrado'],
  [/命を落と/gu, '死亡'],
];
const inOneWord = (text: string): string =>
  PHRASES.reduce((plain, [pattern, word]) => plain.replace(pattern, word), text);

function withoutFrame(text: string): string {
  const frame = FRAME.exec(text)?.[0] ?? '';
  // What is denied or doubted is not asserted.
  if (frame === '' || /\b(?:no|not|never|nicht|kein\w*|nunca)\b|n['’]t\b|没有|未/iu.test(frame)) return text;
  return text.slice(frame.length);
}

const HYPOTHETICAL: Record<Language, RegExp> = {
  en: /\b(?:would|might|may|planned|plans to|proposed|expected to|supposed to|scheduled to|hopes to|intends to|will|if)\b/,
  de: /\b(?:würde|würden|könnte|könnten|geplant|plant|soll|sollen|vorgesehen|voraussichtlich)\b/i,
  es: /\b(?:podría|podrían|sería|serían|planea|planean|previsto|prevista|prevé|propuso|propuesta|será|serán|costaría)\b/i,
  ja: /予定|計画され|かもしれ|だろう|でしょう|見込み|見通し|はずだ|目指/u,
  zh: /预计|计划|可能|将于|将会|拟|有望|或许|打算/u,
};
const FORMER: Record<Language, RegExp> = {
  en: /\b(?:former|formerly|used to|once|until recently|originally)\b/i,
  de: /\b(?:ehemalig\w*|früher\w*|einst|ursprünglich)\b/i,
  es: /\b(?:antiguamente|ex|solía|originalmente|antes)\b/i,
  ja: /かつて|旧|以前は|元々/u,
  zh: /曾经|曾|原先|旧/u,
};
const PASSIVE: Record<Language, RegExp> = {
  en: /\b(?:is|are|was|were|been|being|be)\s+(?:\w+\s+)?\w+(?:ed|en|wn|lt|und|ught|de|id)\b.*\bby\b/i,
  de: /\b(?:wurde|wurden|wird|werden|worden)\b.*\b(?:von|vom|durch)\b/i,
  es: /\b(?:fue|fueron|es|son|ha sido|han sido)\s+\w+(?:ado|ada|ados|adas|ido|ida|idos|idas|to|ta|tos|tas)\b.*\bpor\b/i,
  ja: /(?<!と)され|られ|によ(?:る|って|り)/u,
  zh: /被|由/u,
};
const NAMING: Record<Language, RegExp> = {
  en: /^The\b.*\b(?:is|was)\b/,
  de: /^(?:Der|Die|Das)\b.*\b(?:ist|war|heißt|hieß)\b/,
  es: /^(?:El|La)\b.*\b(?:es|era|fue|se llama)\b/,
  ja: /は[^、]+(?:である|だった|であった|です|でした|だ)。?$/u,
  zh: /(?:是|为|叫)/u,
};
const ONE_OF =
  /\bone of\b|\bamong\b|\bein(?:er|e|es)? de[rs]\b|\bun[oa] de\b|の(?:一つ|ひとつ|一人)|之一|其中/iu;
