import { decodeHTML, decodeHTMLAttribute } from 'entities/decode';

/** Character references of running text as characters. Text without `&` is returned untouched, which is nearly all of it. */
export const decodeText = (text: string): string => (text.includes('&') ? decodeHTML(text) : text);

/** The same by the rules of attribute values, where `&copy=1` in a URL is not a reference. */
export const decodeAttribute = (text: string): string =>
  text.includes('&') ? decodeHTMLAttribute(text) : text;
