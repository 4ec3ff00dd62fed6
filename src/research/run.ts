import type { OwnText } from '../core/text.ts';
import type { ResearchInput, ResearchPhase } from '../contract/research.ts';
import type { Call } from '../core/call.ts';
import { HeadgateError } from '../core/errors.ts';
import { newRequestId } from '../core/ids.ts';
import { LIMITS } from '../core/limits.ts';
import type { Operation } from '../operations/operation.ts';
import { perform } from '../operations/perform.ts';
import type { Services } from '../operations/services.ts';
import { withDeadline } from '../routing/with-deadline.ts';
import type { Budget } from './budget.ts';
import type { NewResearchEvent } from '../contract/research-event.ts';
import type { Journal } from './session/journal.ts';
import { resolveSearchParameters, type ResearchMode, type SearchParameters } from './parameters.ts';
import type { RunModel } from './model/run-model.ts';
import type { FailedStep, ResearchState } from './state.ts';

/** What the phases of a run share. The state is derived from the input and the journal only. */
export interface RunContext {
  input: ResearchInput;
  mode: ResearchMode;
  parameters: SearchParameters;
  state: ResearchState;
  journal: Journal;
  budget: Budget;
  services: Services;
  /** Tags page text in prompts; the same when a run is replayed. */
  nonce: string;
  /** Aborted by a cancellation, not by the deadline. */
  cancelled: AbortSignal;
  /** Aborted by a cancellation or the deadline. */
  signal: AbortSignal;
  deadline: number;
  caller: Call['caller'];
  /** The model, if there is one; removed when it refuses. */
  model: RunModel | undefined;
  emit(event: NewResearchEvent): void;
  enter(phase: ResearchPhase): void;
}

export const modeOf = (input: ResearchInput, services: Services): ResearchMode =>
  input.mode ?? services.config.research.deep_research_mode;

/** The search parameters of this run. */
export function parametersOf(input: ResearchInput, services: Services): SearchParameters {
  const { search_depth, topic, days, country, chunks_per_source } = input;
  const { include_raw_content, include_images, auto_parameters } = input;
  return resolveSearchParameters(
    {
      search_depth,
      topic,
      days,
      country,
      chunks_per_source,
      include_raw_content,
      include_images,
      auto_parameters,
    },
    services.config.research,
    modeOf(input, services),
  );
}

/** Performs one step as its own call, within the remaining budget. */
export function performStep<Input, Output>(
  run: RunContext,
  operation: Operation<Input, Output>,
  request: unknown,
  creditsMax: number | undefined,
): Promise<Output> {
  const { services, caller, signal, deadline } = run;
  const call: Call = {
    requestId: newRequestId(),
    caller,
    surface: 'research',
    signal,
    deadline,
    ...(creditsMax === undefined ? {} : { creditsMax }),
  };
  return withDeadline(call, LIMITS.researchStepMs, services, (step) =>
    perform(operation, request, { call: step, services }),
  );
}

/** Whether time is up; then only local work is done. */
export const isOver = (run: RunContext): boolean =>
  run.signal.aborted || run.services.clock.now() >= run.deadline;

/** Records a failed step; a cancelled run ends here. */
export function noteFailure(
  run: RunContext,
  step: FailedStep['step'],
  about: string,
  thrown: unknown,
): FailedStep {
  run.cancelled.throwIfAborted();
  const error = HeadgateError.from(thrown);
  if (error.type === 'internal') run.services.log.error('research_step_failed', { step, cause: error.cause });
  const failed = {
    step,
    about,
    code: isOver(run) ? 'deadline_exceeded' : error.code,
    message: error.message,
  };
  run.state.failed.push(failed);
  if (failed.code === 'deadline_exceeded') run.state.stop = 'deadline';
  // Without tokens the run continues with quotes; without credits it stops.
  else if (failed.code === 'over_budget' && step !== 'model') run.state.stop ??= 'credits';
  return failed;
}

export function warn(run: RunContext, message: OwnText): void {
  const { warnings } = run.state;
  if (warnings.includes(message) || warnings.length >= LIMITS.researchWarningsMax) return;
  warnings.push(message);
  run.emit({ type: 'warning', message });
}
