import { parseInput } from '../contract/parse.ts';
import type { Call, Caller, Progress } from '../core/call.ts';
import { HeadgateError } from '../core/errors.ts';
import { newRequestId } from '../core/ids.ts';
import type { Operation } from './operation.ts';
import type { Services } from './services.ts';

interface CallOptions {
  signal?: AbortSignal;
  timeoutMs?: number;
  caller?: Caller;
  progress?(progress: Progress): void;
}

/** A call with its deadline: cancelled when the caller goes away or time runs out, whichever is first. */
export function createCall(services: Services, options: CallOptions = {}): Call {
  const timeoutMs = options.timeoutMs ?? services.config.search.timeout_ms;
  const deadline = AbortSignal.timeout(timeoutMs);
  return {
    requestId: newRequestId(),
    caller: options.caller ?? {},
    signal: options.signal === undefined ? deadline : AbortSignal.any([options.signal, deadline]),
    deadline: services.clock.now() + timeoutMs,
    ...(options.progress === undefined ? {} : { progress: options.progress }),
  };
}

/** The one road of every call: check the input, run, and turn whatever went wrong into a failure that says what to do. */
export async function perform<Input, Output>(
  operation: Operation<Input, Output>,
  raw: unknown,
  call: Call,
  services: Services,
): Promise<Output> {
  const started = services.clock.now();
  const name = operation.contract.name;
  services.log.debug('call_started', { operation: name, request: call.requestId });
  try {
    const input = parseInput(operation.contract.input, raw) as Input;
    const output = await operation.run(input, call, services);
    services.log.info('call_done', {
      operation: name,
      request: call.requestId,
      ms: services.clock.now() - started,
    });
    return output;
  } catch (thrown) {
    const error = HeadgateError.from(thrown);
    const level = error.type === 'internal' ? 'error' : 'info';
    const fields = {
      operation: name,
      request: call.requestId,
      code: error.code,
      ms: services.clock.now() - started,
    };
    services.log[level]('call_failed', { ...fields, message: error.message, cause: error.cause });
    throw error;
  }
}
