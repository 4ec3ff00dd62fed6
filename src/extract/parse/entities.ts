import { decodeHTML, decodeHTMLAttribute } from 'entities/decode';

/** Decodes character references in text. Text without `&` is returned as it is. */
export const decodeText = (text: string): string => (text.includes('&') ? decodeHTML(text) : text);

/** Decodes character references in an attribute value, where `&copy=1` in a URL is not one. */
export const decodeAttribute = (text: string): string =>
  text.includes('&') ? decodeHTMLAttribute(text) : text;
