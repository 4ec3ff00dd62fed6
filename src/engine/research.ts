import { join } from 'node:path';
import type { Clock } from '../core/clock.ts';
import type { Logger } from '../core/log.ts';
import type { ResearchSessions } from '../operations/services.ts';
import type { Store } from '../store/store.ts';

interface ResearchOptions {
  store: Store | undefined;
  /** Where sessions are kept when there is no store. */
  home: string;
  clock: Clock;
  log: Logger;
}

/** Research sessions; their code is loaded with the first call. */
export function createResearch(options: ResearchOptions): ResearchSessions {
  let loading: Promise<ResearchSessions> | undefined;
  const load = () => (loading ??= loadSessions(options));
  return {
    start: async (...given) => (await load()).start(...given),
    resume: async (...given) => (await load()).resume(...given),
    revive: async (...given) => (await load()).revive(...given),
    status: async (...given) => (await load()).status(...given),
    report: async (...given) => (await load()).report(...given),
    sources: async (...given) => (await load()).sources(...given),
    list: async (...given) => (await load()).list(...given),
    cancel: async (...given) => (await load()).cancel(...given),
    delete: async (...given) => (await load()).delete(...given),
    watch: async function* watch(...given) {
      yield* (await load()).watch(...given);
    },
    close: async () => (await loading)?.close(),
  };
}

/** Sessions are stored in the database if there is one, otherwise in the data folder. */
async function loadSessions({ store, home, clock, log }: ResearchOptions): Promise<ResearchSessions> {
  const [{ createResearchSessions }, { createFileSessions }, { createDatabaseSessions }] = await Promise.all([
    import('../research/session/sessions.ts'),
    import('../research/session/files.ts'),
    import('../research/session/database.ts'),
  ]);
  const sessions =
    store === undefined
      ? createFileSessions({ folder: join(home, 'research'), clock, log })
      : createDatabaseSessions({ store: store.research, clock, log });
  return createResearchSessions({ store: sessions, clock });
}
