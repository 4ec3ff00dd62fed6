import { describe, expect, test } from 'vitest';
import { extractHtml, htmlToMarkdown, type HtmlOptions } from '../html.ts';

const table = (cells: string): string =>
  `<table><tr><th>Feature<th>Free<th>Pro</tr><tr><td>Sign-on</td>${cells}</tr></table>`;
const lastRow = (html: string, options: HtmlOptions = {}): string =>
  htmlToMarkdown(html, { images: false, ...options })
    .split('\n')
    .at(-1) ?? '';

describe('a cell without text', () => {
  test.each([
    ['an image', '<td><img src=x alt="No"></td><td><img src=c alt="Yes"></td>', 'No | Yes'],
    [
      'an image in a frame',
      '<td><div><picture><img src=x alt="No"></picture></div><td><p><img src=c alt=" Yes  icon ">',
      'No | Yes',
    ],
    [
      'an icon that is told to those who listen',
      '<td><span role="img" aria-label="No"></span><td><i class="fa fa-check" title="Included"></i>',
      'No | Included',
    ],
    [
      'icons of Font Awesome',
      '<td><i class="fa fa-times"></i><td><i class="fa-solid fa-check text-light"></i>',
      '✗ | ✓',
    ],
    ['newer ones', '<td><i class="fas fa-circle-xmark"></i><td><i class="fas fa-check-circle"></i>', '✗ | ✓'],
    [
      'icons of Bootstrap',
      '<td><i class="bi bi-x-lg"></i><td><span class="glyphicon glyphicon-ok"></span>',
      '✗ | ✓',
    ],
    ['icons of a site', '<td><div class="icon-cross"></div><td><div class="checkmark"></div>', '✗ | ✓'],
    [
      'drawings with a name',
      '<td><svg aria-label="No"><path/></svg><td><span><svg><title>Yes &amp; more</title><path/></svg></span>',
      'No | Yes & more',
    ],
    [
      'drawings with a class',
      '<td><svg class="icon-times"/></td><td><svg class="icon-check"></svg>',
      '✗ | ✓',
    ],
    ['other languages and signs', '<td><img alt="Да"><td><img alt="✔">', 'Да | ✔'],
    ['two that say the same', '<td><img alt="No"><img alt="No"><td><img alt="Yes">', 'No | Yes'],
  ])('says what its picture says: %s', (_, cells, said) => {
    expect(lastRow(table(cells))).toBe(`| Sign-on | ${said} |`);
  });

  test.each([
    ['a long description', '<img src=x alt="A gate beside the mill on the river">'],
    ['the name of a file', '<img src=x alt="IMG_12.jpg">'],
    ['a word for what is to be seen', '<img src=x alt="Mill logo">'],
    ['a photograph', '<img src=x alt="Mill" width="320">'],
    ['a link', '<a href="/mill"><img src=x alt="Mill"></a>'],
    ['a button', '<button><i class="fa fa-times"></i></button>'],
    ['a box to tick', '<div class="form-check"><input type="checkbox"></div>'],
    ['a box that is not ticked', '<i class="not-checked"></i>'],
    ['a name for both', '<i class="icon-check icon-times"></i>'],
    ['the name of a font', '<span class="times"></span>'],
    ['stars', '<i class="fa fa-star"></i><i class="fa fa-star-half"></i>'],
    ['what differs', '<img alt="Linux"><img alt="Windows">'],
    ['a gallery', '<i class="fa-check"></i>'.repeat(20)],
    ['what nobody sees', '<div hidden><img src=x alt="Yes"></div>'],
  ])('says nothing by %s', (_, cell) => {
    expect(lastRow(table(`<td>${cell}</td><td>1</td>`))).toBe('| Sign-on |  | 1 |');
  });

  test('says nothing before the first text of its row: frames and galleries stay as they are', () => {
    const gallery = '<table><tr><td><img src=a alt="Mill"><td><img src=b alt="Gate"></table>';
    expect(htmlToMarkdown(gallery, { images: false })).toBe('');
  });

  test('a cell with text says that', () => {
    expect(
      lastRow(table('<td><img src=x alt="No"> never</td><td>Yes <svg aria-label="Yes"/></svg>, soon')),
    ).toBe('| Sign-on | never | Yes , soon |');
  });

  test('an image that is shown is not said twice', () => {
    const cells = '<td><img src="/x.png" alt="No"></td><td><i class="fa-check"></i></td>';
    expect(lastRow(table(cells), { images: true })).toBe('| Sign-on | ![No](/x.png) | ✓ |');
  });

  test('the text of a page says the same as its Markdown', () => {
    const words = '<p>The river rose by two metres in a single night, and the gate at the mill held.</p>';
    const { text } = extractHtml(
      `<main><h1>Plans</h1>${words.repeat(3)}${table('<td><img src=x alt="No"><td><img src=c alt="Yes">')}</main>`,
    );
    expect(text).toContain('Sign-on\tNo\tYes');
  });
});

test.each([
  [
    'in parts of a table',
    '<thead><th>Name</th><th>Price</th></thead><tbody><td>A</td><td>$5</td><tr><td>B</td><td>$6</td></tr></tbody>',
  ],
  ['after a row', '<tr><th>Name<th>Price</tr><td>A</td><td>$5</td></tr><td>B</td><td>$6</td></tr>'],
  ['without a part', '<th>Name<th>Price<tr><td>A<td>$5<tr><td>B<td>$6'],
])('cells without a row make one: %s', (_, rows) => {
  expect(htmlToMarkdown(`<table>${rows}</table>`)).toBe(
    '| Name | Price |\n| --- | --- |\n| A | $5 |\n| B | $6 |',
  );
});

describe('stars without text', () => {
  const article = (stars: string): string =>
    htmlToMarkdown(`<main><h2>Brass lamp</h2><p>Sold by many: ${stars} (170 ratings).</p></main>`);
  test.each([
    ['<span role="img" aria-label="4.5 out of 5 stars"></span>', '4.5 out of 5 stars'],
    ['<i class="stars" aria-label="Rated 3 of 5"><b></b></i>', '*Rated 3 of 5*'],
    ['<span aria-label="4,5 von 5 Sternen">★★★★☆</span>', '★★★★☆ 4,5 von 5 Sternen'],
  ])('have the rating of their label: %s', (stars, said) => {
    expect(article(stars)).toContain(`Sold by many: ${said} (170 ratings).`);
  });

  test.each([
    ['a picture of several', '<span aria-label="Slide 3 of 5"></span>', 'Slide'],
    ['a button', '<span aria-label="Rate this 2 out of 5 stars"></span>', 'out of'],
    ['what says it itself', '<span aria-label="4.5 out of 5 stars">4.5</span>', 'out of'],
    ['what is hidden', '<span aria-label="4.5 out of 5 stars" hidden></span>', 'out of'],
  ])('is no rating: %s', (_name, stars, said) => {
    expect(article(stars)).not.toContain(said);
  });
});
