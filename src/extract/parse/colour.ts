/** Red, green and blue from 0 to 255, and alpha from 0 to 1. */
export type Colour = number[];

export const WHITE: Colour = [255, 255, 255, 1];

/** The names that hide text on a page without other colours, and the commonest. */
const NAMES =
  'transparent 0000 white fff black 000 snow fffafa ivory fffff0 ghostwhite f8f8ff floralwhite fffaf0 mintcream f5fffa azure f0ffff red f00 blue 00f';
const NAMED = new Map([...NAMES.matchAll(/(\w+) (\w+)/g)].map(([, name = '', hex = '']) => [name, hex]));

/** Reads a colour of a style sheet; undefined for names and functions that are not known. */
export function readColour(value: string | undefined): Colour | undefined {
  const text = value?.trim().toLowerCase() ?? '';
  const hex = NAMED.get(text) ?? /^#([\da-f]{3,8})$/.exec(text)?.[1];
  if (hex !== undefined) {
    const digits = hex.length < 5 ? [...hex].map((digit) => digit + digit) : (hex.match(/../g) ?? []);
    const [red = 0, green = 0, blue = 0, alpha = 255] = digits.map((digit) => Number.parseInt(digit, 16));
    return [red, green, blue, alpha / 255];
  }
  const [, name = '', inside = ''] = /^([a-z-]{2,7})\(([^()]{1,80})\)$/.exec(text) ?? [];
  const whole = name.startsWith('hsl') ? 100 : 255;
  const parts = inside.split(/[\s,/]+/).filter((part) => part !== '');
  const [first = Number.NaN, second = 0, third = 0, alpha = 1] = parts.map((part, index) =>
    part.endsWith('%')
      ? (Number.parseFloat(part) / 100) * (index === 3 ? 1 : whole)
      : Number.parseFloat(part),
  );
  if (alpha === 0 || name.startsWith('rgb')) return [first, second, third, alpha];
  return whole === 100 ? [...fromHsl(first, second / 100, third / 100), alpha] : undefined;
}

function fromHsl(hue: number, saturation: number, lightness: number): number[] {
  const spread = saturation * Math.min(lightness, 1 - lightness);
  const turns = [0, 8, 4].map((shift) => (shift + hue / 30) % 12);
  return turns.map((turn) => 255 * (lightness - spread * Math.max(-1, Math.min(turn - 3, 9 - turn, 1))));
}

const DIFFERENCE_MAX = 12;

/** Whether two opaque colours can hardly be told apart. */
export const isNear = (first: Colour, second: Colour): boolean =>
  first.every((value, at) =>
    at === 3 ? value > 0.5 : Math.abs(value - (second[at] as number)) <= DIFFERENCE_MAX,
  ) && (second[3] as number) > 0.5;
