/** A quantity or date in a sentence. `low` and `high` differ only for a range; dates are yyyymmdd. */
export interface Figure {
  kind: 'number' | 'date';
  /** What is measured: `length`, `%`, `usd`, `person`; empty for a bare count. */
  dimension: string;
  low: number;
  high: number;
  /** The number of significant digits, for comparing rounded figures. */
  precision: number;
  /** `about 20`. */
  isAbout: boolean;
  /** `more than 20`, `at most 20`. */
  bound?: 'above' | 'below';
  /** Whether the number was converted to the base unit, so that equality needs a tolerance. */
  isConverted: boolean;
  /** As written. */
  text: string;
  start: number;
  end: number;
}

const ABOUT_BEFORE =
  /(?:\b(?:about|around|roughly|approximately|approx\.?|nearly|almost|some|circa|ca\.?|an estimated|rund|etwa|ungefähr|knapp|fast|zirka|gut|circa|unos|unas|cerca de|aproximadamente|casi|alrededor de|en torno a)\s(?:the\s|den\s|los\s)?|[~≈]\s?|(?:約|およそ|おおよそ|ほぼ|约|大约|大概|将近|接近|近)(?:为|有)?)$/iu;
const ABOUT_AFTER = /^\s?(?:ほど|程度|前後|あまり|余り|左右|上下|余|多(?=[\p{L}]))/u;
const ABOVE =
  /(?:\b(?:more than|over|at least|above|exceed(?:s|ed|ing)?|mehr als|über|mindestens|más de|al menos|por lo menos|superior a)\s|(?:超过|逾|至少|超え|多于))$/iu;
const BELOW =
  /(?:\b(?:less than|under|at most|up to|fewer than|below|no more than|weniger als|unter|höchstens|bis zu|menos de|hasta|como máximo)\s|(?:不到|少于|不足|至多|最多|最大))$/iu;
const ABOVE_AFTER = /^\s?(?:以上|超|を超え|を上回)/u;
const BELOW_AFTER = /^\s?(?:以下|未満|未满|を下回)/u;

/** Whether the words around a figure mark it as rounded or as a bound. */
export function markedAs(text: string, start: number, end: number): Pick<Figure, 'isAbout' | 'bound'> {
  const before = text.slice(Math.max(0, start - 24), start);
  const after = text.slice(end, end + 8);
  const isAbove = ABOVE.test(before) || ABOVE_AFTER.test(after);
  const isBelow = BELOW.test(before) || BELOW_AFTER.test(after);
  return {
    isAbout: ABOUT_BEFORE.test(before) || ABOUT_AFTER.test(after),
    ...(isAbove ? { bound: 'above' as const } : isBelow ? { bound: 'below' as const } : {}),
  };
}
