import type { Figure } from './figure.ts';
import type { Language } from './language.ts';
import { denseMeaning, isThing, type Meaning } from './lexicon.ts';
import { add, beginScan, breakPhrase, type Scan, type Scanned, type Unit } from './scan.ts';

/** Looks like a negation but is not. */
const DENSE_NO_DENIAL: Record<'ja' | 'zh', RegExp> = {
  ja: /少なくとも|少な[いく]|だけでなく|のみならず|だけではなく|なければならない|なくてはならない|なければいけない|かもしれない|違いない|ほかならない|とは限らない|やむを得ない|なくな[っる]|危ない|無料|無線|無事|不動産|非常|未来|不可欠|未満|無人|不思議|無数|満たない|足らず/gu,
  zh: /不断|不同|不仅|不但|不只|不过|不久|不少|不锈钢|不动产|无论|无线|无人机|未来|非洲|非常|除非|否则|是否|不得不|不可避免|差不多|不丹|不得已|无数|不足|没收|不等|不到|不超过|不低于/gu,
};
const DENSE_NEGATION: Record<'ja' | 'zh', RegExp> = {
  ja: /ない|なかった|なく|ません|ずに|ざる|なし(?=[。、で])|無し|不(?=\p{Script=Han})|未(?=\p{Script=Han})|無(?=\p{Script=Han})|非(?=\p{Script=Han})/uy,
  zh: /没有|没|不(?:得|可以|可|能够|能|准|许)?|无(?=\p{Script=Han})|未|并非|非(?=\p{Script=Han})/uy,
};
const JA_PARTICLE =
  /に対して|に対する|に対し|にとって|における|によって|により|という|について|において|から|まで|より|へと|には|では|とは|にも|でも|は|が|も|を|に|で|へ|と|の|や/y;
const ZH_FUNCTION =
  /由于|对于|关于|自从|以来|能够|可以|目前|现在|仍然|仍|还|再|已经|一共|总共|进行|大约|约|每年|其中|该|这|那|的|于|在|是|为|有|由|被|了|和|与|及|对|从|向|以|等|将|已|曾|能|会|可|要|到|至|自|并|而|但|也|都|共|达|其|之|后|前|中|内|里|上|把|使|让|则|就|又|或|所|者|着|过|来|人数|数量|超过|达到|高达|多达|逾|至少|至多|最多|将近|接近|成为|作为|获|当时|期间|历时/y;
const ZH_FUNCTIONS_ONLY = new RegExp(`^(?:${ZH_FUNCTION.source})+$`, 'u');
const ZH_PREPOSITION = /^(?:于|在|对|对于|从|向|以|自|自从|与|和|为|至|到|关于|由于)$/;
const DENSE_LIGHT =
  /ことができ|できる|できた|でき|可能|数|約|およそ|とされ|とな|ている|である|ました|です|した|する|され|人数|現在|今日|昨年|去年/y;
const STOP = /[、。，；：（）(),;:！？!?]/;
/** Quotation marks around a name; their content belongs to the preceding words. */
const QUOTES = /[「」『』“”《》〈〉]/;

/** Reads a Japanese or Chinese sentence, which has no spaces between words. */
export function readDense(raw: string, language: Language, figures: Figure[]): Scanned {
  const tongue = language as 'ja' | 'zh';
  const scan = beginScan(
    raw.replace(DENSE_NO_DENIAL[tongue], (found) => '　'.repeat(found.length)),
    language,
  );
  let chunk = '';
  for (let at = 0; at < scan.text.length;) {
    const figure = figures.find(({ start }) => start === at);
    const taken = figure === undefined ? readGrammar(scan, at, figures) : undefined;
    const length = figure === undefined ? (taken?.length ?? 0) : figure.end - at;
    if (length > 0) {
      addChunk(scan, chunk);
      chunk = '';
    }
    if (figure !== undefined && isVersion(figure, scan.text)) add(scan, { key: figure.text, isName: true });
    else if (figure !== undefined) {
      add(scan, { key: '#figure', figure, phrase: -scan.units.length - 1, role: 'adjunct' });
      breakPhrase(scan);
    } else if (taken !== undefined) taken.apply();
    else chunk += scan.text[at] ?? '';
    at += Math.max(1, length);
  }
  addChunk(scan, chunk);
  return scan;
}

/** In `Vue 3 では` the number is part of a name: it follows a Latin word and counts nothing. */
const isVersion = ({ dimension, low, high, start, end }: Figure, text: string): boolean =>
  dimension === '' &&
  low === high &&
  /\p{Script=Latin}\s?$/u.test(text.slice(0, start)) &&
  /^\s?(?:[\p{Script=Hiragana}、。，,.)）]|$)/u.test(text.slice(end));

const SEGMENTED_MIN = 4;
const segmenters = {
  ja: new Intl.Segmenter('ja', { granularity: 'word' }),
  zh: new Intl.Segmenter('zh', { granularity: 'word' }),
};

/** Splits a run of characters into dictionary words; single characters, as in names, stay together. */
function addChunk(scan: Scan, chunk: string): void {
  if (chunk === '') return;
  const words: string[] = [];
  let isSingle = false;
  const segments =
    chunk.length < SEGMENTED_MIN
      ? [{ segment: chunk }]
      : segmenters[scan.language as 'ja' | 'zh'].segment(chunk);
  for (const { segment } of segments) {
    const isSuffix =
      segment.length === 1 &&
      /[\p{Script=Katakana}ー]$/u.test(words.at(-1) ?? '') &&
      /^\p{Script=Han}$/u.test(segment);
    const joins = isSuffix || (isSingle && segment.length === 1);
    if (joins) words.push(`${words.pop() ?? ''}${segment}`);
    else words.push(segment);
    isSingle = segment.length === 1;
  }
  for (const key of words) add(scan, { key, isName: key.length > 1 });
}

interface Taken {
  length: number;
  apply: () => void;
}

/** Reads a known word, a negation or a particle at a position; undefined inside any other word. */
function readGrammar(scan: Scan, at: number, figures: Figure[]): Taken | undefined {
  const { text, language } = scan;
  const character = text[at] ?? '';
  if (QUOTES.test(character)) return { length: 1, apply: () => undefined };
  if (STOP.test(character) || /\s/.test(character))
    return {
      length: 1,
      apply: () => {
        if (STOP.test(character)) scan.clause += 1;
        breakPhrase(scan);
      },
    };
  const negation = matchAt(DENSE_NEGATION[language as 'ja' | 'zh'], text, at);
  const known = denseMeaning(text, at, language);
  const isOwnWord = known?.length !== 1 || language === 'ja' || !isPartOfWord(text, at);
  const meaning = (isOwnWord ? known : undefined) ?? shortMeasure(text, at, figures);
  if (meaning !== undefined && meaning.length >= negation.length)
    return { length: meaning.length, apply: () => addMeaning(scan, meaning, at) };
  if (negation !== '')
    return {
      length: negation.length,
      apply: () => {
        scan.negations.push({ clause: scan.clause, at: scan.units.length });
        breakPhrase(scan);
      },
    };
  const light = matchAt(DENSE_LIGHT, text, at);
  const particle = particleAt(scan, at);
  if (particle !== '' && particle.length >= light.length)
    return { length: particle.length, apply: () => addParticle(scan, particle) };
  if (light !== '') return { length: light.length, apply: () => breakPhrase(scan) };
  return /\p{Script=Hiragana}/u.test(character) ? { length: 1, apply: () => undefined } : undefined;
}

function addMeaning(scan: Scan, { name, sign, length }: Meaning & { length: number }, at: number): void {
  if (isThing(name)) {
    add(scan, { key: `#${name}` });
    return;
  }
  add(scan, { key: `#${name}`, meaning: { name, sign }, phrase: -scan.units.length - 1, role: 'argument' });
  if (!/^[の的]/u.test(scan.text.slice(at + length))) scan.phrase += 1;
}

/** Function words that are just as often parts of other words. */
const AMBIGUOUS = /^[会可能要过来所者自对和上中内里前后以等着将达为有于获逾]$/u;

/** Whether a character is part of a longer word or of an unknown name: 会长, 哈达德. */
function isPartOfWord(text: string, at: number, isName = true): boolean {
  const from = Math.max(0, at - 3);
  const segments = [...segmenters.zh.segment(text.slice(from, at + 4))];
  const own = segments.findIndex(
    ({ index, segment }) => from + index <= at && at < from + index + segment.length,
  );
  const { segment = '' } = segments[own] ?? {};
  if (segment.length > 1) return !/^[不没]/u.test(segment) && !ZH_FUNCTIONS_ONLY.test(segment);
  const isUnknown = (word = ''): boolean => /^\p{Script=Han}$/u.test(word) && !ZH_FUNCTIONS_ONLY.test(word);
  return isName && isUnknown(segments[own - 1]?.segment) && isUnknown(segments[own + 1]?.segment);
}

/** In Japanese, a single character inside other Hiragana is not a particle. */
function particleAt({ text, language }: Scan, at: number): string {
  if (language === 'zh') {
    const word = matchAt(ZH_FUNCTION, text, at);
    // 会 can, 会长 chairman: a function word stands alone. 林若川所写: 所 before a verb is one, too.
    const isBeforeVerb = word === '所' && denseMeaning(text, at + 1, language) !== undefined;
    const isPart = word.length === 1 && !isBeforeVerb && isPartOfWord(text, at, AMBIGUOUS.test(word));
    return isPart ? '' : word;
  }
  const particle = matchAt(JA_PARTICLE, text, at);
  return particle.length > 1 || !/\p{Script=Hiragana}/u.test(text[at - 1] ?? '') ? particle : '';
}

function addParticle(scan: Scan, particle: string): void {
  if (scan.language === 'ja' && particle !== 'の') markRole(scan.units, particle, scan.phrase);
  if (particle === 'の' || particle === '的') {
    for (const unit of scan.units) if (unit.phrase === scan.phrase) unit.isOwner = true;
    return;
  }
  const role = /^[由被获]$/u.test(particle)
    ? 'agent'
    : ZH_PREPOSITION.test(particle)
      ? 'adjunct'
      : 'argument';
  breakPhrase(scan, scan.language === 'zh' ? role : 'argument');
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

/** 高214米, 长14公里: a single character before a figure names the measure. */
function shortMeasure(text: string, at: number, figures: Figure[]) {
  const name = {
    高: 'height',
    长: 'length',
    長: 'length',
    宽: 'width',
    幅: 'width',
    深: 'depth',
    重: 'weight',
  }[text[at] ?? ''];
  const isBefore = figures.some(
    ({ start }) => start === at + 1 || (start === at + 2 && /[约約达]/u.test(text[at + 1] ?? '')),
  );
  return name === undefined || !isBefore ? undefined : { name, sign: 1 as const, length: 1 };
}

/** In Japanese, the particle after a phrase gives its role in the sentence. */
function markRole(units: Unit[], particle: string, phrase: number): void {
  if (particle === 'や') return;
  const isSubject = /^(?:は|が|も|とは)$/u.test(particle);
  const mark = isSubject
    ? particle === 'が'
      ? 'subject'
      : 'topic'
    : particle === 'を'
      ? 'object'
      : particle === 'に'
        ? 'to'
        : undefined;
  const role =
    isSubject || mark === 'object' ? 'argument' : particle.startsWith('によ') ? 'agent' : 'adjunct';
  for (const unit of units)
    if (unit.phrase === phrase) Object.assign(unit, { role }, mark === undefined ? {} : { mark });
}
