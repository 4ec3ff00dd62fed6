/** The value of an attribute in a flat list of pairs. The first of several counts, as in browsers. */
export function readAttribute(attributes: string[], name: string): string | undefined {
  for (let index = 0; index < attributes.length; index += 2)
    if (attributes[index] === name) return attributes[index + 1];
  return undefined;
}
