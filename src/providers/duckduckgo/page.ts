/*
 * Reads DuckDuckGo's pages without scripts: /html/ (one container per result) and /lite/ (rows of one table).
 * What surprised us: POST answers carry plain links, GET answers wrap them in //duckduckgo.com/l/?uddg=…; ads stand first and
 * look like results; the last page ends in a result titled EOF that leads to Google; the no-result notice is itself a
 * result container; "more info" beside a sponsored row of /lite/ has the class of a result link.
 */
import { LIMITS } from '../../core/limits.ts';
import { oneLine, unbrokenLine } from '../../core/text.ts';
import { scanHtml } from '../../extract/parse/scan.ts';
import { TAG, tagFlags } from '../../extract/parse/tags.ts';

export interface PageResult {
  url: string;
  title: string;
  snippet: string;
  /** As printed: ISO 8601 with seven decimals and no time zone. */
  date?: string;
  icon?: string;
}

export interface ResultsPage {
  /** Organic results only, in order. */
  results: PageResult[];
  /** True when the page's own markup says that there are no (more) results. */
  saysNone: boolean;
  /** The number of advertisements and of results that lead to no web page. */
  unusable: number;
  /** True when the list of results is present, even if it is empty. */
  listed: boolean;
  /** True when a robot check or a refusal is shown in place of the results. */
  barred: boolean;
  zeroClick?: string | undefined;
  /** The hidden inputs of the form for the next page, in order. */
  next?: [string, string][];
}

export function readResultsPage(html: string): ResultsPage {
  const reader: Reader = {
    page: { results: [], unusable: 0, saysNone: false, listed: false, barred: false },
    depth: 0,
    captures: [],
  };
  const tags: string[] = [];
  // End tags are looked up in the open ones; a page that is nested deeper is not a results page.
  const isTooDeep = (): boolean => tags.length > LIMITS.htmlDepthMax;
  scanHtml(html, {
    open: (name, attributes) => {
      if (isTooDeep()) return;
      open(reader, name, toRecord(attributes));
      if ((tagFlags(name) & TAG.void) !== 0) close(reader);
      else tags.push(name);
    },
    text: (data) => {
      if (!isTooDeep()) for (const capture of reader.captures) capture.text += data;
    },
    close: (name) => {
      const at = isTooDeep() ? -1 : tags.lastIndexOf(name);
      for (const _ of at < 0 ? [] : tags.splice(at)) close(reader);
    },
    raw: () => undefined,
  });
  finishResult(reader);
  return reader.page;
}

/**
 * The target of a result's link, unwrapped; undefined for an advertisement or anything that is not a web
 * page.
 */
export function targetOf(href: string): string | undefined {
  const link = URL.parse(href.trim(), 'https://duckduckgo.com/');
  const wrapped = link !== null && isDuckDuckGo(link) && /^\/l\/?$/.test(link.pathname);
  const target = wrapped ? URL.parse(link.searchParams.get('uddg') ?? '') : link;
  if (target === null || !/^https?:$/.test(target.protocol)) return undefined;
  const internal = /^\/(y\.js|l\/?)$/.test(target.pathname) || target.searchParams.has('ad_domain');
  return isDuckDuckGo(target) && internal ? undefined : target.href;
}

interface Draft {
  /** The depth of its container; absent on /lite/, where a result ends where the next one begins. */
  depth?: number;
  skipped: boolean;
  href?: string;
  title?: string;
  snippet?: string;
  date?: string;
  icon?: string;
}

interface Reader {
  page: ResultsPage;
  depth: number;
  captures: { depth: number; text: string; done(text: string): void }[];
  draft?: Draft | undefined;
  form?: { depth: number; inputs: [string, string][]; backwards: boolean } | undefined;
  navigationDepth?: number | undefined;
  sponsoredDepth?: number | undefined;
}

type Attributes = Record<string, string>;

/** The first of several attributes with one name counts. */
function toRecord(pairs: string[]): Attributes {
  const record: Attributes = {};
  for (let index = 0; index < pairs.length; index += 2)
    record[pairs[index] as string] ??= pairs[index + 1] ?? '';
  return record;
}

function open(reader: Reader, name: string, attributes: Attributes): void {
  reader.depth += 1;
  const classes = new Set((attributes['class'] ?? '').split(/\s+/));
  noteMarkers(reader, attributes, classes);
  noteForm(reader, name, attributes, classes);
  noteResult(reader, name, classes);
  if (reader.draft !== undefined) noteField(reader, reader.draft, attributes, classes);
}

function close(reader: Reader): void {
  const { depth, form } = reader;
  finishCaptures(reader, depth);
  if (reader.draft?.depth === depth) finishResult(reader);
  if (form?.depth === depth) {
    if (!form.backwards && form.inputs.some(([name]) => name === 'vqd')) reader.page.next = form.inputs;
    reader.form = undefined;
  }
  if (reader.navigationDepth === depth) reader.navigationDepth = undefined;
  if (reader.sponsoredDepth === depth) reader.sponsoredDepth = undefined;
  reader.depth -= 1;
}

const CAPTURES_MAX = 4;
const NONE = ['no-results', 'no-results__message', 'result--no-result'];

/** Recognises robot checks by their structure; their text is translated and changes. */
function noteMarkers(reader: Reader, attributes: Attributes, classes: Set<string>): void {
  const { page } = reader;
  const { id = '', action = '', src = '', href = '' } = attributes;
  if (id === 'links') page.listed = true;
  if (NONE.some((name) => classes.has(name))) page.saysNone = true;
  const challenge =
    id === 'challenge-form' ||
    /\/anomaly\.js\b/.test(`${action} ${src}`) ||
    /\banomaly-modal/.test(attributes['class'] ?? '');
  if (challenge || href.startsWith('mailto:error-lite')) page.barred = true;
  if (id === 'zero_click_abstract') capture(reader, (text) => (page.zeroClick = text || undefined));
}

function noteForm(reader: Reader, name: string, attributes: Attributes, classes: Set<string>): void {
  if (classes.has('nav-link')) reader.navigationDepth = reader.depth;
  const { type, name: field, value = '' } = attributes;
  if (name === 'form' && (reader.navigationDepth !== undefined || classes.has('next_form'))) {
    reader.form = { depth: reader.depth, inputs: [], backwards: false };
  }
  if (name !== 'input' || reader.form === undefined) return;
  if (type === 'submit' && /^(<\s*)?prev/i.test(value)) reader.form.backwards = true;
  if (type === 'hidden' && field !== undefined) reader.form.inputs.push([field, value]);
}

function noteResult(reader: Reader, name: string, classes: Set<string>): void {
  if (classes.has('result-sponsored')) {
    finishResult(reader);
    reader.sponsoredDepth = reader.depth;
  }
  if (name === 'div' && classes.has('result')) {
    finishResult(reader);
    const skipped = classes.has('result--ad') || classes.has('result--no-result');
    reader.draft = { depth: reader.depth, skipped };
  }
  if (name === 'a' && classes.has('result-link')) {
    finishResult(reader);
    reader.draft = { skipped: reader.sponsoredDepth !== undefined };
  }
}

function noteField(reader: Reader, draft: Draft, attributes: Attributes, classes: Set<string>): void {
  const isTitle = classes.has('result__a') || classes.has('result-link');
  if (isTitle && draft.href === undefined && attributes['href'] !== undefined) {
    draft.href = attributes['href'];
    capture(reader, (text) => (draft.title = text));
  }
  if (classes.has('result__snippet') || classes.has('result-snippet')) {
    capture(reader, (text) => (draft.snippet ??= oneLine(text)));
  }
  if (classes.has('result__extras__url') || classes.has('timestamp')) {
    capture(reader, (text) => (draft.date ??= /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?/.exec(text)?.[0]));
  }
  if (classes.has('result__icon__img') && attributes['src'] !== undefined) {
    draft.icon = attributes['src'].replace(/^\/\//, 'https://');
  }
}

/**
 * Collects the text inside the element that was just opened. Nesting is bounded: real pages have two levels.
 */
function capture(reader: Reader, done: (text: string) => void): void {
  if (reader.captures.length < CAPTURES_MAX) reader.captures.push({ depth: reader.depth, text: '', done });
}

function finishCaptures({ captures }: Reader, depth: number): void {
  while ((captures.at(-1)?.depth ?? -1) >= depth) {
    const capture = captures.pop();
    capture?.done(unbrokenLine(capture.text.replace(/[\t\n\f\r ]+/g, ' ')));
  }
}

/** Also called where the next result begins, because a broken page may never close the last one. */
function finishResult(reader: Reader): void {
  const { draft } = reader;
  if (draft !== undefined) finishCaptures(reader, 0);
  reader.draft = undefined;
  if (draft === undefined || draft.href === undefined) return;
  const url = draft.skipped ? undefined : targetOf(draft.href);
  const title = draft.title ?? '';
  if (url === undefined) reader.page.unusable += 1;
  if (url === undefined || (title === 'EOF' && /^https?:\/\/www\.google\.com\/search\?/.test(url))) return;
  const result: PageResult = { url, title, snippet: draft.snippet ?? '' };
  if (draft.date !== undefined) result.date = draft.date;
  if (draft.icon !== undefined) result.icon = draft.icon;
  reader.page.results.push(result);
}

const isDuckDuckGo = (url: URL): boolean => /(^|\.)duckduckgo\.com$/.test(url.hostname);
