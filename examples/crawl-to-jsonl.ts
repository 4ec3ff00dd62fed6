// A site as JSON Lines, one page per line, for an index or a training set. The cursor continues where a limit stopped the crawl.
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHeadgate } from 'headgate';
import { startWorld } from './world.ts';

const world = await startWorld();
const web = createHeadgate({ env: world.env, home: world.home });
const file = join(world.home, 'site.jsonl');
try {
  let cursor: string | undefined;
  do {
    const answer = await web.crawl({
      url: `${world.url}/web/`,
      limit: 2,
      max_depth: 3,
      ...(cursor && { cursor }),
    });
    for (const { url, raw_content: text } of answer.results)
      appendFileSync(file, `${JSON.stringify({ url, text })}\n`);
    cursor = answer.cursor;
  } while (cursor !== undefined);

  const pages = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { url: string; text: string });
  for (const { url, text } of pages) console.log(`${url}  ${text.length} characters`);
  assert.ok(pages.length >= 4);
  assert.equal(new Set(pages.map(({ url }) => url)).size, pages.length);
  // robots.txt forbids it, so it is not there.
  assert.ok(!pages.some(({ url }) => url.includes('/private/')));
} finally {
  await web.close();
  await world.end();
}
