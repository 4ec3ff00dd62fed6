/** The ISO 639-1 code of a language tag: `en` for `EN`, `en-US` and `en_GB`; undefined when there is none. */
export const languageCode = (text: string | undefined): string | undefined =>
  /^([a-z]{2})(?:[-_][a-z]{2,4})?$/i.exec(text?.trim() ?? '')?.[1]?.toLowerCase();
