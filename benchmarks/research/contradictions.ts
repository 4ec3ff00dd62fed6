import { report } from '../report.ts';
import { groupFiles, isContrary, judge, readGroups, type Verdict } from './groups.ts';

// Run: npm run benchmark -- contradictions. What is measured stands in the README beside this file. Names of files to try: as arguments.
const names = process.argv.slice(2).filter((name) => !name.startsWith('-'));
const isVerbose = process.argv.includes('-v');
const files = names.length > 0 ? names : groupFiles();

const verdicts: Verdict[] = [];
for (const file of files) for (const group of readGroups(file)) verdicts.push(await judge(group));

const share = (of: Verdict[], is: (verdict: Verdict) => boolean): number =>
  of.filter(is).length / Math.max(1, of.length);
const agreeing = verdicts.filter(({ group }) => group.kind === 'agree');
const contrary = verdicts.filter(({ group }) => isContrary(group));
const peaceful = verdicts.filter(({ group }) => !isContrary(group));
const wrong = verdicts.filter(
  ({ group, agrees, disputes, agreesFalsely, disputesFalsely }) =>
    agreesFalsely ||
    disputesFalsely ||
    (group.kind === 'agree' && !agrees) ||
    (isContrary(group) && !disputes),
);

report('contradictions', {
  groups: verdicts.length,
  agreeingGroups: agreeing.length,
  contraryGroups: contrary.length,
  otherGroups: peaceful.length - agreeing.length,
  agreementsClaimedFalsely: verdicts.filter(({ agreesFalsely }) => agreesFalsely).length,
  agreementsFound: share(agreeing, ({ agrees }) => agrees),
  contradictionsFound: share(contrary, ({ disputes }) => disputes),
  contradictionsClaimedFalsely: share(peaceful, ({ disputesFalsely }) => disputesFalsely),
  wrong: wrong.map(({ group: { language, kind, question }, agreesFalsely, disputesFalsely }) =>
    [
      language,
      kind,
      question,
      ...(agreesFalsely ? ['agreement claimed falsely'] : []),
      ...(disputesFalsely ? ['contradiction claimed falsely'] : []),
    ].join(' · '),
  ),
});
if (isVerbose) for (const verdict of wrong) console.log(verdict.report.markdown);
