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

const step = (here: unknown, name: string): unknown =>
  typeof here === 'object' && here !== null && Object.hasOwn(here, name)
    ? (here as Record<string, unknown>)[name]
    : undefined;

/** The text at a path; the texts of a list are joined by lines. Undefined when there is none. */
export function textAt(value: unknown, paths: string | undefined): string | undefined {
  const found = paths === undefined ? undefined : at(value, paths);
  if (typeof found === 'string') return found;
  if (!Array.isArray(found)) return undefined;
  const texts = found.filter((one): one is string => typeof one === 'string' && one !== '');
  return texts.length === 0 ? undefined : texts.join('\n');
}

/** The number at a path, also when it is written as a text. */
export function numberAt(value: unknown, paths: string): number | undefined {
  const found = at(value, paths);
  const number = typeof found === 'string' && found.trim() !== '' ? Number(found) : found;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}
