import { oneLine } from '../../core/text.ts';
import { monthNumber } from './month-names.ts';
import { plainWords } from './declared-metadata.ts';

/** Words before an author's name, in several languages. */
const PREFIX =
  /^(?:(?:post(?:ed)?|written|published|reported|story|words|article|created|submitted|added|uploaded|veröffentlicht|geschrieben|verfasst|eingestellt|erstellt|gepostet|ein (?:beitrag|artikel|gastbeitrag)|beitrag|publicado|escrito|publié|écrit|proposé|scritto|pubblicato|geplaatst|skrevet|skriven|text|foto|tekst|zeige alle beiträge|view all posts)\s+)?(?:by|about(?: the authors?)?|von|vom|par|por|door|przez|szerző|автор|post author|autor(?:in|en|es|a|e)?|auteur|authors?|författare|forfatter|texte?|testo|texto|tekst|reporter|posted|redaktion|投稿者|著者|作者|文|記者|记者|撰文|編集|编辑|责任编辑|글|기자)[\s:：●]+/i;
/** With a capital letter these begin a family name. */
const SHORT_PREFIX = /^(?:scritto )?(?:di|da|de|av|af|od)\s+(?=\p{Lu})/u;

/** Where a name ends and something else begins: a date, a role, a category, an address. */
const END =
  /\s*(?:[|•·●│→»\n]|\s[–—-]\s|\s\/\s|,?\s(?:on|am|um|at|le|el|il|dne|den|is|ist|in)\s|\s[Ee]dited by|\s\S+@\S+|\shttps?:|\s\d|,\s*(?:\d|[Uu]pdated|[Pp]ublished)).*$/s;

/** Roles and workplaces, which are not names. */
const ROLE =
  /\b(editors?|reporter|correspondent|writer|journalist|redakteur\w*|redaktör|rédact\w+|redactor\w*|redattor\w*|contributor|columnist|professor\w*|producer|chief|staff|bureau|twitter|facebook|instagram|follow|contact|email|(?:co-?)?founder|ceo|cto|cfo|president|director|manager|expert|specialist|educators?|horticultur\w+|astrologer|reviewer|analyst|consultant|attorney|strategist|researcher|engineer|developer|instructor|nutritionist|dietitian|blogger|copywriter)\b/i;
/** A role right after a full name, as pages show it that set it apart by style alone. */
const ROLE_AFTER =
  /^((?:\p{Lu}[\p{L}\p{M}.'’-]*\s+){2,3})(?:Senior |Lead |Staff |Managing |Contributing |Chief )*(?:(?:Co-?)?Founder|CEO|CTO|President|Director|Manager|Editor|Reporter|Correspondent|Writer|Journalist|Columnist|Contributor|Specialist|Reviewer|Analyst|Consultant|Gardener|Astrologer|Researcher|Engineer|Developer)(?:\s.*)?$/u;

/** Placeholders of forms and labels of comments, which are not names. */
const NO_NAME =
  /^(name|your name|nom|nombre|nome|author|autor|autorin|von|by|e-?mail|website|admin|administrator|root|webmaster|unknown|anonymous|anonym|guest|gast|about the authors?|about|share|print|drucken|teilen|comments?|kommentare?|null|undefined|editor|user|no author|n\/a|autoreninfo|(?:the|this|our) (?:authors?|editors?|team|staff)|team|staff)\b[\s*:]*(\(.*\))?$/i;
const DEGREE = /^(ph\.?d|m\.?d|m\.?s|r\.?d|m\.?p\.?h|m\.?b\.?a|esq|jr|sr)\.?$/i;
const PLACE =
  /^(publi\w+|posted|submitted|geschrieben|veröffentlicht|erstellt|zum inhalt|skip to|jump to|interview|foto|photo|фото|bild)\b/i;
const SPEAKING = /(\b(says?|said|sagt|sagte|schreibt|meint|wrote|dice|dit|писал\w*)\s*:?|:)$/i;

const PRICE = /[$€£] ?\d/;

const TEXT_CHARS_MAX = 2_000;
const NAME_CHARS_MAX = 80;
const NAME_WORDS_MAX = 8;
const NAMES_MAX = 20;

/** Reads the names in a byline. */
export function readPeople(text: string): string[] {
  const line = oneLine(firstLine(text.slice(0, TEXT_CHARS_MAX).trim()));
  if (PRICE.test(line)) return [];
  const names = cutDate(stripPrefix(line.replace(/^\[(.*)\]$/, '$1'))).replace(END, '');
  const parts = names
    .split(/\s*[,;、，]\s*|\s+(?:and|und|et|y|&)\s+(?=\p{L})/iu)
    .map(cleanName)
    .filter(
      (name, index, all) => index === 0 || !(isRole(name) || (isRole(all[index + 1]) && !name.includes(' '))),
    );
  return distinct(parts.filter(isName));
}

const isRole = (name: string | undefined): boolean =>
  name !== undefined && (ROLE.test(name) || DEGREE.test(name));

/** The line with the name: the second if the first is only `By`. */
function firstLine(text: string): string {
  const [first = '', second = ''] = text.split(/\s*\n\s*/, 2);
  return stripPrefix(`${first} `).trim() === '' ? `${first} ${second}` : first;
}

/** Reads a single name from structured data. */
export const readPerson = (text: string): string[] => {
  const name = cleanName(stripPrefix(oneLine(text.slice(0, TEXT_CHARS_MAX))));
  return isName(name) ? [name] : [];
};

const FULL_NAMES =
  /^(?:\p{Lu}[\p{L}\p{M}.'’-]*\s+(?:(?:von|van|der|de|la|di|da|el|al|bin|ter)\s+)*){1,4}\p{Lu}[\p{L}\p{M}.'’-]+(?=$|\s*[,|•·(–—/\n]|\s+(?:and|und|et|y|on|am|le|el|\d))/u;

/** Whether a line begins with the word for an author and at least two words with capital letters. */
export function isByline(text: string): boolean {
  const rest = stripPrefix(text);
  return rest !== text.trim() && FULL_NAMES.test(rest);
}

export function distinct(names: string[]): string[] {
  const found = new Map<string, string>();
  for (const name of names) {
    const plain = plainWords(name);
    if (plain !== '' && !found.has(plain)) found.set(plain, name);
  }
  return [...found.values()].slice(0, NAMES_MAX);
}

/** `Jane Doe March 3` → `Jane Doe`. */
function cutDate(text: string): string {
  const match = /(?:^|[\s,]+)(\p{L}{3,12})\.?,?\s+\d/u.exec(text);
  return match !== null && monthNumber(match[1] as string, undefined) > 0 ? text.slice(0, match.index) : text;
}

function stripPrefix(text: string): string {
  // Pages set the word apart by style alone.
  let rest = text.trim().replace(/^By(?=\p{Lu}\p{Ll})/u, '');
  for (let round = 0; round < 2; round++) rest = rest.replace(PREFIX, '').replace(SHORT_PREFIX, '');
  return rest;
}

const cleanName = (name: string): string =>
  name
    .replace(/\s*(?:\([^)]*\)|\[[^\]]*\])/g, '')
    .replace(/\s*[([].*$/, '')
    .replace(/\s*(?:Twitter|Facebook|Instagram|LinkedIn|Follow)$/, '')
    .replace(ROLE_AFTER, '$1')
    .replace(/^[\s@*.:,–—-]+(?=\p{L})|[\s*:,–—-]+$/gu, '')
    .trim();

function isName(name: string): boolean {
  if (name.length < 2 || name.length > NAME_CHARS_MAX || !/\p{L}{2}|\p{Script=Han}/u.test(name)) return false;
  if (
    NO_NAME.test(name) ||
    PLACE.test(name) ||
    SPEAKING.test(name) ||
    /[?!…]|https?:|www\.|\S@\S|\d{4}/.test(name)
  )
    return false;
  const words = name.split(/\s+/);
  return words.length <= NAME_WORDS_MAX && !isSentence(words);
}

/** Words that are written small within a name. */
const SMALL = new Set(
  'von van der den de la le las los del di da do dos das du el al bin ben ter te zu zur und and et y e of for the with to at in from d'.split(
    ' ',
  ),
);

/** Whether words are a sentence or a request, such as `Ann graduated from a school`: some are written small that are not in names. */
function isSentence(words: string[]): boolean {
  if (words.length < 4 || !/^\p{Lu}/u.test(words[0] ?? '')) return false;
  const small = words.filter((word) => /^\p{Ll}+$/u.test(word));
  return (
    small.filter((word) => !SMALL.has(word)).length > 1 ||
    (small.length > 3 && small.length > words.length / 2)
  );
}
