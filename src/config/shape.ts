/** The shape of an object schema inside its wrappers. */
export function shapeOf(schema: unknown): Record<string, unknown> | undefined {
  let here = schema as { shape?: Record<string, unknown>; def?: { innerType?: unknown } } | undefined;
  while (here !== undefined && here.shape === undefined) here = here.def?.innerType as typeof here;
  return here?.shape;
}
