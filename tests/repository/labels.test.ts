import { describe, expect, test } from 'vitest';
import { labelByGold, type LabelledBlock, tokenize } from '../../scripts/train/label.ts';

const block = (text: string, fields: Partial<LabelledBlock> = {}): LabelledBlock => ({
  tokens: tokenize(text),
  text,
  isHidden: false,
  mayRepeat: false,
  ...fields,
});
const prose = 'The kettle boils a litre of water in two minutes and stays quiet.';

describe('labels for training', () => {
  test('a word of the menu is not content because the text uses it, too', () => {
    const blocks = [
      block('Kettle'),
      block('Water'),
      ...Array.from({ length: 8 }, () => block('Sign in here now')),
    ];
    const labels = labelByGold([...blocks, block(prose)], prose);
    expect(labels.slice(0, 2)).toEqual([0, 0]);
    expect(labels.at(-1)).toBe(1);
  });

  test('a short line of the gold text goes to the block among content', () => {
    const menu = [block('Care'), ...Array.from({ length: 8 }, () => block('Sign in here now'))];
    const labels = labelByGold([...menu, block(prose), block('Care')], `${prose}\nCare`);
    expect(labels[0]).toBe(0);
    expect(labels.at(-1)).toBe(1);
  });

  test('a short text that stands on the page more often than in the gold text is content as often as there', () => {
    const labels = labelByGold(
      [block(prose), ...Array.from({ length: 4 }, () => block('Add to cart'))],
      `${prose}\nAdd to cart`,
    );
    expect(labels.slice(1).filter((label) => label > 0.5)).toHaveLength(1);
  });

  test('a long text counts once for all its repetitions, because the product shows it once', () => {
    expect(labelByGold([block(prose), block(prose)], prose)).toEqual([1, 1]);
  });

  test('what is hidden takes no words', () => {
    const labels = labelByGold(
      [block('Steel', { isHidden: true }), block(prose), block('Steel')],
      `${prose}\nSteel`,
    );
    expect(labels[2]).toBe(1);
  });
});
