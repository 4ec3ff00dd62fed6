/**
 * The value at a path such as `data.web` or `error.0.message`; of several paths (`title|name`), the first that has one. Anything may
 * stand anywhere in an answer, so nothing on the way is taken for granted.
 */
export function at(value: unknown, paths: string): unknown {
  for (const path of paths.split('|')) {
    const found = path === '' ? value : path.split('.').reduce(step, value);
    if (found !== undefined && found !== null && found !== '') return found;
  }
  return undefined;
}

/** True when there is something at a path, be it empty. */
export const isAt = (value: unknown, path: string): boolean =>
  path.split('.').reduce(step, value) !== undefined;

const step = (here: unknown, name: string): unknown =>
  typeof here === 'object' && here !== null && Object.hasOwn(here, name)
    ? (here as Record<string, unknown>)[name]
    : undefined;

/** The text at a path, of several the first that has one; the texts of a list are joined by lines. Undefined when there is none. */
export function textAt(value: unknown, paths: string | undefined): string | undefined {
  for (const path of paths?.split('|') ?? []) {
    const found = [at(value, path)]
      .flat()
      .filter((one): one is string => typeof one === 'string' && one !== '');
    if (found.length > 0) return found.join('\n');
  }
  return undefined;
}

/** The number at a path, also when it is written as a text. */
export function numberAt(value: unknown, paths: string): number | undefined {
  const found = at(value, paths);
  const number = typeof found === 'string' && found.trim() !== '' ? Number(found) : found;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** Credits of a tenth of a cent for the dollars at a path. */
export function creditsAt(value: unknown, paths: string): number | undefined {
  const dollars = numberAt(value, paths);
  return dollars === undefined || dollars < 0 ? undefined : Math.ceil(dollars * 1_000 - 1e-9);
}
