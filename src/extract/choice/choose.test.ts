import { describe, expect, test } from 'vitest';
import { agree, chooseBlocks } from './choose.ts';

describe('agree', () => {
  test('a doubtful row follows the rows of its structure, and others are left alone', () => {
    const chances = agree(Int32Array.of(0, 0, 0, 1), Float32Array.of(0.9, 0.9, 0.3, 0.3));
    expect(chances[2]).toBeGreaterThan(0.5);
    expect(chances[0]).toBeGreaterThan(0.7);
    expect(chances[3]).toBeCloseTo(0.3, 4);
  });
});

describe('chooseBlocks', () => {
  test('on a page full of doubt keeps blocks below one half, on a clear page only the likely ones', () => {
    const words = Float64Array.of(50, 50, 50);
    expect([...chooseBlocks(words, Float32Array.of(0.4, 0.35, 0.05))]).toEqual([1, 1, 0]);
    expect([...chooseBlocks(words, Float32Array.of(0.99, 0.98, 0.35))]).toEqual([1, 1, 0]);
  });

  test('keeps nothing of a page that holds nothing likely: a shell shows its footer', () => {
    expect([...chooseBlocks(Float64Array.of(9, 9), Float32Array.of(0.18, 0.15))]).toEqual([0, 0]);
    expect([...chooseBlocks(new Float64Array(0), new Float32Array(0))]).toEqual([]);
  });

  test('keeps nothing that is surely not content', () => {
    expect([...chooseBlocks(Float64Array.of(9, 9), Float32Array.of(0.05, 0.02))]).toEqual([0, 0]);
  });
});
