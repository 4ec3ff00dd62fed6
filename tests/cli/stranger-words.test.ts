import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli } from '../../src/cli/run.ts';
import { CANARY, HOSTILE_TEXTS } from '../support/hostile-texts.ts';
import { sized } from '../support/sized.ts';
import { skeleton, speaks, UNPRINTABLE } from '../support/stranger-oracle.ts';
import { createStrangerWorld, type StrangerWorld } from '../support/stranger-world.ts';

/** The commands that print what providers and pages say. */

let world: StrangerWorld;
beforeAll(async () => {
  world = await createStrangerWorld();
});
afterAll(() => world.gateway.close());

const COMMANDS: [name: string, argsOf: (question: string) => string[]][] = [
  ['search', (question) => [question, '--include-answer=basic', '--max-results=3']],
  ['answer', (question) => [question]],
  ['extract', () => ['https://mill.example/', 'https://mill.example/2', '--include-images']],
  ['crawl', () => ['https://mill.example/', '--limit', '2']],
  ['map', () => ['https://mill.example/']],
  ['research', (question) => [`how old are ${question}`, '--max-iterations', '1']],
];

async function run(name: string, args: string[]): Promise<{ out: string; said: string }> {
  let [out, said] = ['', ''];
  const { services, store, origins } = world.gateway.parts;
  await runCli([name, ...args], {
    env: {},
    main: 'headgate',
    stdin: () => process.stdin,
    print: (text) => void (out += text),
    say: (text) => void (said += text),
    isTerminal: false,
    signal: new AbortController().signal,
    open: async () => ({
      config: services.config,
      origins: origins ?? {},
      home: world.gateway.home,
      services,
      store,
      meter: undefined,
      close: async () => {},
    }),
  });
  return { out, said };
}

const perCommand = sized('hostile texts for each command', { small: 2, large: 20, full: 300 });

/** Takes all of the texts in turn, and other forms first than those that only concern tools. */
const textAt = (index: number): string => HOSTILE_TEXTS[(31 + 11 * index) % HOSTILE_TEXTS.length] ?? '';

/** The lines that are ours. Only a search numbers its results; in a page a number before a line is the page's own. */
const linesOf = (name: string, out: string): string[] =>
  skeleton('cli', out).filter((line) => name === 'search' || !/^\d+\. /.test(line));

describe('words of strangers on the command line', () => {
  test.each(COMMANDS)(
    '%s prints no line that only looks like ours, and nothing invisible',
    async (name, argsOf) => {
      const ask = (text: string) => world.say(text, () => run(name, argsOf(world.question())));
      const twin = await ask(`${CANARY} words`);
      const wrong: string[] = [];
      const count = name === 'research' ? Math.min(perCommand, 20) : perCommand;
      for (const text of Array.from({ length: count }, (_, index) => textAt(index))) {
        const { out, said } = await ask(text);
        if (speaks(said)) wrong.push(`${JSON.stringify(text)} on stderr: ${said}`);
        if (UNPRINTABLE.test(out))
          wrong.push(`${JSON.stringify(text)} is not cleaned: ${JSON.stringify(out)}`);
        // A report is a document of its own.
        const [lines, expected] =
          name === 'research' ? [[], []] : [out, twin.out].map((one) => linesOf(name, one));
        const countOf = (line: string, of: string[] = []): number => of.filter((one) => one === line).length;
        const forged = lines?.filter((line) => countOf(line, lines) > countOf(line, expected)) ?? [];
        if (forged.length > 0) wrong.push(`${JSON.stringify(text)} forges ${forged.join(', ')} in ${out}`);
      }
      expect(wrong).toEqual([]);
      expect(speaks(twin.out)).toBe(name !== 'map');
    },
    3_600_000,
  );
});
