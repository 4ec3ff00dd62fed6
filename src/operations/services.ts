import type { Ctx, RoutingServices } from '../routing/services.ts';
import type { ResearchEvent } from '../contract/research-event.ts';
import type { ResearchInput, ResearchReport, ResearchSession } from '../contract/research.ts';
import type { Call, Caller } from '../core/call.ts';
import type { Decision, Gate } from '../core/gate.ts';
import type { EnterScope } from '../core/scope.ts';
import type { OwnText } from '../core/text.ts';
import type { SourceText } from '../evidence/quote.ts';
import type { Extracted } from '../extract/extracted.ts';
import type { ExtractOptions, Page } from '../extract/page-bytes.ts';
import type { GuardedFetch } from '../net/fetch.ts';
import type { RuleSet } from '../policy/gate.ts';
import type { CrawlFrontier } from '../store/crawl-frontier.ts';
import type { Store } from '../store/store.ts';
import type { CrawlSessions } from './crawl/sessions.ts';
import type { ReadPageRecord } from './extract/archive.ts';
import type { LibraryJobs } from './library/jobs.ts';

/** A page after its scripts have run. */
export interface RenderedPage {
  html: string;
  url: string;
  warnings: OwnText[];
}

export interface LazyRenderer {
  /** The path of the browser, if there is one. */
  file(): Promise<string | undefined>;
  render(
    page: Required<Page>,
    by: { caller: string; gate: Gate | undefined },
    signal: AbortSignal,
  ): Promise<RenderedPage>;
}

/** The services for reading pages. */
export interface ReadingServices {
  /** The only way to fetch addresses that a caller or a page names. */
  fetch: GuardedFetch;
  /** Extracts a page off the event loop. */
  extract(page: Page, options: ExtractOptions, signal: AbortSignal): Promise<Extracted>;
  /** Runs page scripts in the local Chromium; loaded with the first page. */
  renderer: LazyRenderer;
  /** Adds pages that were read to the caller's library; absent unless `[library] keep` is set. */
  archive: ((caller: Caller, pages: ReadPageRecord[]) => void) | undefined;
}

/** Everything an operation may use, built once by the engine. */
export interface Services extends RoutingServices, ReadingServices {
  /** Runs a call as one of a run that is recorded or replayed; absent where the web is live. */
  enter?: EnterScope;
  /** The services for one call of such a run, which does not feel the others. */
  isolated?(services: Services): Services;
  /** The rules for a caller; undefined where there are none. */
  rulesFor(caller: Caller): Promise<RuleSet | undefined>;
  /** Hears of every rule that refuses or reports something, once for each call. */
  decided?(decision: Decision): void;
  /** What callers were shown and told; absent where nothing is stored. */
  leaks?: Pick<Store, 'leaks' | 'approvals'>;
  /** The notices that were given, which a process gives once. */
  told: Set<string>;
  /** Background jobs that add to the library. */
  libraryJobs: LibraryJobs;
  /** Crawls that can be continued. */
  crawls: CrawlSessions;
  /** Crawls that run in the background, on all gateways of one PostgreSQL; absent elsewhere. */
  frontier?: CrawlFrontier | undefined;
  /** Research that runs in the background, and its reports. */
  research: ResearchSessions;
}

/** Research sessions. Every method takes the call: a workspace never sees another's sessions. */
export interface ResearchSessions {
  /** Starts a session and returns at once; it runs until it is done, cancelled, or the engine closes. */
  start(input: ResearchInput, ctx: Ctx<Services>): Promise<ResearchSession>;
  /** Resumes a session that is not running; finished steps are not repeated. */
  resume(
    id: string,
    changes: { max_iterations?: number; timeout?: number },
    ctx: Ctx<Services>,
  ): Promise<ResearchSession>;
  /** Resumes a session whose process has died; one that keeps crashing its process is left alone. */
  revive(id: string, ctx: Ctx<Services>): Promise<ResearchSession>;
  /** Takes over the researches of gateways that died or stopped, where several share a store, until the signal fires. */
  workUntil(signal: AbortSignal, services: Services): Promise<void>;
  /** With `counts`, the request counts as one of the agent's limited status checks. */
  status(id: string, call: Call, options?: { counts?: boolean }): Promise<ResearchSession>;
  report(id: string, call: Call): Promise<ResearchReport>;
  /** The texts that a session's findings were quoted from. */
  sources(id: string, call: Call): Promise<SourceText[]>;
  list(
    options: { cursor?: string | undefined; limit: number },
    call: Call,
  ): Promise<{ sessions: ResearchSession[]; next_cursor?: string }>;
  cancel(id: string, call: Call): Promise<ResearchSession>;
  delete(id: string, call: Call): Promise<void>;
  /** The events of a session until it is done. */
  watch(id: string, call: Call): AsyncGenerator<ResearchEvent>;
  /** Stops running sessions; they can be resumed later. */
  close(): Promise<void>;
}
