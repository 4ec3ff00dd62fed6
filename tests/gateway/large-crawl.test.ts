import { afterAll, describe, expect, test } from 'vitest';
import { crawlManyPages } from '../support/gateway/large-crawl.ts';
import { sayNotRun } from '../support/not-run.ts';
import { startPostgres } from '../support/postgres.ts';
import { sized, testSize } from '../support/sized.ts';

/** In a small run `several-gateways.test.ts` crawls a few pages without processes. */
const isSmall = testSize() === 'small';
if (isSmall) sayNotRun('a crawl of many pages by gateway processes', 'HEADGATE_TEST_SIZE=large');
const postgres = isSmall ? undefined : await startPostgres();
const PAGES = sized('pages of a large crawl', { small: 0, large: 2_000, full: 1_000_000 });
/** A process takes more memory until its code is compiled and its caches are filled. */
const GROWTH = testSize() === 'full' ? 1.25 : 2;

describe.skipIf(postgres === undefined)('a large crawl', () => {
  afterAll(() => postgres?.stop());

  test(
    'memory stays flat, and no page is lost or read twice when a gateway is killed',
    { timeout: 12 * 3_600_000 },
    async () => {
      const storeUrl = (await postgres?.freshUrl()) ?? '';
      const { samples, ...crawled } = await crawlManyPages(PAGES, {
        storeUrl,
        gateways: testSize() === 'full' ? 4 : 2,
        say: (line) => void process.stderr.write(`${line}\n`),
      });
      expect(crawled).toMatchObject({ pages: PAGES, skipped: 0, distinct: PAGES });
      const [first, last] = [samples[0], samples.at(-1)];
      expect(last?.rss_mib).toBeLessThan((first?.rss_mib ?? 0) * GROWTH);
    },
  );
});
