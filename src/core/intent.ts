/** What a query can be about. The order is that of the trained weights. */
export const INTENTS = [
  'general',
  'encyclopaedia',
  'programming',
  'software',
  'science',
  'medicine',
  'books',
  'security',
] as const;
export type Intent = (typeof INTENTS)[number];
