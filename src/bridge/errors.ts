import { Failure } from '../core/errors.ts';
import { ended } from '../core/text.ts';

/** Thrown for a tool that cannot be served: no name, no function, no schema, or a duplicate name. */
export class ToolValidationError extends Failure {
  override readonly name = 'ToolValidationError';

  constructor(message: string, details: { tool?: string; cause?: unknown } = {}) {
    super('invalid_request', message, { data: { tool: details.tool }, cause: details.cause });
  }
}

/** Thrown for dependencies that cannot be serialised. */
export class UnsupportedDepsTypeError extends Failure {
  override readonly name = 'UnsupportedDepsTypeError';

  constructor(typeName: string, path: string, reason?: string) {
    super(
      'invalid_request',
      `Unsupported dependency type: ${typeName} at ${path}${reason === undefined ? '' : ` (${reason})`}. ` +
        'Only serialisable values are supported: plain objects, lists, text, finite numbers, true and false, null, ' +
        'Date, Map, Set, and objects that a schema describes.',
      {
        remediation: 'Leave it out, or pass it as `toolContext` when the tools run in this process.',
        data: { type: typeName, path },
      },
    );
  }
}

/** Thrown when tools need dependencies and none were given. */
export class MissingDepsError extends Failure {
  override readonly name = 'MissingDepsError';

  constructor(tools: readonly string[]) {
    super(
      'invalid_request',
      `Tools that need dependencies were found (${tools.join(', ')}), but none were given.`,
      {
        remediation: 'Pass `deps`, or use convertToolWithDeps(tool, deps).',
        data: { tools },
      },
    );
  }
}

/** Thrown when a schema refers to a type that does not exist. */
export class TypeHintResolutionError extends Failure {
  override readonly name = 'TypeHintResolutionError';

  constructor(typeName: string, reason: string, cause?: unknown) {
    super('invalid_request', ended(`Cannot resolve the type '${typeName}': ${reason}`), {
      remediation: 'Make sure that every type it refers to is defined in the same schema.',
      data: { type: typeName },
      cause,
    });
  }
}

/** Thrown when tools are requested before any were registered. */
export class ToolsetNotRegisteredError extends Failure {
  override readonly name = 'ToolsetNotRegisteredError';

  constructor(requested: readonly string[]) {
    super(
      'invalid_request',
      `Tools were asked for (${requested.join(', ')}), but no toolsets are registered.`,
      {
        remediation: 'Call setAgentToolsets(toolsets) first.',
        data: { requested },
      },
    );
  }
}

/** Thrown when a requested tool is not registered. */
export class ToolNotFoundError extends Failure {
  override readonly name = 'ToolNotFoundError';

  constructor(missing: readonly string[], available: readonly string[]) {
    super(
      'not_found',
      `Tools not found in the registered toolsets: ${missing.join(', ')}. Available tools: ${available.join(', ') || 'none'}.`,
      {
        remediation:
          'Ask for available tools only, or register the toolset that has them with setAgentToolsets().',
        data: { missing, available },
      },
    );
  }
}
