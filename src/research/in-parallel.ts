/** Maps `work` over the values, at most `atOnce` at a time, in order. */
export async function inParallel<Value, Result>(
  values: Value[],
  atOnce: number,
  work: (value: Value) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < values.length) {
      const at = next;
      next += 1;
      results[at] = await work(values[at] as Value);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, values.length) }, worker));
  return results;
}
