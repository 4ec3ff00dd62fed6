import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../core/limits.ts';
import { extractHtml } from '../html.ts';
import type { Metadata } from './metadata.ts';
import { countCpu } from '../../../tests/support/cpu-time.ts';
import { sized } from '../../../tests/support/sized.ts';

const sentence =
  'The river rose by two metres in a single night, and the gate at the mill held, as it had for a hundred years. ';
const text = `<p>${sentence.repeat(2)}</p>`.repeat(4);

interface Page {
  head?: string;
  body?: string;
  lang?: string;
  url?: string;
}

const read = ({ head = '', body = '', lang = 'en', url }: Page): Metadata =>
  extractHtml(
    `<!doctype html><html lang="${lang}"><head>${head}</head><body><main>${body}${text}</main></body></html>`,
    url === undefined ? {} : { url },
  );
const linked = (data: unknown): string =>
  `<script type="application/ld+json">${JSON.stringify(data)}</script>`;

describe('the title', () => {
  const cases: [string, string, Page][] = [
    [
      'is the heading of the article, not the one with the name of the site',
      'Scissors (3)',
      {
        head: '<title>Scissors (3) | Paper and more</title><meta property="og:site_name" content="Paper and more">',
        body: '<h1>Paper and more</h1><h2>Scissors (3)</h2>',
      },
    ],
    [
      'is what readers see where search engines are told other words',
      'The gate held through the night',
      {
        head: '<title>Flood: gate held at night</title><meta property="og:title" content="Mill flood: the gate held the night">',
        body: '<h1>The gate held through the night</h1>',
      },
    ],
    [
      'loses the name of the site also without a heading',
      'The mill',
      {
        head: '<title>The mill - Valley News</title><meta property="og:title" content="The mill - Valley News"><meta property="og:site_name" content="Valley News">',
      },
    ],
    [
      'loses the name of the host',
      'The mill',
      { head: '<title>The mill – Valley News</title>', url: 'https://www.valleynews.example/mill' },
    ],
    [
      'leaves out the line above the headline in one heading',
      'The gate held all night',
      {
        head: '<title>The gate held all night</title>',
        body: '<h1><span>Flood in the valley</span><span>The gate held all night</span></h1>',
      },
    ],
    [
      'keeps what a heading shares nothing with',
      'Opening hours of the mill',
      { head: '<title>Opening hours of the mill</title>', body: '<h1>Welcome!</h1>' },
    ],
    ...[
      ['Mills of the valley', 'Mills of the valley | RiverPost', 'https://www.riverpost.example/mills'],
      [
        'Mills of the valley',
        'Mills of the valley - Riverpost App Store',
        'https://apps.riverpost.example/mills',
      ],
      ['Mills – Riverpost as a paper?', 'Mills – Riverpost as a paper?', 'https://riverpost.example/mills'],
    ].map(([title = '', whole = '', url = '']): [string, string, Page] => [
      `has no name of the site after it that is known from the host: ${whole}`,
      title,
      { head: `<title>${whole}</title>`, url },
    ]),
    [
      'has no part of the name of the site after it',
      'Mats for your home',
      {
        head: '<title>Mats for your home - Gorilla Mats</title><meta property="og:site_name" content="Yo Gorilla Mats">',
      },
    ],
  ];
  test.each(cases)('%s', (_, title, page) => expect(read(page).title).toBe(title));
});

describe('the byline', () => {
  const cases: [string, string | undefined, Page][] = [
    [
      'lists every author of JSON-LD once',
      'Ann Lee, Bo Sun',
      {
        head: linked({
          '@type': 'NewsArticle',
          author: [{ name: 'Ann Lee' }, { name: 'By Bo Sun' }, 'Ann Lee'],
        }),
      },
    ],
    [
      'follows an author who is only pointed to',
      'Ann Lee',
      {
        head: linked({
          '@graph': [
            { '@type': 'Article', author: { '@id': '#ann' } },
            { '@type': 'Person', '@id': '#ann', name: 'Ann Lee' },
          ],
        }),
      },
    ],
    [
      'is of the person on the page rather than of the site itself',
      'Ann Lee',
      {
        head: `<meta property="og:site_name" content="Valley News">${linked({ '@type': 'NewsArticle', author: { name: 'Valley News' } })}`,
        body: '<h1>The mill</h1><p class="byline">By <a rel="author" href="/ann">Ann Lee</a> | 3 March 2026 | 4 comments</p>',
      },
    ],
    [
      'is of the site when nobody else is named',
      'Valley News',
      { head: linked({ '@type': 'NewsArticle', author: { name: 'Valley News' }, publisher: 'Valley News' }) },
    ],
    [
      'is no address, no handle of a network and no number',
      'Ann Lee',
      {
        head: '<meta property="article:author" content="https://face.example/ann"><meta name="author" content="105092"><meta name="dc.creator" content="Ann Lee">',
      },
    ],
    [
      'takes several tags as several authors, and turns names of citations round',
      'Ann Lee, Bo Sun',
      {
        head: '<meta name="citation_author" content="Lee, Ann"><meta name="citation_author" content="Sun, Bo">',
      },
    ],
    [
      'is not who wrote a comment, nor the label of a form',
      undefined,
      {
        body: `<h1>The mill</h1>${text}<ol class="comment-list"><li class="comment-author">Bo says:</li></ol><form><p class="comment-form-author"><label>Name *</label></p></form>`,
      },
    ],
    [
      'is not who reviewed a product',
      undefined,
      {
        head: linked({
          '@type': 'Product',
          name: 'Wheel',
          review: { '@type': 'Review', author: { name: 'Bo' } },
        }),
      },
    ],
    [
      'is not who reviewed anything else',
      undefined,
      {
        head: linked({
          '@type': 'SoftwareApplication',
          review: [{ '@type': 'Review', author: { name: 'Bo Sun' } }],
        }),
      },
    ],
    [
      'is whom a review of a product names',
      'Bo Sun',
      {
        head: linked({ '@type': 'Review', itemReviewed: { '@type': 'Product', offers: { price: 5 } } }),
        body: '<h1>The mill</h1><p class="author">Bo Sun</p>',
      },
    ],
    [
      'is not who wrote a review on the page',
      undefined,
      {
        body: `<h1>The mill</h1>${text}<div class="review-card__author"><span>Bo Sun</span></div>${text}`,
      },
    ],
    [
      'is not who wrote one of a list of reviews',
      undefined,
      {
        body: `<h1>The mill</h1>${text}<div id="reviews"><p class="author">Bo Sun</p></div>${text}`,
      },
    ],
    [
      'is who wrote the page beside its heading, also where it is a review',
      'Bo Sun',
      { body: '<h1>The mill</h1><div class="review-meta"><p class="author">Bo Sun</p></div>' },
    ],
    [
      'is who wrote a page that somebody else checked',
      'Bo Sun',
      {
        body: `<h1>The mill</h1>${text}<div class="reviewed-by"><p class="author">Bo Sun</p></div>`,
      },
    ],
    [
      'is not who praised a service, even beside the heading',
      undefined,
      {
        body: '<h1>The mill</h1><div class="testimonials"><p class="author">Bo Sun</p></div>',
      },
    ],
    [
      'is not who is quoted',
      undefined,
      { body: '<h1>The mill</h1><blockquote>It held.<p class="byline">Bo Sun</p></blockquote>' },
    ],
    [
      'is nobody on a page that calls itself a product',
      undefined,
      {
        head: '<meta property="og:type" content="product"><meta itemprop="author" content="guitar_00">',
        body: '<h1>The wheel</h1><p class="author">Bo Sun</p>',
      },
    ],
    [
      'is nobody on a page whose data sells a product',
      undefined,
      {
        head: linked({ '@type': 'Product', name: 'Wheel', offers: { price: 5 } }),
        body: '<h1>The wheel</h1><p class="author">Bo Sun</p>',
      },
    ],
    [
      'is whom an article about a product names',
      'Bo Sun',
      {
        head: `<meta property="og:type" content="article">${linked({ '@type': 'Product', name: 'Wheel', offers: { price: 5 } })}`,
        body: '<h1>The wheel</h1><p class="author">Bo Sun</p>',
      },
    ],
    [
      'is none where a class says that there is none',
      undefined,
      { body: '<h1>The mill</h1><div class="post-meta-detail no-byline"><a href="/">Home</a></div>' },
    ],
    [
      'is no price',
      undefined,
      { body: '<h1>The mill</h1><p class="pricing-byline">billed annually, or $50/mo billed monthly</p>' },
    ],
    [
      'leaves out date, role and degree',
      'Ann Lee, Bo Sun',
      {
        body: '<h1>The mill</h1><div class="author">Written by Ann Lee, PhD, Bo Sun, Staff Writer, March 3, 2026</div>',
      },
    ],
    [
      'knows the words before a name in other languages',
      'Änne Groß',
      {
        lang: 'de',
        body: '<h1>Die Mühle</h1><div class="author">Veröffentlicht von Änne Groß am 3. März</div>',
      },
    ],
    [
      'keeps a second name and leaves out what stands in brackets',
      'Amanda "Tania" Tan, Bruno Zecchin Rodrigues',
      {
        head: '<meta name="author" content="Amanda &quot;Tania&quot; Tan (att), Bruno (Henrique) Zecchin Rodrigues">',
      },
    ],
    [
      'is read from a plain line below the headline',
      'Ann von der Lee, Bo Sun',
      { body: '<h1>The mill</h1><p>Valley</p><p>By Ann von der Lee and Bo Sun, Valley desk editor</p>' },
    ],
    [
      'is no sentence that begins with the same word',
      undefined,
      { body: '<h1>The mill</h1><p>By Monday the water had gone.</p>' },
    ],
    [
      'is found where the class is not English',
      'Änne Groß',
      { lang: 'de', body: '<h1>Die Mühle</h1><div class="artikel-autor">Änne Groß</div>' },
    ],
    [
      'takes names with small words in them whole',
      'Mohamed El Sayed',
      { body: '<h1>The mill</h1><div class="author">By Mohamed El Sayed</div>' },
    ],
    ...[
      ['Ann Lee', 'Ann Lee, CEO of Millworks'],
      ['Ann Lee', 'Ann Lee Founder, Lead Reviewer'],
      ['Ann Lee', 'Ann Lee, Privacy, Digital Security Expert'],
      ['Ann Lee, Bo Sun', 'Authors: Ann Lee, Bo Sun, Extension educators'],
      [undefined, 'Ann graduated from the school of mills with a degree'],
      [undefined, 'Learn more about our contributors'],
      [undefined, 'the Author'],
      ['Maria de la Cruz', 'Maria de la Cruz'],
      ['Center for Mills', 'Center for Mills'],
    ].map(([byline, shown = '']): [string, string | undefined, Page] => [
      `has names, without roles and sentences: ${shown}`,
      byline,
      { body: `<h1>The mill</h1><div class="author">${shown}</div>` },
    ]),
  ];
  test.each(cases)('%s', (_, byline, page) => expect(read(page).byline).toBe(byline));
});

describe('the date of publication', () => {
  const cases: [string, string | undefined, Page][] = [
    [
      'keeps its zone, so that its day is the one that readers saw',
      '2026-03-01T00:30:00+02:00',
      { head: '<meta property="article:published_time" content="2026-03-01T00:30:00.000+0200">' },
    ],
    [
      'stays a day when it was one',
      '2026-03-01',
      { head: linked([{ '@graph': [{ '@type': ['NewsArticle'], datePublished: '2026-03-01' }] }]) },
    ],
    [
      'is refused when no calendar has it, and the next one is taken',
      '2026-03-01',
      {
        head: '<meta property="article:published_time" content="0001-01-01T00:00:00Z"><meta name="date" content="1970-01-01"><meta name="pubdate" content="2026-02-30"><meta name="dc.date" content="2026-03-01">',
      },
    ],
    [
      'is the time beside the heading, not that of a teaser or a comment',
      '2026-03-01T10:00:00Z',
      {
        body: `<div class="related-posts"><time datetime="2020-01-01">1 Jan</time></div><article><h1>The mill</h1><time datetime="2026-03-01T10:00:00Z">1 March</time>${text}</article><div class="comments"><time datetime="2026-05-05">5 May</time></div>`,
      },
    ],
    [
      'is read from the words of the page in its language',
      '2026-03-01',
      { lang: 'ru', body: '<h1>Мельница</h1><p class="date">1 марта 2026 г.</p>' },
    ],
    [
      'is read from the words beside the heading without a mark',
      '2026-03-01',
      { lang: 'de-AT', body: '<h1>Die Mühle</h1><p>Wien, 1. März 2026</p>' },
    ],
    ['is read in Japanese', '2026-03-01', { lang: 'ja', body: '<h1>水車</h1><p>公開日：2026年3月1日</p>' }],
    [
      'is the day in the address when nothing else is said',
      '2026-03-01',
      { url: 'https://news.example/2026/03/01/the-mill.html', body: '<h1>The mill</h1>' },
    ],
    [
      'is the moment on the page that the address confirms',
      '2026-03-01T10:00:00Z',
      {
        url: 'https://news.example/2026/03/01/the-mill.html',
        body: '<h1>The mill</h1><time datetime="2019-05-05">old</time><time datetime="2026-03-01T10:00:00Z">new</time>',
      },
    ],
    [
      'is none when figures could be read in two ways',
      undefined,
      { body: '<h1>The mill</h1><p class="date">03/04/2026</p>' },
    ],
    [
      'is none of the facts about somebody',
      undefined,
      { body: '<h1>Ann Lee</h1><table><tr><th>Born<td>1 March 1926</table>' },
    ],
  ];
  test.each(cases)('%s', (_, publishedDate, page) => expect(read(page).publishedDate).toBe(publishedDate));

  test('a change before the publication is none', () => {
    const dates = (modified: string): Metadata =>
      read({
        head: `<meta property="article:published_time" content="2026-03-02T10:00:00Z"><meta property="article:modified_time" content="${modified}">`,
      });
    expect(dates('2026-03-01T10:00:00Z').modifiedDate).toBeUndefined();
    expect(dates('2026-03-02').modifiedDate).toBe('2026-03-02');
    expect(dates('2026-03-02T12:30:00+02:00').modifiedDate).toBe('2026-03-02T12:30:00+02:00');
  });
});

describe('other fields', () => {
  test.each([
    ['comments of a script around it', '//<![CDATA[\n{"@type":"Article","author":"Ann Lee"}\n//]]>'],
    ['commas after the last', '{"@type":"Article","author":["Ann Lee",\n],\n}'],
    ['a semicolon at its end', '{"@type":"Article","author":"Ann Lee"};'],
  ])('JSON-LD with %s is read', (_, data) => {
    expect(read({ head: `<script type="application/ld+json">${data}</script>` }).byline).toBe('Ann Lee');
  });

  test('of several articles the one that the page is called after counts, and a list of others does not', () => {
    const article = (headline: string, author: string): object => ({
      '@type': 'NewsArticle',
      headline,
      author,
      datePublished: '2026-03-01',
    });
    const others = [article('Rain', 'Bo Sun'), article('Wind', 'Cy Fox'), article('Snow', 'Di Elm')];
    const title = '<title>The mill | Valley News</title>';
    expect(
      read({ head: title + linked({ '@graph': [...others, article('The mill', 'Ann Lee')] }) }),
    ).toMatchObject({ title: 'The mill', byline: 'Ann Lee' });
    const front = read({ head: title + linked({ '@graph': others }) });
    expect([front.title, front.byline, front.publishedDate]).toEqual([
      'The mill | Valley News',
      undefined,
      undefined,
    ]);
  });

  test('a tag with several names is read under each, and a list of languages by its first', () => {
    const found = read({
      lang: '',
      head: '<meta property="dc:title og:site_name" content="Valley News"><meta property="og:description" name="description" content="About a mill."><meta http-equiv="content-language" content="pt_BR, en">',
    });
    expect(found).toMatchObject({ siteName: 'Valley News', description: 'About a mill.', language: 'pt-BR' });
  });

  test('a language that is none does no harm', () => {
    expect(
      read({ lang: 'xx-yyyyyyyy-a', body: '<h1>The mill</h1><p class="date">1 March 2026</p>' })
        .publishedDate,
    ).toBe('2026-03-01');
  });

  test('F56: a million tags, names and authors are read within the time of one page', () => {
    const size = sized('tags, names and authors of one page', {
      small: 100_000,
      large: 1_000_000,
      full: 1_000_000,
    });
    const share = size / 1_000_000;
    const many = (one: string, times: number): string => one.repeat(times * share);
    const pages = [
      many(
        '<meta name="author" content="Ann Lee"><meta property="article:published_time" content="x">',
        100_000,
      ),
      linked({
        '@type': 'Article',
        '@id': 'a',
        author: many('Ann Lee, ', 150_000),
        headline: many('mill ', 100_000),
      }),
      linked(
        Array.from({ length: 20_000 * share }, () => ({
          '@type': 'Article',
          '@id': 'a',
          name: 'x',
          author: { '@id': 'a' },
        })),
      ),
      `<title>${many('mill | ', 300_000)}</title><meta property="og:site_name" content="mill">`,
      many('<h2>The mill</h2><time>1 March</time><a rel="author" class="author byline">By</a>', 30_000),
      `<h1>${many('a ', 500_000)}</h1><p class="byline date">${many('By 1. ', 300_000)}</p>`,
    ];
    for (const page of pages) {
      const cpuMs = countCpu();
      const { title } = read({
        head: page.startsWith('<h') ? '' : page,
        body: page.startsWith('<h') ? page : '',
      });
      expect(title.length).toBeLessThanOrEqual(5_000);
      expect(cpuMs()).toBeLessThan(LIMITS.extractTimeoutMs);
    }
  });
});
