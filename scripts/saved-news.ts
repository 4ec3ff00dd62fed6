import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** A saved page of a publisher, and what the versions of that publisher's reader found; each belongs to one of its pages. */
export interface SavedNews<Version> {
  id: string;
  url: string;
  bytes: Uint8Array;
  versions: Version[];
}

/** The saved pages of flairNLP/fundus, country by country. */
export function* readSavedNews<Version>(project: string): Generator<SavedNews<Version>> {
  const countries = join(project, 'tests/resources/parser/test_data');
  for (const country of readdirSync(countries).sort()) {
    const folder = join(countries, country);
    const list = join(folder, 'meta.info');
    if (!existsSync(list)) continue;
    const pages = readJson(list) as Record<string, { url: string }>;
    for (const [file, { url }] of Object.entries(pages)) {
      const page = join(folder, file);
      const found = page.replace(/_\d[\d_]*\.html\.gz$/, '.json');
      if (!existsSync(page) || !existsSync(found)) continue;
      const versions = Object.values(readJson(found) as Record<string, Version>);
      yield { id: `${country}/${file}`, url, bytes: gunzipSync(readFileSync(page)), versions };
    }
  }
}

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
