import { expect, test } from 'vitest';
import { groupFiles, isContrary, judge, readGroups, type Verdict } from '../../benchmarks/research/groups.ts';

/** The bounds of `npm run benchmark -- contradictions`, file by file. */
test.each(groupFiles())(
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
