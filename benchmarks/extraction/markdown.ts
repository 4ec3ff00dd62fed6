import { CONVERTERS } from './libraries.ts';
import type { BenchmarkPage } from './pages.ts';
import { compareStructures, type StructureScores } from './structure.ts';

interface ConverterRow extends StructureScores {
  name: string;
  cpuMs: number;
}

/** Writes documents as Markdown with every converter, and prints a line for each: how much survives, and at what cost. */
export async function measureMarkdown(documents: BenchmarkPage[]): Promise<ConverterRow[]> {
  const rows: ConverterRow[] = [];
  for (const [name, make] of Object.entries(CONVERTERS)) {
    const convert = await make();
    // Twice over all pages: a process that serves is warm, and half of a cold run is compiling.
    for (const page of [...documents, ...documents]) convert(page.html, page.url);
    const before = process.cpuUsage();
    const texts = documents.map((page) => convert(page.html, page.url));
    const { user, system } = process.cpuUsage(before);
    const scores = await compareStructures(
      documents.map(({ html, url }, index) => ({ html, url, markdown: texts[index] ?? '' })),
    );
    rows.push({ name, ...scores, cpuMs: (user + system) / 1_000 });
  }
  const slowest = Math.max(...rows.map(({ cpuMs }) => cpuMs));
  console.error(`Markdown of ${documents.length} documents`);
  for (const { name, meanF1, strictF1, cpuMs, kinds, strictKinds } of rows) {
    const speed = `${(cpuMs / documents.length).toFixed(1)} CPU ms/page, ${(slowest / cpuMs).toFixed(1)} × the slowest`;
    console.error(
      `${name.padEnd(24)} structure F1 ${meanF1.toFixed(3)}, strictly ${strictF1.toFixed(3)}  ${speed}\n  ${JSON.stringify(kinds)}\n  strictly ${JSON.stringify(strictKinds)}`,
    );
  }
  return rows;
}
