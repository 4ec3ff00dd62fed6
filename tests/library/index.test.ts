import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LibraryDocument } from '../../src/library/document.ts';
import { slips } from '../../src/library/query/names.ts';
import { createLibraryReader } from '../../src/library/query/reader.ts';
import { createFolderStore, type SegmentStore } from '../../src/library/segment/store.ts';
import { createLibraryWriter } from '../../src/library/writer.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headgate-library-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const NOW = Date.UTC(2026, 0, 2);

const page = (id: string, content: string, more: Partial<LibraryDocument> = {}): LibraryDocument => ({
  id,
  url: `https://example.com/${id}`,
  title: id,
  content,
  format: 'markdown',
  kind: 'page',
  ...more,
});

function openBoth(store: SegmentStore = createFolderStore(folder)) {
  const writer = createLibraryWriter(store);
  const reader = createLibraryReader(store);
  const ids = (text: string, more = {}) =>
    reader.search({ text, resultsMax: 10, ...more }, NOW).hits.map(({ id }) => id);
  return { store, writer, reader, ids };
}

describe('search', () => {
  test('the title outweighs the text, and passages point into the content', () => {
    const { writer, reader } = openBoth();
    const content = `${'Rivers and lakes. '.repeat(40)}\n\nA headgate lets water into the canal.\n\n${'More. '.repeat(90)}`;
    writer.add([page('other', 'A text that mentions a headgate once.'), page('Headgate', content)], NOW);
    const { hits } = reader.search({ text: 'headgate canal', resultsMax: 5 }, NOW);
    expect(hits.map(({ id }) => id)).toEqual(['Headgate', 'other']);
    expect(hits[0]?.score).toBe(1);
    expect(hits[0]?.snippet).toContain('lets water into the canal');
    for (const { text, start, end } of hits[0]?.chunks ?? []) expect(content.slice(start, end)).toBe(text);
  });

  test('Japanese, Chinese and accents are found', () => {
    const { writer, ids } = openBoth();
    writer.add(
      [
        page('a', '梅雨は雨の多い期間である。'),
        page('b', '黑豹队的防守排名第六。'),
        page('c', 'Die Größe des Kanals.'),
      ],
      NOW,
    );
    expect(ids('梅雨の期間')[0]).toBe('a');
    expect(ids('黑豹队防守')[0]).toBe('b');
    expect(ids('grosse kanal')[0]).toBe('c');
  });

  test.each([
    ['Russian', 'Столица России стоит на реке.', 'в столице', 'Столовая открыта.'],
    ['Greek', 'Η κυβέρνηση ανακοίνωσε μέτρα.', 'μέτρα της κυβέρνησης', 'Η κυβερνητική τέχνη.'],
    ['Arabic', 'الحكومة أعلنت الميزانية الجديدة.', 'ميزانية حكومة', 'حكم القاضي في القضية.'],
    ['Hindi', 'नई सरकारें बनीं।', 'सरकार', 'सड़क पर गाड़ी है।'],
    [
      'German',
      'Die Regierungen der Länder beschließen das Gesetz.',
      'Regierung Land',
      'Das Regal ist für Bücher.',
    ],
    [
      'Spanish',
      'Los gobiernos aprobaron las leyes en la capital.',
      '¿Qué gobierno aprobó la ley?',
      'El gorrión está en la rama.',
    ],
    ['Turkish', "Ankara'nın nüfusu beş milyondur.", 'Ankara nüfus', 'Ankastre fırın çok güzel.'],
    [
      'French',
      "Le gouvernement annonce la fin de l'année.",
      'les gouvernements et les années',
      'La gouttière est cassée.',
    ],
    ['Vietnamese', 'Thủ đô của Việt Nam là Hà Nội.', 'thủ đô', 'Thư đó của tôi đã đến hôm qua.'],
    ['Vietnamese without tones', 'Thủ đô của Việt Nam là Hà Nội.', 'Ha Noi', 'Một con mèo ở trong nhà.'],
    [
      'a name in a text of another language',
      'Die Hauptstadt von Kasachstan ist nicht Almaty.',
      'what is Kasachstan',
      'The capital.',
    ],
  ])('inflection is bridged: %s', (_language, text, question, other) => {
    const { writer, ids, reader } = openBoth();
    writer.add([page('other', other, { title: '' }), page('wanted', text, { title: '' })], NOW);
    expect(ids(question)[0]).toBe('wanted');
    const [hit] = reader.search({ text: question, resultsMax: 1 }, NOW).hits;
    expect(hit?.chunks?.[0]?.score).toBeGreaterThan(0);
  });

  test('words that only begin alike are told apart', () => {
    const { writer, ids } = openBoth();
    const wanted = 'Eine Universität ist eine Schule für Forschung und Lehre; die meisten sind sehr alt.';
    writer.add(
      [page('other', 'Das Universum ist alt.', { title: '' }), page('wanted', wanted, { title: '' })],
      NOW,
    );
    expect(ids('Welche Universität wurde gegründet?')).toEqual(['wanted', 'other']);
    expect(ids('Wie groß ist das Universum?')).toEqual(['other', 'wanted']);
  });

  test('words of one library in two languages weigh the same', () => {
    const { writer, ids } = openBoth();
    const english = Array.from({ length: 30 }, (_, at) =>
      page(`e${at}`, `The parliament of the country has ${at} members and a speaker.`),
    );
    writer.add(
      [
        ...english,
        page('german', 'Das Parlament und der Parlamentarier sind nicht gemeint, sondern die Suppe.'),
        page('best', 'The speaker of the parliament is elected by the members of the parliament.'),
      ],
      NOW,
    );
    expect(ids('who is the speaker of the parliament')[0]).toBe('best');
  });

  test('a long document is found by a part of it, once', () => {
    const { writer, reader } = openBoth();
    const parts = Array.from(
      { length: 40 },
      (_, at) => `## Part ${at}\n\n${`Words about topic${at}. `.repeat(30)}`,
    );
    writer.add([page('long', parts.join('\n\n')), page('short', 'topic3 here')], NOW);
    const { hits } = reader.search({ text: 'topic37', resultsMax: 5 }, NOW);
    expect(hits.map(({ id }) => id)).toEqual(['long']);
    expect(hits[0]?.chunks?.[0]?.headings?.at(-1)).toBe('Part 37');
  });

  test('filters: domain with subdomains, package, kind and date', () => {
    const { writer, ids } = openBoth();
    writer.add(
      [
        page('docs', 'water', {
          url: 'https://docs.example.org/x',
          publishedDate: '2025-05-01T00:30:00+02:00',
        }),
        page('blog', 'water', { url: 'https://example.net/y', publishedDate: '2024-05-01' }),
        page('pack', 'water', {
          url: 'npm:zod@4.0.0/README.md',
          kind: 'package',
          package: 'zod',
          version: '4.0.0',
        }),
      ],
      NOW,
    );
    expect(ids('water', { includeDomains: ['example.org'] })).toEqual(['docs']);
    expect(ids('water', { excludeDomains: ['example.org'] })).not.toContain('docs');
    expect(ids('water', { packages: ['zod'] })).toEqual(['pack']);
    expect(ids('water', { kinds: ['package'] })).toEqual(['pack']);
    // The day is the one that the page says, whatever it was elsewhere.
    expect(ids('water', { startDate: '2025-05-01', endDate: '2025-12-31' })).toEqual(['docs']);
  });

  test('a misspelt or unfinished name is helped, and the answer says so', () => {
    const { writer, reader } = openBoth();
    writer.add(
      [
        page('fast-check', 'Property based testing.'),
        page('undici', 'HTTP client.'),
        page('other', 'Client of a bank.'),
      ],
      NOW,
    );
    const typo = reader.search({ text: 'undcii', resultsMax: 5 }, NOW);
    expect(typo.hits[0]?.id).toBe('undici');
    expect(typo.guesses).toEqual([{ term: 'undcii', names: ['undici'] }]);
    expect(reader.search({ text: 'undi', resultsMax: 5 }, NOW).hits[0]?.id).toBe('undici');
    expect(reader.search({ text: 'client', resultsMax: 5 }, NOW).guesses).toEqual([]);
  });

  test('slips are counted as people make them', () => {
    expect(slips('undcii', 'undici', 2)).toBe(1);
    expect(slips('zod', 'zodd', 2)).toBe(1);
    expect(slips('abc', 'xyz', 2)).toBe(3);
  });

  test('an empty library and a query without words answer with nothing', () => {
    const { ids, writer } = openBoth();
    expect(ids('anything')).toEqual([]);
    writer.add([page('a', 'text')], NOW);
    expect(ids('!!!')).toEqual([]);
  });
});

describe('changes', () => {
  test('unchanged content is not indexed again; changed content replaces the old', () => {
    const { writer, ids, reader } = openBoth();
    expect(writer.add([page('a', 'first water'), page('b', 'water')], NOW)).toEqual({
      added: 2,
      replaced: 0,
      unchanged: 0,
    });
    expect(writer.add([page('a', 'second water'), page('b', 'water')], NOW)).toEqual({
      added: 0,
      replaced: 1,
      unchanged: 1,
    });
    expect(ids('first')).toEqual([]);
    expect(ids('second')).toEqual(['a']);
    expect(reader.stats()).toMatchObject({ documents: 2, damaged: [] });
  });

  test('removing by id, package and address', () => {
    const { writer, ids } = openBoth();
    writer.add(
      [
        page('a', 'water'),
        page('b', 'water', { package: 'zod' }),
        page('c', 'water', { url: 'https://gone.test/c' }),
        page('d', 'water'),
      ],
      NOW,
    );
    expect(writer.remove({ ids: ['a', 'unknown'] })).toBe(1);
    expect(writer.remove({ package: 'zod' })).toBe(1);
    expect(writer.remove({ urlPrefixes: ['https://gone.test/'] })).toBe(1);
    expect(ids('water')).toEqual(['d']);
  });

  test('what has expired is not found, and compacting removes it', () => {
    const { writer, ids, reader } = openBoth();
    writer.add(
      [
        page('old', 'water', { expiresAt: NOW - 120_000 }),
        page('new', 'water', { expiresAt: NOW + 120_000 }),
      ],
      NOW - 600_000,
    );
    expect(ids('water')).toEqual(['new']);
    expect(writer.compact(NOW)).toEqual({ removed: 1 });
    expect(reader.stats().documents).toBe(1);
  });

  test('many small additions are put together and stay findable', () => {
    const { writer, ids, reader } = openBoth();
    for (let at = 0; at < 40; at += 1) writer.add([page(`page${at}`, `unique${at} water`)], NOW);
    expect(reader.stats().segments).toBeLessThanOrEqual(13);
    for (let at = 0; at < 40; at += 1) expect(ids(`unique${at}`)).toEqual([`page${at}`]);
    writer.compact(NOW);
    expect(reader.stats()).toMatchObject({ segments: 1, documents: 40 });
    expect(ids('unique7')).toEqual(['page7']);
    expect(readdirSync(folder).filter((file) => file.endsWith('.docs'))).toHaveLength(1);
  });

  test('however documents are added, replaced, removed and merged, the library holds the last of each', () => {
    const word = fc.constantFrom('alpha', 'beta', 'gamma', 'delta');
    const step = fc.oneof(
      fc.record({
        add: fc.array(fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd'), word }), {
          minLength: 1,
          maxLength: 3,
        }),
      }),
      fc.record({ remove: fc.constantFrom('a', 'b', 'c', 'd') }),
      fc.record({ compact: fc.constant(true) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        rmSync(folder, { recursive: true, force: true });
        const { writer, ids } = openBoth();
        const model = new Map<string, string>();
        for (const one of steps) {
          if ('add' in one) {
            writer.add(
              one.add.map(({ id, word: content }) => page(id, content)),
              NOW,
            );
            for (const { id, word: content } of one.add) model.set(id, content);
          } else if ('remove' in one) {
            writer.remove({ ids: [one.remove] });
            model.delete(one.remove);
          } else writer.compact(NOW);
        }
        for (const content of ['alpha', 'beta', 'gamma', 'delta']) {
          const expected = [...model].filter(([, value]) => value === content).map(([id]) => id);
          expect(ids(content).toSorted()).toEqual(expected.toSorted());
        }
      }),
      { numRuns: 25 },
    );
  });

  test('at their size limit the oldest of the pages that expire go; what was added to stay stays', () => {
    const store = createFolderStore(folder);
    const writer = createLibraryWriter(store, { keptBytesMax: 20_000 });
    const text = 'water '.repeat(200);
    writer.add([page('stays', text)], NOW);
    for (let at = 0; at < 40; at += 1)
      writer.add([page(`kept${at}`, text, { expiresAt: NOW + 86_400_000 })], NOW + at * 60_000);
    const { ids, reader } = openBoth(store);
    const left = reader.list({ limit: 100 }).map(({ id }) => id);
    expect(ids('water stays')[0]).toBe('stays');
    expect(left).toContain('kept39');
    expect(left).not.toContain('kept0');
    expect(left.length).toBeGreaterThan(8);
    expect(left.length).toBeLessThan(20);
    expect(left.filter((id) => id.startsWith('kept')).toSorted()).toEqual(
      Array.from({ length: left.length - 1 }, (_, at) => `kept${41 - left.length + at}`),
    );
    expect(store.bytes()).toBeLessThan(80_000);
  });

  test('a library that is full says so', () => {
    const store = createFolderStore(folder);
    createLibraryWriter(store).add([page('a', 'water')], NOW);
    expect(() => createLibraryWriter(store, { bytesMax: 10 }).add([page('b', 'water')], NOW)).toThrow(
      /at most 10 are allowed/,
    );
  });
});

describe('damage', () => {
  const flip = (file: string, at: number) => {
    const bytes = readFileSync(join(folder, file));
    bytes[at] = (bytes[at] ?? 0) ^ 0xff;
    writeFileSync(join(folder, file), bytes);
  };
  const fileOf = (ending: string) => readdirSync(folder).find((file) => file.endsWith(ending)) ?? '';

  test('any changed byte of an index is noticed, named and built again from the documents', () => {
    const { writer } = openBoth();
    writer.add([page('a', 'water'), page('b', 'canal')], NOW);
    const { length } = readFileSync(join(folder, fileOf('.index')));
    let noticed = 0;
    for (let at = 0; at < length; at += 31) {
      const file = fileOf('.index');
      flip(file, at);
      const { reader, ids, writer: again } = openBoth();
      const { warnings } = reader.search({ text: 'water', resultsMax: 5 }, NOW);
      // Only the few bytes that fill up between parts may change without anybody noticing.
      if (warnings.length === 0) {
        flip(file, at);
        continue;
      }
      noticed += 1;
      const report = again.rebuild();
      expect(report).toMatchObject({ documents: 2, lost: [], repaired: [file.replace('.index', '')] });
      expect(warnings[0]).toContain(`Segment ${report.repaired[0]} of the library is damaged`);
      expect([ids('water'), ids('canal')]).toEqual([['a'], ['b']]);
    }
    expect(noticed).toBeGreaterThan((length / 31) * 0.8);
  });

  test('the next addition repairs a damaged index by itself', () => {
    openBoth().writer.add([page('a', 'water')], NOW);
    flip(fileOf('.index'), 20);
    const { writer, ids } = openBoth();
    writer.add([page('b', 'water')], NOW);
    expect(ids('water').toSorted()).toEqual(['a', 'b']);
  });

  test('an index of another version is built again from the documents', () => {
    const { writer, reader, ids } = openBoth();
    writer.add([page('a', 'a headgate')], NOW);
    const index = readdirSync(folder).find((file) => file.endsWith('.index')) ?? '';
    const bytes = readFileSync(join(folder, index));
    bytes.write('HGINDEX1', 'latin1');
    writeFileSync(join(folder, index), bytes);
    writer.close();
    reader.close();
    expect(reader.search({ text: 'headgate', resultsMax: 1 }, NOW).warnings[0]).toContain('another version');
    writer.add([page('b', 'a canal')], NOW);
    expect(ids('headgate')).toEqual(['a']);
  });

  test('a damaged document costs itself only, and is named', () => {
    openBoth().writer.add([page('a', 'water'), page('b', 'water'), page('c', 'water')], NOW);
    flip(fileOf('.docs'), 20);
    const { writer, ids } = openBoth();
    const { lost, documents } = writer.rebuild();
    expect(documents).toBe(2);
    expect(lost).toEqual([expect.stringMatching(/^segment-[\da-f-]+: the document at 0$/)]);
    expect(ids('water').toSorted()).toEqual(['b', 'c']);
  });

  test('without its list of segments the library is rebuilt from its documents', () => {
    const { writer } = openBoth();
    writer.add([page('a', 'water')], NOW);
    writer.add([page('a', 'canal')], NOW + 1);
    for (const file of readdirSync(folder).filter((name) => name.startsWith('manifest'))) flip(file, 3);
    const again = openBoth();
    expect(() => again.writer.add([page('b', 'x')], NOW)).toThrow(/damaged/);
    again.writer.rebuild();
    expect([again.ids('canal'), again.ids('water')]).toEqual([['a'], []]);
  });
});

test('a write that stops at any step leaves the library as it was or as it should be', () => {
  for (let step = 0; step < 12; step += 1) {
    rmSync(folder, { recursive: true, force: true });
    const store = createFolderStore(folder);
    createLibraryWriter(store).add([page('kept', 'water')], NOW);
    let left = step;
    const tick = () => {
      if (left === 0) throw new Error('power cut');
      left -= 1;
    };
    const failing: SegmentStore = {
      ...store,
      put: (file, parts) => {
        tick();
        store.put(file, parts);
        tick();
      },
      commit: (manifest) => {
        tick();
        store.commit(manifest);
        tick();
      },
    };
    let acknowledged = true;
    try {
      createLibraryWriter(failing).add([page('kept', 'canal'), page('more', 'canal')], NOW);
    } catch {
      acknowledged = false;
    }
    const { ids, writer } = openBoth();
    const found = ids('canal').length;
    expect([0, 2]).toContain(found);
    expect(found === 2 || !acknowledged).toBe(true);
    expect(ids('water')).toEqual(found === 2 ? [] : ['kept']);
    writer.add([page('last', 'lake')], NOW);
    expect(ids('lake')).toEqual(['last']);
  }
});
