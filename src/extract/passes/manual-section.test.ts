import { expect, test } from 'vitest';
import { surveyPage } from '../features/survey.ts';
import { buildTree } from '../parse/tree.ts';
import { comments } from './comments.ts';

const sentence =
  'The river rose by two metres in a single night, and the gate at the mill held, as it had for a hundred years. ';
const text = `<p>${sentence.repeat(3)}</p>`;
const remark = `<p>A remark that starts with a hash: ${sentence}</p>`;

/** What is left of a page without what readers wrote. */
function left(html: string): string {
  const survey = surveyPage(buildTree(html));
  const { blocks } = survey.tree;
  const keep = new Uint8Array(blocks.length).fill(1);
  comments.run({ survey, url: undefined, keep });
  return blocks
    .filter((_, index) => keep[index] === 1)
    .map((block) => block.text)
    .join('\n');
}
const isKept = (section: string): boolean =>
  left(
    `<main><section id="the-language"><h1>The language</h1>${text.repeat(3)}${section}</section></main>`,
  ).includes('A remark');

test.each([
  ['a section', `<section id="comments"><h2>Comments</h2>${remark}</section>`],
  [
    'with a number and a sign',
    `<section id="comments"><h2>2.1. Comments<a href="#c">¶</a></h2>${remark}</section>`,
  ],
  [
    'with code in it',
    `<section id="comments"><h2>Comments</h2>${remark}<pre><code><span class="token comment"># So</span></code></pre></section>`,
  ],
  ['with more words', `<section id="respond-to-comments"><h2>Respond to comments</h2>${remark}</section>`],
  [
    'beside others',
    `<div><div id="names"><h2>Names</h2>${text}</div><div id="comments"><h2>Comments</h2>${remark}</div></div>`,
  ],
  [
    'below another',
    `<section id="comments"><h2>Comments</h2><section id="block-comments"><h3>Block comments</h3>${remark}</section></section>`,
  ],
])('a section of a manual is about comments: %s', (_, section) => {
  expect(isKept(section)).toBe(true);
});

test('so is a heading that has its id from its words', () => {
  const found = left(
    `<main><h2 id="names">Names</h2>${text.repeat(3)}<h2 id="comments">Comments</h2>${remark}</main>`,
  );
  expect(found).toContain('Comments\nA remark');
});

test.each([
  ['WordPress', `<div id="comments" class="comments-area"><h2>Comments</h2>${remark}</div>`],
  ['a list', `<section id="comments"><h2>Comments</h2><ol class="commentlist"><li>${remark}</ol></section>`],
  [
    'each with a number',
    `<section id="comments"><h2>Comments</h2><div id="comment-12">${remark}</div></section>`,
  ],
  [
    'beside the place to answer',
    `<div><div id="comments"><h2>Comments</h2>${remark}</div><div id="respond"><h2>Respond</h2></div></div>`,
  ],
  ['a form', `<section id="comments"><h2>Comments</h2>${remark}<form><p>Write</p></form></section>`],
  ['Disqus', `<div id="disqus_thread"><h2>Comments</h2>${remark}</div>`],
  ['a count', `<section id="comments"><h2>No opinion or 3 comments</h2>${remark}</section>`],
  ['without a heading', `<section id="comments">${remark}</section>`],
  [
    'a page that names nothing else so',
    `<div><div id="aside"><h2>Names</h2>${text}</div><div id="comments"><h2>Comments</h2>${remark}</div></div>`,
  ],
])('what readers wrote still goes: %s', (_, section) => {
  expect(isKept(section)).toBe(false);
});
