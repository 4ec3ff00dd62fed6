/**
 * Groups of words in class, id, itemprop and role that tell what an element is for. The position of a group
 * is its bit.
 */
const GROUPS: [string, RegExp][] = [
  ['navigation', /^nav|navbar|navigation|menu|topbar|megamenu|^tabs?$|tablist/],
  ['header', /header|masthead|^banner|topbar|^top$/],
  ['footer', /footer|^foot$|colophon|copyright|legal|bottombar/],
  ['sidebar', /sidebar|^aside|^rail|sidenav|complementary|widget|^secondary|^right$|^left$/],
  ['comment', /comment|disqus|respond|reply|replies|livefyre/],
  ['share', /^shar|social|facebook|twitter|whatsapp|pinterest|linkedin|follow|addthis/],
  [
    'related',
    /relat|recommend|suggest|similar|^more$|morefrom|readmore|outbrain|taboola|trending|popular|mostread|alsolike|^next$|^prev|pagination|pager|upnext|teaser/,
  ],
  ['ads', /^ads?$|advert|sponsor|promo|adsense|^dfp|^gpt|doubleclick|banner|billboard/],
  ['newsletter', /newsletter|subscri|signup|^sign|optin|mailchimp|paywall|^cta|calltoaction|login|register/],
  ['cookie', /cookie|consent|gdpr|modal|popup|overlay|lightbox|dialog|toast|^alert/],
  [
    'meta',
    /^meta|byline|author|^date|^time|timestamp|publish|dateline|^info$|postedon|credit|tagline|^tags?$|taglist|categor|kicker|eyebrow/,
  ],
  [
    'content',
    /content|^body|^text|^entry|articlebody|^copy$|richtext|^prose|^rte$|wysiwyg|markdown|storybody|maintext|description|articletext/,
  ],
  ['docs', /^docs?$|document|^api|manual|reference|readme|guide|wiki|theme-doc/],
  ['thread', /thread|topic|^posts?$|forum|message|question|answer|discussion|bbs|cooked|reply|conversation/],
  ['product', /product|price|^sku|addtocart|^buy|spec|variant|rating|review/],
  ['card', /^cards?$|^tile|^item|grid|^list$|^col$|carousel|slider|swiper|slick|gallery/],
  [
    'hero',
    /hero|jumbotron|headline|^title|heading|^lead$|standfirst|subtitle|^dek$|summary|excerpt|abstract/,
  ],
  ['toc', /^toc|tableofcontents|^contents$|onthispage|jumplinks|anchorlinks/],
  ['caption', /caption|^figure|^image|^photo|^media$|credit|thumb/],
  [
    'hidden',
    /hidden|^hide|srOnly|^sr$|visuallyhidden|screenreader|collapse|offscreen|noprint|invisible|^only$/i,
  ],
  ['search', /search|filter|facet|^sort|refine/],
  ['breadcrumb', /breadcrumb|crumb/],
  ['main', /^main|^article|^primary|^story|^page$|^single/],
  ['wrapper', /wrap|container|^inner|^outer|layout|^row$|^section|elementor|^wp$/],
  ['faq', /^faq|accordion|toggle|^tabs?$|panel|expand/],
  ['table', /^table|^code|highlight|^pre$|syntax|snippet/],
  ['marked', /^micro(article|text|description)/],
];

const ANY_GROUP = new RegExp(GROUPS.map(([, pattern]) => pattern.source).join('|'), 'i');

export const GROUP_NAMES = GROUPS.map(([name]) => name);

/** The bit of a group, for rules that name one. */
export const groupBit = (name: string): number => {
  const index = GROUPS.findIndex(([group]) => group === name);
  if (index < 0) throw new RangeError(`No class group is called ${name}.`);
  return 1 << index;
};

const VALUE_CHARS_MAX = 400;
const WORDS_MAX = 50_000;
// The same few thousand words make up most class names of the web, so each is matched once.
const knownWords = new Map<string, number>();

/** A class, id, itemprop or role: its distinct words and the groups that they belong to. */
export interface Names {
  words: string[];
  groups: number;
  /** Its index among the names of the page. */
  order: number;
  isEmpty: boolean;
}

/** Creates a reader of names with a cache. One per page, because pages repeat their names. */
export function createNamesReader(): (names: string) => Names {
  const known = new Map<string, Names>();
  return (names) => {
    let found = known.get(names);
    if (found === undefined) {
      const words = namesToWords(names);
      let groups = 0;
      for (const word of words) groups |= groupsOfWord(word);
      found = { words, groups, order: known.size, isEmpty: names === '' };
      known.set(names, found);
    }
    return found;
  };
}

/**
 * `postBody-meta entry` → post, body, postbody, meta, bodymeta, entry: single words and neighbours inside one name, each once. Names are a
 * good part of a page, so this reads them by character.
 */
function namesToWords(names: string): string[] {
  const words: string[] = [];
  const end = Math.min(names.length, VALUE_CHARS_MAX);
  let previous = '';
  let start = -1;
  for (let index = 0; index <= end; index++) {
    const code = index < end ? names.charCodeAt(index) : SPACE;
    const isUpper = code >= 65 && code <= 90;
    const isLetter = isUpper || (code >= 97 && code <= 122);
    const isHump = isUpper && start >= 0 && names.charCodeAt(index - 1) >= 97;
    if (start >= 0 && (!isLetter || isHump)) {
      if (index - start > 1) previous = addWord(words, names.slice(start, index).toLowerCase(), previous);
      start = -1;
    }
    if (isLetter && start < 0) start = index;
    if (!isLetter && ENDS_NAME.has(code)) previous = '';
  }
  return words;
}

const SPACE = 32;
/** White space and the characters `:`, `/`, `[` and `]`, which utility classes are full of. */
const ENDS_NAME = new Set([9, 10, 12, 13, SPACE, 0x3a, 0x2f, 0x5b, 0x5d]);

function addWord(words: string[], word: string, previous: string): string {
  if (!words.includes(word)) words.push(word);
  if (previous !== '' && !words.includes(previous + word)) words.push(previous + word);
  return word;
}

function groupsOfWord(word: string): number {
  const found = knownWords.get(word);
  if (found !== undefined) return found;
  let bits = 0;
  if (ANY_GROUP.test(word))
    for (const [index, [, pattern]] of GROUPS.entries()) if (pattern.test(word)) bits |= 1 << index;
  if (knownWords.size >= WORDS_MAX) knownWords.clear();
  // A slice of the page would keep the whole page in memory; this copies the word.
  knownWords.set(` ${word}`.slice(1), bits);
  return bits;
}
