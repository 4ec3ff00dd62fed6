import { describe, expect, test } from 'vitest';
import { loadConfig } from '../config/load.ts';
import { resolveSearchParameters, type ResearchMode, type SearchParameters } from './parameters.ts';

const configured = (settings: Record<string, unknown>) =>
  loadConfig({
    flags: Object.fromEntries(Object.entries(settings).map(([name, value]) => [`research.${name}`, value])),
  }).config.research;

const resolve = (mode: ResearchMode, config: Record<string, unknown> = {}, explicit: SearchParameters = {}) =>
  resolveSearchParameters(explicit, configured(config), mode);

describe('research spec 6: parameter precedence', () => {
  test.each([
    ['Default academic', 'academic', {}, {}, 'advanced'],
    ['Config overrides mode', 'academic', { tavily_search_depth: 'basic' }, {}, 'basic'],
    [
      'Explicit overrides all',
      'academic',
      { tavily_search_depth: 'basic' },
      { search_depth: 'fast' },
      'fast',
    ],
    ['Default general', 'general', {}, {}, 'basic'],
    ['Default technical', 'technical', {}, {}, 'advanced'],
    ['The wire form of ultra_fast', 'general', { tavily_search_depth: 'ultra_fast' }, {}, 'ultra-fast'],
  ] as const)('%s', (_name, mode, config, explicit, expected) => {
    expect(resolve(mode, config, explicit).search_depth).toBe(expected);
  });

  test.each([
    ['general', 'basic', 3, false],
    ['academic', 'advanced', 5, 'markdown'],
    ['technical', 'advanced', 4, 'markdown'],
  ] as const)('mode matrix: %s', (mode, search_depth, chunks_per_source, include_raw_content) => {
    expect(resolve(mode)).toEqual({
      search_depth,
      chunks_per_source,
      include_raw_content,
      topic: 'general',
      include_images: false,
    });
  });

  test('every config field reaches the call', () => {
    const config = {
      tavily_topic: 'news',
      tavily_news_days: 7,
      tavily_include_images: true,
      tavily_country: 'IT',
      tavily_chunks_per_source: 2,
      tavily_search_depth: 'fast',
    };
    expect(resolve('academic', config)).toMatchObject({
      topic: 'news',
      days: 7,
      include_images: true,
      country: 'IT',
      chunks_per_source: 2,
      search_depth: 'fast',
    });
  });

  test('configured days narrow only the news topic', () => {
    expect(resolve('general', { tavily_news_days: 7 })).not.toHaveProperty('days');
    expect(resolve('general', { tavily_news_days: 7 }, { topic: 'news' })).toMatchObject({ days: 7 });
  });

  test('auto parameters leave out what nobody set, and keep what config, mode or caller set', () => {
    expect(resolve('general', { tavily_auto_parameters: true })).toEqual({ auto_parameters: true });
    expect(resolve('general', { tavily_auto_parameters: true, tavily_topic: 'finance' })).toEqual({
      topic: 'finance',
      auto_parameters: true,
    });
    expect(resolve('academic', { tavily_auto_parameters: true })).toMatchObject({
      search_depth: 'advanced',
      auto_parameters: true,
    });
  });
});
