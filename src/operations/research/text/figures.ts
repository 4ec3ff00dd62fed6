/** A number of a sentence with what it counts; a year counts years. */
export interface Figure {
  kind: 'number' | 'date';
  unit: string;
  value: number;
  /** What is measured, where a word says so: 42 km *long*. */
  aspect?: string;
  /** As it is written. */
  text: string;
}

const NUMBER =
  /(?<![\p{L}\p{N}.,-])([$€£¥]?)(\d{1,3}(?:[,\u00A0\u202F]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?:\s?(thousand|million|billion|trillion|m|bn|k)\b)?\s?(%|percent\b|per cent\b|(?:(?:cubic|square)\s)?[\p{L}°][\p{L}°²³/]*(?:\sper\s\p{L}+)?)?(?:\s(long|wide|high|deep|tall|old|thick|away|above)\b)?/giu;

const SCALES: Record<string, number> = {
  thousand: 1e3,
  k: 1e3,
  million: 1e6,
  billion: 1e9,
  bn: 1e9,
  trillion: 1e12,
};

/** Spellings of one unit. */
const UNITS: Record<string, string> = {
  percent: '%',
  kilometres: 'km',
  kilometre: 'km',
  kilometers: 'km',
  kilometer: 'km',
  metres: 'm',
  metre: 'm',
  meters: 'm',
  meter: 'm',
  years: 'year',
  people: 'person',
  persons: 'person',
};

/** The figures of a sentence, in order. */
export function figuresOf(sentence: string): Figure[] {
  return [...sentence.matchAll(NUMBER)].flatMap((found): Figure[] => {
    const [, sign = '', digits = '', scale = '', word = '', aspect = ''] = found;
    const value = Number(digits.replace(/[,\u00A0\u202F]/g, '')) * (SCALES[scale.toLowerCase()] ?? 1);
    if (!Number.isFinite(value)) return [];
    const unit = sign === '' ? unitOf(word) : sign;
    const isYear = /^(1[0-9]|20)\d{2}$/.test(digits) && scale === '' && sign === '' && !isMeasure(unit);
    if (isYear) return [{ kind: 'date', unit: 'year', value, text: digits }];
    const text = `${sign}${digits}${scale === '' ? '' : ` ${scale}`}${isMeasure(unit) ? ` ${word}` : ''}`;
    return [
      {
        kind: 'number',
        unit,
        value,
        ...(aspect === '' ? {} : { aspect: aspect.toLowerCase() }),
        text: text.trim(),
      },
    ];
  });
}

function unitOf(word: string): string {
  const words = word.toLowerCase().split(/\s+/);
  return words.map((one) => UNITS[one] ?? (one.length > 3 ? one.replace(/s$/, '') : one)).join(' ');
}

/** Words that follow a number without being what it counts. */
const NOT_UNITS = new Set(
  'and or to in of the a an by for from with on at as is was were are has have had that which it its but when while until since than after before'.split(
    ' ',
  ),
);

const isMeasure = (unit: string): boolean => unit !== '' && !NOT_UNITS.has(unit.split(' ')[0] ?? '');

/** The figures of a sentence by what they measure; several of one kind speak of different things, and count for nothing. */
export type FigureIndex = Map<string, Figure | undefined>;

export function indexFigures(figures: Figure[]): FigureIndex {
  const index: FigureIndex = new Map();
  for (const figure of figures) {
    if (figure.kind === 'number' && !isMeasure(figure.unit)) continue;
    const key = `${figure.kind} ${figure.unit} ${figure.aspect ?? ''}`;
    index.set(key, index.has(key) ? undefined : figure);
  }
  return index;
}

/** The first pair of figures that contradict each other: they measure the same, and are not equal. */
export function contradiction(a: FigureIndex, b: FigureIndex): [Figure, Figure] | undefined {
  for (const [key, one] of a) {
    const other = b.get(key);
    if (one !== undefined && other !== undefined && !isSame(one, other)) return [one, other];
  }
  return undefined;
}

/** Rounding is not a contradiction; in years there is no rounding. */
const isSame = (a: Figure, b: Figure): boolean =>
  a.value === b.value ||
  (a.kind === 'number' &&
    Math.abs(a.value - b.value) <= 0.02 * Math.max(Math.abs(a.value), Math.abs(b.value)));
