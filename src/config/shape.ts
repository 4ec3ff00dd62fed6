interface Wrapped {
  shape?: Record<string, unknown>;
  def?: { innerType?: unknown; getter?(): unknown };
}

/** The shape of an object schema inside its wrappers. */
export function shapeOf(schema: unknown): Record<string, unknown> | undefined {
  let here = schema as Wrapped | undefined;
  while (here !== undefined && here.shape === undefined)
    here = (here.def?.innerType ?? here.def?.getter?.()) as Wrapped | undefined;
  return here?.shape;
}
