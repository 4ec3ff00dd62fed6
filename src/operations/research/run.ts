import type { OwnText } from '../../core/text.ts';
import type { ResearchInput, ResearchPhase } from '../../contract/research.ts';
import type { Call } from '../../core/call.ts';
import { HeadgateError } from '../../core/errors.ts';
import { newRequestId } from '../../core/ids.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Operation } from '../operation.ts';
import { perform } from '../perform.ts';
import type { Services } from '../services.ts';
import { within } from '../within.ts';
import type { Budget } from './budget.ts';
import type { NewEvent } from './events.ts';
import type { Journal } from './session/journal.ts';
import { resolveSearchParameters, type ResearchMode, type SearchParameters } from './parameters.ts';
import type { RunModel } from './model/run-model.ts';
import type { FailedStep, ResearchState } from './state.ts';

/** Everything that the phases of one run share. The state follows from the input and the steps alone. */
export interface Run {
  input: ResearchInput;
  mode: ResearchMode;
  parameters: SearchParameters;
  state: ResearchState;
  journal: Journal;
  budget: Budget;
  services: Services;
  /** A word that fences page text in prompts; it stays the same when a run is repeated. */
  nonce: string;
  /** Aborted when somebody cancels; a deadline is not. */
  cancelled: AbortSignal;
  /** Aborted when somebody cancels or time runs out. */
  signal: AbortSignal;
  deadline: number;
  caller: Call['caller'];
  /** The model that is asked, unless nobody has one; taken away when it refuses. */
  model: RunModel | undefined;
  emit(event: NewEvent): void;
  enter(phase: ResearchPhase): void;
}

export const modeOf = (input: ResearchInput, services: Services): ResearchMode =>
  input.mode ?? services.config.research.deep_research_mode;

/** What every search of this run is asked with. */
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

/** Performs one step as a call of its own, within what the run may still take. */
export function performStep<Input, Output>(
  run: Run,
  operation: Operation<Input, Output>,
  request: unknown,
  creditsMax: number | undefined,
): Promise<Output> {
  const { services, caller, signal, deadline } = run;
  const call: Call = {
    requestId: newRequestId(),
    caller,
    signal,
    deadline,
    ...(creditsMax === undefined ? {} : { creditsMax }),
  };
  return within(call, LIMITS.researchStepMs, services, (step) => perform(operation, request, step, services));
}

/** Whether time is up; then only what needs nobody else is still done. */
export const isOver = (run: Run): boolean => run.signal.aborted || run.services.clock.now() >= run.deadline;

/** Notes a step that failed; a cancelled run ends here. */
export function noteFailure(run: Run, step: FailedStep['step'], about: string, thrown: unknown): FailedStep {
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
  // Without tokens the work goes on with quotes; without credits it cannot.
  else if (failed.code === 'over_budget' && step !== 'model') run.state.stop ??= 'credits';
  return failed;
}

export function warn(run: Run, message: OwnText): void {
  const { warnings } = run.state;
  if (warnings.includes(message) || warnings.length >= LIMITS.researchWarningsMax) return;
  warnings.push(message);
  run.emit({ type: 'warning', message });
}
