import { HeadgateError } from '../core/errors.ts';

/** A tool that cannot be served: no name, no function, no schema, or a name that is taken. */
export class ToolValidationError extends HeadgateError {
  override readonly name = 'ToolValidationError';
  constructor(message: string, details: { tool?: string; cause?: unknown } = {}) {
    super('invalid_request', message, { data: { tool: details.tool }, cause: details.cause });
  }
}
