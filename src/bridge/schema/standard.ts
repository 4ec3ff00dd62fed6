/** The parts of the Standard Schema and Standard JSON Schema interfaces that the bridge uses. */
export interface StandardSchema {
  readonly '~standard': {
    readonly vendor: string;
    validate(value: unknown): StandardResult | Promise<StandardResult>;
    readonly jsonSchema?: Record<
      'input' | 'output',
      (options: { target: string }) => Record<string, unknown>
    >;
  };
}

export interface StandardIssue {
  message: string;
  path?: readonly (PropertyKey | { key: PropertyKey })[] | undefined;
}

export type StandardResult =
  | { value: unknown; issues?: undefined }
  | { issues: readonly StandardIssue[]; value?: undefined };

export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  const standard = (value as { '~standard'?: { validate?: unknown } })['~standard'];
  return typeof standard?.validate === 'function';
}

/** The path of an issue in the form of the other messages: `filters.dates[0]`. */
export function issuePath({ path = [] }: StandardIssue): string {
  return path
    .map((part) => (typeof part === 'object' ? part.key : part))
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${String(key)}`))
    .join('');
}
