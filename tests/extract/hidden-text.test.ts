import { describe, expect, test } from 'vitest';
import { countCpu } from '../support/cpu-time.ts';
import { makeCases, SECRET } from '../../benchmarks/hidden-text/cases.ts';
import { extractHtml } from '../../src/extract.ts';
import { sized } from '../support/sized.ts';

const all = makeCases();
const step = Math.floor(
  all.length /
    sized('hidden texts', { small: Math.ceil(all.length / 12), large: all.length, full: all.length }),
);
const filler = (count: number): string =>
  Array.from(
    { length: count },
    (_, at) =>
      `<p>In the year ${1800 + at} the mill stood at the bend of the river, and its wheel turned ${at + 3} times a day.</p>`,
  ).join('');
const script = '<script src="/app.js"></script>';
const read = (html: string): string => extractHtml(html, { url: 'https://example.org/mill' }).markdown;

describe('hidden text', () => {
  test('is left out for each way to hide it, and its visible twin is read', () => {
    const cases = all.filter((_, index) => index % step === 0);
    const judged = cases.map((one) => ({ ...one, isRead: read(one.html).includes(SECRET.slice(4, -7)) }));
    const missed = judged.filter(({ isHidden, isRead }) => isHidden && isRead);
    const wrong = judged.filter(({ isHidden, isRead }) => !isHidden && !isRead);
    const found = judged.filter(({ isHidden, isRead }) => isHidden && !isRead).length;
    const names = (list: typeof judged): string[] =>
      list.map(({ technique, name }) => `${technique}: ${name}`);
    // The lists name what went wrong.
    expect(found / (found + missed.length) >= 0.95 || names(missed)).toBe(true);
    expect(found / (found + wrong.length) >= 0.97 || names(wrong)).toBe(true);
  });

  test('a hostile style sheet takes little time, whatever it holds', () => {
    const sheets = {
      'open braces': 'a{'.repeat(500_000),
      'open comments': '/* '.repeat(300_000),
      'nested rules': '.a{& & '.repeat(100_000),
      selectors: `${'p,'.repeat(300_000)}p{display:none}`,
      rules: 'p:not(.a) p{display:none}'.repeat(40_000),
      brackets: `${'['.repeat(500_000)}{display:none}`,
      functions: `${':is('.repeat(200_000)}p{display:none}`,
      'open functions': `p{${'opacity:calc('.repeat(80_000)}}`,
      'bracketed selectors': `${'['.repeat(15_000)}{display:none}`.repeat(40),
      'long values': `:root{a:${' '.repeat(4_000)}x}`.repeat(200),
      'long rules': `p{display:none;a:${'x('.repeat(2_000)}}`.repeat(200),
      values: `p{height:${'calc('.repeat(100_000)}0;overflow:hidden}`,
    };
    for (const [name, sheet] of Object.entries(sheets)) {
      const cpuMs = countCpu();
      expect(read(`<style>${sheet}</style>${filler(20)}`)).toContain('the mill');
      // Far above what each takes, and far below what quadratic time would.
      expect({ name, isQuick: cpuMs() < 3_000 }).toEqual({ name, isQuick: true });
    }
  });

  test.each(['class="faq-answer"', 'class="tab-panel"', 'id="S:1"', 'id="panel"', 'role="region"'])(
    'is not opened by a name alone: %s',
    (name) => {
      const hidden = `<div ${name} style="display:none"><p>${SECRET}</p></div>`;
      expect(read(`${filler(9)}${hidden}${script}`)).not.toContain('grey heron');
      const button = '<button aria-controls="more">More</button>';
      const opened = `<div id="more" style="display:none"><p>${SECRET}</p></div>`;
      expect(read(`${filler(9)}${button}${opened}${script}`)).toContain('grey heron');
    },
  );

  test('that is much of a page with scripts is read: a script shows it', () => {
    const style = '<style>.late{opacity:0}</style>';
    const late = `<div class="late">${[1, 2, 3].map((at) => `<p>${SECRET} ${at}</p>`).join('')}</div>`;
    expect(read(`${style}${filler(4)}${late}${script}`)).toContain('grey heron');
    expect(read(`${style}${filler(30)}<p class="late">${SECRET}</p>${script}`)).not.toContain('grey heron');
  });

  test('is counted, and the pass that drops it is named', () => {
    const html = `<style>.x{clip-path:inset(50%)}</style>${filler(9)}<p class="x">${SECRET}</p>`;
    const { hiddenTextRemoved, explanation } = extractHtml(html, { explain: true });
    expect(hiddenTextRemoved).toBe(SECRET.length);
    expect(explanation?.passes.find(({ name }) => name === 'unseen-text')?.dropped).toBe(1);
  });
});
