import { describe, expect, test } from 'vitest';
import { extractHtml } from '../html.ts';

const url = 'https://example.org/docs/page.html';
const WORDS =
  'The gate lets water from the river into the canal, and measures how much of it there is on every day. ';

const latex = (role: string, mark: string, content: string): string =>
  `<span class="ltx_note ltx_role_${role}" id="f"><sup class="ltx_note_mark">${mark}</sup><span class="ltx_note_outer"><span class="ltx_note_content"><sup class="ltx_note_mark">${mark}</sup>${content}</span></span></span>`;
const TOGGLE = '<input type="checkbox" id="n" class="margin-toggle">';

describe('a note inside a sentence', () => {
  test.each([
    [
      'of LaTeX',
      `wall${latex('footnote', '1', '<span class="ltx_tag ltx_tag_note">1</span>Old.')}, then`,
      'wall (Old.), then',
    ],
    [
      'of LaTeX, only a mark',
      `Ann${latex('footnotemark', '2', '<span class="ltx_note_type">footnotemark: </span><span class="ltx_tag ltx_tag_note">2</span>')}, Bob`,
      'Ann, Bob',
    ],
    [
      'beside the text',
      `wall<label for="n" class="margin-toggle sidenote-number"></label>${TOGGLE}<span class="sidenote">Old.</span> and`,
      'wall (Old.) and',
    ],
    [
      'in the margin, with a sign',
      `wall <label for="n" class="margin-toggle">⊕</label>${TOGGLE}<span class="marginnote">Old.</span> and`,
      'wall (Old.) and',
    ],
    [
      'with a number before it',
      `wall.<label class="footref" for="n">1</label>${TOGGLE}<span class="sidenote"><sup>1</sup> Old.</span> And`,
      'wall. (Old.) And',
    ],
    [
      'with a number in words of its own',
      'wall<small class="side-note"><span class="number">1. </span> Old. </small> and',
      'wall (Old.) and',
    ],
    ['that touches the next word', 'wall.<span class="sidenote">Old.</span>And', 'wall. (Old.) And'],
    ['that is empty', 'wall <span class="sidenote"> </span> and', 'wall and'],
    [
      'that keeps its own numbers',
      'wall<span class="sidenote">10<sup>3</sup> years</span> and',
      'wall (10³ years) and',
    ],
    ['of another kind', 'wall<span class="note-taking">s</span> and', 'walls and'],
  ])('%s', (_, html, expected) => {
    const page = extractHtml(`<article><p>${WORDS}${html} ${WORDS}</p></article>`, { url });
    expect([page.text, page.markdown]).toEqual(Array(2).fill(`${WORDS}${expected} ${WORDS}`.trim()));
  });

  test('is Markdown like the sentence', () => {
    const html = `<p>${WORDS}Walls<span class="sidenote">See <a href="/w"><em>walls</em></a>.</span>.</p>`;
    expect(extractHtml(`<article>${html}</article>`, { url }).markdown).toBe(
      `${WORDS}Walls (See [*walls*](https://example.org/w).).`,
    );
  });
});
