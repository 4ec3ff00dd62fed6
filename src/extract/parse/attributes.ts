import { decodeHTML, decodeHTMLAttribute } from 'entities/decode';

/** Decodes character references in text. Text without `&` is returned as it is. */
export const decodeText = (text: string): string => (text.includes('&') ? decodeHTML(text) : text);

/** Decodes character references in an attribute value, where `&copy=1` in a URL is not one. */
export const decodeAttribute = (text: string): string =>
  text.includes('&') ? decodeHTMLAttribute(text) : text;

/** The value of an attribute in a flat list of pairs. The first of several counts, as in browsers. */
export function readAttribute(attributes: string[], name: string): string | undefined {
  for (let index = 0; index < attributes.length; index += 2)
    if (attributes[index] === name) return attributes[index + 1];
  return undefined;
}
