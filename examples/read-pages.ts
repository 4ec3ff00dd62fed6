// A page that you already have becomes Markdown; its best passages for a question fit a budget of tokens. No network, no key.
import assert from 'node:assert/strict';
import { extractHtml } from 'headgate/extract';
import { fitText, joinChunks, rankChunks } from 'headgate/rank';

const html = `<html lang="en"><head><title>Tide mills | Mill News</title><meta name="author" content="A. Miller"></head><body>
  <nav><a href="/">Home</a> <a href="/shop">Shop</a></nav>
  <article><h1>Tide mills</h1>
    <p>A tide mill is a water mill that the tide drives: a dam with a sluice keeps the water of the flood for the hours of the ebb.</p>
    <h2>History</h2><p>The oldest one that is known stood at Nendrum, on an island in Strangford Lough, and was built in the year 619.</p>
    <h2>Today</h2><p>Few of them still work; the one at Woodbridge in Suffolk grinds wheat for its visitors, see <a href="/visit">when it is open</a>.</p>
  </article><footer>© 2026 Mill News</footer></body></html>`;

const page = extractHtml(html, { url: 'https://mills.example/tide' });
console.log(`${page.title}, by ${page.byline}\n\n${page.markdown}\n`);
assert.match(page.markdown, /\[when it is open\]\(https:\/\/mills\.example\/visit\)/);
assert.doesNotMatch(page.markdown, /Shop|©/);

const [best] = rankChunks(
  'When was the oldest tide mill built?',
  [{ id: 'tide', title: page.title, content: page.markdown }],
  { chunksPerSource: 1 },
);
const passage = joinChunks(best?.chunks ?? []);
console.log(`Best passage: ${passage}\n`);
assert.match(passage, /619/);

// The pieces put together are the whole text; the cursor leads from one to the next.
let cursor: string | undefined;
let read = '';
do {
  const piece = await fitText(page.markdown, { tokensMax: 60, cursor });
  console.log(`${piece.text.length} characters; about ${piece.remainingTokens} tokens follow`);
  read += piece.text;
  cursor = piece.cursor;
} while (cursor !== undefined);
assert.equal(read, page.markdown);
