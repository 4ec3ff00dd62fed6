import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';

export interface BenchmarkPage {
  id: string;
  set: string;
  type: string;
  url: string;
  html: string;
  gold?: string;
  with?: string[];
  without?: string[];
}

/** The development data lies beside the repository, or beside the folder of its worktrees; it is never a part of it. */
export function dataFolder(given: string | undefined): string | undefined {
  const root = join(import.meta.dirname, '../..');
  const places = [
    given,
    join(root, '../shared/corpora/extraction'),
    join(root, '../../shared/corpora/extraction'),
  ];
  return places.find((place) => place !== undefined && existsSync(join(place, 'wcxb-dev.jsonl.gz')));
}

/** Every `step`-th page of a set, from the `first` on, so that a small run still sees all page types. */
export async function readPages(
  folder: string,
  set: string,
  step: number,
  first = 0,
): Promise<BenchmarkPage[]> {
  const input = createReadStream(join(folder, `${set}.jsonl.gz`)).pipe(createGunzip());
  const pages: BenchmarkPage[] = [];
  let number = 0;
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    if (line === '' || number++ % step !== first) continue;
    const page = JSON.parse(line) as BenchmarkPage;
    // Strings from a parser may be shared or two-byte; a copy is what a fetch would give.
    page.html = Buffer.from(page.html).toString();
    pages.push(page);
  }
  return pages;
}

/** Up to 32 HTML files of a folder of documentation, evenly taken. */
export function readDocuments(folder: string): BenchmarkPage[] {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.html'))
    .sort();
  const step = Math.max(1, Math.floor(files.length / 32));
  return files
    .filter((_, index) => index % step === 0)
    .slice(0, 32)
    .map((name) => ({
      id: name,
      set: 'documents',
      type: 'documentation',
      url: `https://docs.example/${name}`,
      html: readFileSync(join(folder, name), 'utf8'),
    }));
}
