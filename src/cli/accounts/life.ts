import { switchFlag, type Flag } from '../../core/command-line.ts';
import { removeSubject, type LifeKind, type LifeSubject, unconfirmed } from '../../store/lifecycle.ts';
import { defineVerb, type Verb, verbOn } from '../verbs.ts';

const yes: Flag = switchFlag('yes', 'Delete it, and what depends on it.');

const say = (what: string) => (subject: LifeSubject) =>
  `${what}: ${subject.name}${subject.id === subject.name ? '' : ` (${subject.id})`}\n`;

/** The verbs that workspaces, agents, keys and people share: rename, archive, restore and delete. */
export function lifeVerbs(kind: LifeKind): Record<string, Verb> {
  const what = kind === 'person' ? 'NAME' : 'ID';
  const archiving = (isArchived: boolean) =>
    verbOn(
      what,
      `The ${kind}`,
      (store, name) => store.life.archive(kind, name, isArchived),
      say(isArchived ? 'Archived; its calls are refused' : 'Restored'),
    );
  return {
    rename: defineVerb<LifeSubject>({
      usage: `${what} NEW-NAME`,
      words: Number.POSITIVE_INFINITY,
      run: (store, { words: [id, ...name], need }) =>
        store.life.rename(kind, need(id, `The ${kind}`), need(name.join(' '), 'The new name')),
      render: say('Renamed'),
    }),
    archive: archiving(true),
    restore: archiving(false),
    delete: defineVerb<LifeSubject>({
      usage: `${what} [--yes]`,
      flags: [yes],
      words: 1,
      run: async (store, { words, need, args }) => {
        const id = need(words[0], `The ${kind}`);
        const dependents = await store.life.dependents(kind, id);
        if (args.isOn('yes') !== true) throw unconfirmed(dependents, 'add --yes');
        return removeSubject(store, kind, id);
      },
      render: say('Deleted'),
    }),
  };
}
