import { backgroundShare } from '../rank/background.ts';
import { stem } from '../rank/stem.ts';
import { fold } from '../rank/tokenise.ts';
import type { Figure } from './figure.ts';
import type { Language } from './language.ts';
import { isThing, meaningOf } from './lexicon.ts';
import { add, beginScan, breakPhrase, isPredicate, type Scan, type Scanned, type Unit } from './scan.ts';

/** Past forms of English verbs that do not end in -ed. */
const IRREGULAR = new Map(
  'know knew known;give gave given;take took taken;see saw seen;go went gone;come came;keep kept;send sent;spend spent;leave left;lose lost;pay paid;teach taught;think thought;bring brought;catch caught;break broke broken;speak spoke spoken;choose chose chosen;drive drove driven;ride rode ridden;hide hid hidden;throw threw thrown;draw drew drawn;wear wore worn;tear tore torn;steal stole stolen;freeze froze frozen;forget forgot forgotten;eat ate eaten;beat beaten;bear bore borne;swear swore sworn;shake shook shaken;sing sang sung;drink drank drunk;ring rang rung;sink sank sunk;swim swam swum;run ran;win won;hang hung;strike struck;stick stuck;dig dug;feed fed;lead led;meet met;feel felt;deal dealt;mean meant;dream dreamt;learn learnt;burn burnt;lend lent;bend bent;sell sold;tell told;say said;seek sought;fight fought;hear heard;stand stood;understand understood;find found;bind bound;wind wound;shoot shot;fly flew flown;blow blew blown;lie lay lain;lay laid;sit sat;light lit;sleep slept;sweep swept;weep wept;creep crept;wake woke woken;begin began begun;become became'
    .split(';')
    .flatMap((line) => {
      const [base = '', ...forms] = line.split(' ');
      return forms.map((form): [string, string] => [form, base]);
    }),
);
const regular = (word: string): string => IRREGULAR.get(word) ?? word;

const words = (list: string): Set<string> => new Set(list.split(' ').map(fold));

/** Words without meaning of their own. */
const GLUE: Record<'en' | 'de' | 'es', Set<string>> = {
  en: words(
    'the a an this that these those even you your it its they their them he she his her is are was were be been being am has have had having do does did can could will shall would may might must should there here as so than then also too very quite more less about around roughly approximately nearly almost some approx circa which who whom whose what when where how if but because while able capable possible own just still already now today currently far ever total totals number numbers amount amounts figure figures value called said note notes noted report reports reported reportedly say says according offer offers offered provide provides provided show shows shown count counts stand stands stood reach reaches reached measure measures measured size estimated estimate official officially each per up out such work took takes take place come comes came make makes made get gets since year years date later time known one home hosts host holds hold boasts features feature gives given well found city town new s t re ve ll d did',
  ),
  de: words(
    'der die das den dem des ein eine einer einem einen eines er sie es ihr ihre sein seine ist sind war waren wurde wurden wird werden worden sei hat haben hatte hatten kann können konnte konnten soll sollte muss darf als so auch sehr mehr weniger etwa rund ungefähr knapp fast circa zirka gut dass ob wenn weil wo wie was welche welcher jahr jahre jahres stadt gemeinde lage dazu damit insgesamt zahl anzahl beträgt betrug betragen zählt zählen verfügt verfügte bietet boten fand statt heute derzeit laut bereits noch nun dort hier sich man zu fähig möglich selbst seinen seiner seinem seines ihren ihrem ihrer ihres bisher insgesamt lag lagen liegt liegen erreicht erreichte erreichen maximal mindestens',
  ),
  es: words(
    'el la los las lo un una unos unas este esta estos estas ese esa eso su sus es son era eran fue fueron ser sido está están ha han había hay tiene tienen tenía tuvo puede pueden podía se que como más menos muy también ya cerca casi unos aproximadamente alrededor total número cifra año años ciudad municipio actualmente hoy cuando donde si al ofrece ofrecen cuenta cuentan mide miden medía alcanza alcanzan alcanzó suma capaz posible según lugar tuvo aún todavía ahora ve ven estaba',
  ),
};
const LINKERS = { en: words('of'), de: words('des der von vom'), es: words('de del') };
const PREPOSITIONS = {
  en: words(
    'in on at to for from with without by into onto over under between among during after before since until through across against near along within towards toward via around despite except like unlike behind below above beside beyond inside outside about',
  ),
  de: words(
    'in im am an auf bei beim mit ohne aus nach seit von vom zu zum zur vor gegen für durch über unter zwischen bis hinter neben während ab trotz um',
  ),
  es: words('en a al por para con sin desde hasta hacia contra entre sobre tras durante bajo ante según'),
};
const AGENT = words('by von vom durch por');
const NEGATORS: Record<'en' | 'de' | 'es', Set<string>> = {
  en: words(
    'not no never cannot cant neither nor none nobody nothing without lacks lack lacked unable hardly barely impossible fails failed',
  ),
  de: words('nicht kein keine keinen keiner keinem keines nie niemals weder nichts niemand ohne unmöglich'),
  es: words('no nunca jamás tampoco ningún ninguna ninguno nadie nada sin imposible ni'),
};
/** Looks like a negation but is not: `not only`, `no longer than`, `No. 5`. */
const NO_DENIAL =
  /\b(?:not only|not just|no less than|no fewer than|no more than|no\.\s?\d+|no doubt|nicht nur|nicht zuletzt|nicht weniger als|no s[oó]lo|no solamente|no menos de|sin embargo|sin duda)\b/giu;
const CLAUSE_WORDS = words(
  'which who whose whereas while although though but because aber während obwohl weil pero aunque mientras',
);

const TOKEN = /[\p{L}\p{N}][\p{L}\p{N}'’_-]*|[,;:()—–.]/gu;
const ARTICLE = /^(?:the|an?|der|die|das|dem|den|des|ein\w*|el|las?|los|una?|its|their|his|her)$/;

/** Reads an English, German or Spanish sentence. */
export function readSpaced(raw: string, language: Language, figures: Figure[]): Scanned {
  const scan = beginScan(
    raw.replace(NO_DENIAL, (found) => ' '.repeat(found.length)),
    language,
  );
  for (const found of scan.text.matchAll(TOKEN)) {
    const [word] = found;
    const figure = figures.find(({ start, end }) => start <= found.index && found.index < end);
    if (figure !== undefined) addFigure(scan, figure);
    else if (/^[,;:()—–.]$/.test(word)) {
      if (word !== '.') scan.clause += 1;
      breakPhrase(scan);
    } else if (!addGrammar(scan, word, found.index)) addWord(scan, word, found.index);
  }
  return scan;
}

function addFigure(scan: Scan, figure: Figure): void {
  const before = scan.units.at(-1);
  if (before?.figure === figure) return;
  // Station 12, Route 66: a number after a noun is a name, unless it counts what follows.
  const isBehind = before !== undefined && before.phrase === scan.phrase && before.meaning === undefined;
  const isLetter = /(?:^|\s)\p{Lu}\s$/u.test(scan.text.slice(0, figure.start));
  const isBare = figure.dimension === '' && figure.low === figure.high && !/[.,%]/.test(figure.text);
  if (isBehind && isBare && (isLetter || !countsNext(scan.text.slice(figure.end), scan.language))) {
    add(scan, { key: figure.text.toLowerCase(), isName: true });
    return;
  }
  // After a noun in a prepositional phrase something new begins: In the survey 62% …
  const isOpen = before !== undefined && before.phrase === scan.phrase;
  const role = scan.role === 'adjunct' && !scan.isLinked && !isOpen ? 'adjunct' : 'argument';
  scan.phrase += 1;
  add(scan, { key: '#figure', figure, role });
  breakPhrase(scan, figure.kind === 'date' ? 'argument' : role);
}

/** Whether a number is followed by what it counts. */
const countsNext = (rest: string, language: Language): boolean =>
  (language === 'de' ? /^\s\p{L}{3,}/u : /^\s\p{Ll}{3,}/u).test(rest.replace(FUNCTION_WORD, '  '));

const FUNCTION_WORD =
  /^\s(?:of|in|at|on|by|for|from|with|and|or|is|was|were|are|has|had|to|as|von|mit|und|ist|war|wurde|de|del|en|con|y|es|fue)\b/;

/** Consumes a function word; false if it is not one. */
function addGrammar(scan: Scan, word: string, at: number): boolean {
  const plain = fold(word).replace(/['’]s$/, '');
  const tongue = scan.language as 'en' | 'de' | 'es';
  if (/n['’]t$/i.test(word) || NEGATORS[tongue].has(plain)) {
    scan.negations.push({ clause: scan.clause, at: scan.units.length });
    breakPhrase(scan);
  } else if (CLAUSE_WORDS.has(plain)) {
    scan.clause += 1;
    const before = scan.units.findLast((unit) => !isPredicate(unit));
    if (/^(?:which|who|whose)$/.test(plain) && before !== undefined)
      scan.relatives.set(scan.clause, before.phrase);
    breakPhrase(scan);
  } else if (/^(?:and|und|y|e|or|oder|o)$/.test(plain)) {
    scan.joints.push(scan.units.length);
    breakPhrase(scan, scan.role);
  } else if (isTitle(word, tongue, scan.text.slice(at + word.length))) return true;
  else if (LINKERS[tongue].has(plain) && (tongue !== 'de' || isNounBefore(scan.text, at)))
    scan.isLinked = true;
  else if (isParticle(scan, plain, at)) addParticle(scan, plain);
  else if (PREPOSITIONS[tongue].has(plain)) breakPhrase(scan, AGENT.has(plain) ? 'agent' : 'adjunct');
  else if (GLUE[tongue].has(plain)) {
    const isOpen = scan.units.at(-1)?.phrase === scan.phrase;
    if (!scan.isLinked && (!ARTICLE.test(plain) || isOpen)) breakPhrase(scan);
    if (tongue === 'de' && OBLIQUE.test(plain)) scan.mark = 'object';
  } else return false;
  return true;
}

const TITLES = {
  en: /^(?:Mr|Mrs|Ms|Miss|Dr|Prof|Sir)$/,
  de: /^(?:Herrn?|Frau|Dr|Prof)$/,
  es: /^(?:Don|Doña|Señora?|Sra?|Dra?)$/,
};

/** Titles and initials before a name say nothing about whom they precede. */
const isTitle = (word: string, tongue: keyof typeof TITLES, rest: string): boolean =>
  (TITLES[tongue].test(word) && /^\.?\s\p{Lu}/u.test(rest)) ||
  (/^\p{Lu}$/u.test(word) && /^\.\s?\p{Lu}/u.test(rest));

/** German articles that cannot precede a subject. */
const OBLIQUE = /^(?:den|dem|einen|einem)$/;

/** Words that belong to the verb when nothing follows that they could govern: `nimmt ab`, `was phased out`. */
const PARTICLES = {
  en: {
    word: /^(?:on|off|in|out|up|down|over|back|away)$/,
    next: /^\s*(?:$|[.,;:!?)]|(?:by|in|at|after|since|during|from)\b)/,
  },
  de: {
    word: /^(?:ab|an|auf|aus|bei|durch|ein|fest|fort|her|hin|los|mit|nach|nieder|uber|um|unter|vor|weg|weiter|wieder|zu|zuruck|zusammen)$/,
    next: /^\s*(?:$|[.,;:!?)]|(?:und|oder)\b)/,
  },
};

function isParticle({ language, text }: Scan, plain: string, at: number): boolean {
  if (language !== 'en' && language !== 'de') return false;
  const { word, next } = PARTICLES[language];
  return word.test(plain) && next.test(text.slice(at).replace(/^[\p{L}]+/u, ''));
}

/** Joins a particle to its verb, which may change the meaning: `fällt` falls, `fällt aus` is cancelled. */
function addParticle(scan: Scan, particle: string): void {
  const isHere = (unit: Unit): boolean =>
    unit.clause === scan.clause && unit.figure === undefined && !unit.isName;
  const verb =
    scan.units.findLast((unit) => isHere(unit) && unit.isVerb === true) ??
    scan.units.findLast((unit) => isHere(unit) && (scan.language === 'de' || unit.word !== undefined));
  if (verb === undefined) {
    if (scan.language === 'de') add(scan, { key: particle });
    breakPhrase(scan);
    return;
  }
  const word = scan.language === 'de' ? `${particle}${verb.word ?? verb.key}` : `${verb.key}-${particle}`;
  const meaning = scan.language === 'de' ? meaningOf(word, 'de') : verb.meaning;
  if (meaning === undefined) {
    delete verb.meaning;
    verb.key = word;
  } else Object.assign(verb, { key: `#${meaning.name}`, meaning });
  breakPhrase(scan);
}

/** Words that may be verbs. German nouns are capitalised. */
const VERB = {
  en: /^\p{Ll}+ed$/u,
  de: /^\p{Ll}+(?:t|te|ten|nd|ng|ieg|ahm)$/u,
  es: /^\p{Ll}+(?:ó|aron|ieron|aba|aban|ían|uvo)$/u,
};

/** A verb follows the subject; before a noun, or after an article or number, the word is an attribute. */
function isVerbHere(scan: Scan, word: string): boolean {
  const before = scan.units.at(-1);
  const isBehind = before !== undefined && (before.phrase === scan.phrase || before.figure?.kind === 'date');
  if (!isBehind || scan.isLinked) return false;
  // After a capitalised name, a word in -s is rarely its head.
  return (
    VERB[scan.language as 'en' | 'de' | 'es'].test(word) ||
    (scan.language === 'en' && before.isName && /^\p{Ll}+[^s]s$/u.test(word))
  );
}

const ATTRIBUTES = words('north east size age quick warm first');

function addWord(scan: Scan, word: string, at: number): void {
  const plain = fold(word).replace(/['’]s$/, '');
  const isCapital = /^\p{Lu}/u.test(word);
  const isStart = scan.text.slice(0, at).trim() === '';
  const isRare = scan.language === 'en' && backgroundShare(stem(plain)) === 0;
  const isBeforeName = /^\s\p{Lu}/u.test(scan.text.slice(at + word.length));
  const isName = isCapital && (!isStart || /\p{Lu}/u.test(word.slice(1)) || isRare || isBeforeName);
  // Inside a name a word has no meaning: North Street, Open Society.
  const isInName =
    isName &&
    (scan.language === 'de'
      ? isBeforeName && /^(?:nord|sud|ost|west)/.test(plain)
      : !isStart || isBeforeName);
  const meaning = isInName ? undefined : meaningOf(plain, scan.language);
  if (meaning === undefined) {
    const parts = plain
      .split(/[-_]/)
      .filter((one) => (one.length > 1 || (isName && !isStart)) && !/^\d/.test(one));
    const isVerb = !isName && isVerbHere(scan, word);
    if (isVerb || (scan.language === 'es' && !isName && scan.units.at(-1)?.isName === true && !scan.isLinked))
      breakPhrase(scan);
    for (const key of parts)
      add(scan, {
        word: key,
        key: scan.language === 'en' && (!isName || (isStart && !isBeforeName)) ? stem(regular(key)) : key,
        isName,
        ...(isVerb ? { isVerb } : {}),
        ...(scan.isLinked ? { isOwner: true } : {}),
      });
    if (isVerb) breakPhrase(scan);
    scan.isLinked = false;
  } else if (isThing(meaning.name)) add(scan, { key: `#${meaning.name}` });
  else {
    const isAttribute = ATTRIBUTES.has(meaning.name) && /^\s\p{L}/u.test(scan.text.slice(at + word.length));
    add(scan, {
      key: `#${meaning.name}`,
      meaning,
      word: plain,
      phrase: -scan.units.length - 1,
      ...(isAttribute ? { isAttribute } : {}),
    });
    if (!scan.isLinked) breakPhrase(scan, scan.role === 'agent' ? 'argument' : scan.role);
  }
}

/** `Vertrag von Brenley` is one phrase, `wurde von Brenley` is not. */
const isNounBefore = (text: string, at: number): boolean => /\p{Lu}[\p{L}-]+\s$/u.test(text.slice(0, at));
