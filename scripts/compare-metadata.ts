/**
 * Scores titles, authors and days of publication on pages that people judged: `npx tsx scripts/compare-metadata.ts --from DIR [--with trafilatura] [--show
 * title|people|date]`. DIR holds checkouts of the projects in scripts/metadata/judged-pages.ts; nothing of them is part of this repository. trafilatura is
 * taken from the machine's Python (`PYTHON`, `PYTHONPATH`). `--show` prints what was not right.
 */
import { parseArgs } from 'node:util';
import { startPython } from '../benchmarks/extraction/trafilatura.ts';
import { extractHtml } from '../src/extract.ts';
import { type JudgedPage, readJudged } from './metadata/judged-pages.ts';
import { judgeDate, judgePeople, judgeTitle, type Verdict } from './metadata/verdict.ts';

const { values: flags } = parseArgs({
  options: {
    from: { type: 'string' },
    with: { type: 'string', default: 'headgate' },
    show: { type: 'string' },
  },
});
if (flags.from === undefined) throw new Error('Say where the checkouts are: --from DIR');

interface Found {
  title: string;
  people: string;
  date: string;
}

const FIELDS: Record<keyof Found, (page: JudgedPage, found: Found) => Verdict | undefined> = {
  title: ({ title }, found) => (title === undefined ? undefined : judgeTitle(title, found.title)),
  people: ({ people }, found) => people && judgePeople(people, found.people),
  date: ({ date }, found) => (date === undefined ? undefined : judgeDate(date, found.date)),
};

const SCRIPT = `
import json, logging, sys
from trafilatura.metadata import extract_metadata
logging.disable(logging.CRITICAL)
for line in sys.stdin:
    page = json.loads(line)
    try:
        found = extract_metadata(page["html"], default_url=page.get("url"))
    except Exception:
        found = None
    answer = (found.title, found.author, found.date) if found else (None, None, None)
    print(json.dumps([text or "" for text in answer]), flush=True)
`;
const trafilatura = flags.with === 'trafilatura' ? await startPython(SCRIPT) : undefined;

const tables: Record<keyof Found, Record<string, Record<string, number>>> = {
  title: {},
  people: {},
  date: {},
};
for (const page of readJudged(flags.from)) {
  const found = await read(page);
  for (const [field, judge] of Object.entries(FIELDS) as [keyof Found, typeof FIELDS.title][]) {
    const verdict = judge(page, found);
    if (verdict === undefined) continue;
    const row = (tables[field][page.source] ??= {
      pages: 0,
      right: 0,
      part: 0,
      wrong: 0,
      missing: 0,
      none: 0,
      invented: 0,
    });
    row['pages'] = (row['pages'] ?? 0) + 1;
    row[verdict] = (row[verdict] ?? 0) + 1;
    if (flags.show === field && verdict !== 'right' && verdict !== 'none')
      console.log(
        `${verdict}\t${page.source}/${page.id}\n\t${JSON.stringify(page[field])}\n\t${found[field]}`,
      );
  }
}
await trafilatura?.stop();
for (const [field, table] of Object.entries(tables)) {
  console.log(`${flags.with}: ${field}`);
  console.table(table);
}

async function read({ html, url }: JudgedPage): Promise<Found> {
  if (trafilatura !== undefined) {
    const [title, people, date] = (await trafilatura.ask({ html, url })) as [string, string, string];
    return { title, people, date };
  }
  const { title, byline = '', publishedDate = '' } = extractHtml(html, url === undefined ? {} : { url });
  return { title, people: byline, date: publishedDate };
}
