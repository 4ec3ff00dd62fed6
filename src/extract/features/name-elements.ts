import type { Tree } from '../parse/nodes.ts';
import { createNamesReader } from './class-groups.ts';

/** Remembers what the elements of a page are called by class, id, itemprop and role. */
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
      // What a page marks for machines as its text says more than a class of the same name.
      const names = readNames(attribute === 'itemprop' ? `micro-${value}` : value);
      element.groups |= names.groups;
      if (isClass) element.classNames ??= names;
      else if (isId) element.idNames ??= names;
    }
  }
}
