import { expect, test } from 'vitest';
import { sized } from '../support/sized.ts';
import { groupFiles, isContrary, judge, readGroups, type Verdict } from '../../benchmarks/research/groups.ts';

/** The bounds of `npm run benchmark -- contradictions`, file by file. */
const all = groupFiles();
const count = sized('files of groups that contradict or agree', {
  small: 2,
  large: all.length,
  full: all.length,
});
test.each(all.slice(0, count))(
  'reports on the groups of %s claim agreement and contradiction where they are',
  async (file) => {
    const verdicts: Verdict[] = [];
    for (const group of readGroups(file)) verdicts.push(await judge(group));
    const share = (of: Verdict[], is: (verdict: Verdict) => boolean): number =>
      of.filter(is).length / of.length;
    const agreeing = verdicts.filter(({ group }) => group.kind === 'agree');
    const contrary = verdicts.filter(({ group }) => isContrary(group));
    const others = verdicts.filter(({ group }) => !isContrary(group));
    expect(verdicts.filter(({ agreesFalsely }) => agreesFalsely).map(({ group }) => group.question)).toEqual(
      [],
    );
    expect(share(agreeing, ({ agrees }) => agrees)).toBeGreaterThanOrEqual(0.75);
    expect(share(contrary, ({ disputes }) => disputes)).toBeGreaterThanOrEqual(0.9);
    expect(share(others, ({ disputesFalsely }) => disputesFalsely)).toBeLessThanOrEqual(0.03);
  },
);
