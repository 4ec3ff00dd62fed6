import { join } from 'node:path';
import type { Clock } from '../core/clock.ts';
import type { Logger } from '../core/log.ts';
import type { ResearchSessions } from '../operations/services.ts';
import type { Store } from '../store/store.ts';

interface ResearchOptions {
  store: Store | undefined;
  /** Opens the store of this home, if there is one, for those who do not have it open. */
  openStore(): Store | undefined;
  /** Where sessions are kept when there is no store. */
  home: string;
  clock: Clock;
  log: Logger;
}

/** Research sessions; their code is loaded with the first call. */
export function createResearch(options: ResearchOptions): ResearchSessions {
  let loading: Promise<ResearchSessions> | undefined;
  let opened: Store | undefined;
  const openStore = (): Store | undefined => (opened ??= options.openStore());
  const load = () => (loading ??= loadSessions({ ...options, openStore }));
  return {
    start: async (...given) => (await load()).start(...given),
    resume: async (...given) => (await load()).resume(...given),
    revive: async (...given) => (await load()).revive(...given),
    workUntil: async (...given) => {
      if (options.store?.database.dialect === 'postgres') await (await load()).workUntil(...given);
    },
    status: async (...given) => (await load()).status(...given),
    report: async (...given) => (await load()).report(...given),
    sources: async (...given) => (await load()).sources(...given),
    list: async (...given) => (await load()).list(...given),
    cancel: async (...given) => (await load()).cancel(...given),
    delete: async (...given) => (await load()).delete(...given),
    watch: async function* watch(...given) {
      yield* (await load()).watch(...given);
    },
    close: async () => {
      await (await loading)?.close();
      await opened?.close();
    },
  };
}

/** Sessions are stored in the database if it is open, otherwise in the data folder; both are read. */
async function loadSessions(options: ResearchOptions): Promise<ResearchSessions> {
  const { store, openStore, home, clock, log } = options;
  const [
    { createResearchSessions },
    { createFileSessions },
    { createDatabaseSessions },
    { createHomeSessions },
  ] = await Promise.all([
    import('../research/session/sessions.ts'),
    import('../research/session/files.ts'),
    import('../research/session/database.ts'),
    import('../research/session/of-home.ts'),
  ]);
  const files = createFileSessions({ folder: join(home, 'research'), clock, log });
  const inDatabase = ({ research }: Store) => createDatabaseSessions({ store: research, clock, log });
  const openOther = async () => {
    const other = openStore();
    return other && inDatabase(other);
  };
  const sessions =
    store === undefined
      ? createHomeSessions(files, openOther)
      : createHomeSessions(inDatabase(store), async () => files);
  return createResearchSessions({ store: sessions, clock });
}
