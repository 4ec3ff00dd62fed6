/**
 * Puts printed text between its marks in a page that is otherwise written by hand:
 * `<!-- printed: name -->` … `<!-- end of name -->`. A mark that is missing is an error, since nothing would be printed.
 */
export function fillPlaces(page: string, places: Record<string, string>): string {
  return Object.entries(places).reduce((text, [name, body]) => {
    const [from, to] = [`<!-- printed: ${name} -->`, `<!-- end of ${name} -->`];
    const [start, end] = [text.indexOf(from), text.indexOf(to)];
    if (start === -1 || end < start) throw new Error(`The page has no place "${name}": ${from} … ${to}.`);
    return `${text.slice(0, start + from.length)}\n${body}\n${text.slice(end)}`;
  }, page);
}
