import type { Tree } from '../parse/nodes.ts';
import { createNamesReader } from '../parse/class-groups.ts';

/** Sets the class groups and names of all elements, from class, id, itemprop and role. */
export function nameElements({ elements }: Tree): void {
  const readNames = createNamesReader();
  for (const element of elements) {
    const { attributes } = element;
    for (let index = 0; index < attributes.length; index += 2) {
      const attribute = attributes[index];
      const isClass = attribute === 'class';
      const isId = attribute === 'id';
      if (!isClass && !isId && attribute !== 'itemprop' && attribute !== 'role') continue;
      const value = attributes[index + 1] as string;
      // Microdata is more reliable than a class of the same name.
      const names = readNames(attribute === 'itemprop' ? `micro-${value}` : value);
      element.groups |= names.groups;
      if (isClass) element.classNames ??= names;
      else if (isId) element.idNames ??= names;
    }
  }
}
