import { BytePairEncodingCore } from 'gpt-tokenizer/BytePairEncodingCore';
import ranks from 'gpt-tokenizer/bpeRanks/o200k_base';
import { O200KBase } from 'gpt-tokenizer/encodingParams/o200k_base';

// The core alone: the package's own entry brings chats, tools and prices of models with it.
const core = new BytePairEncodingCore(O200KBase(ranks));

/** Control tokens in a page are counted as text. */
export const countOpenAiTokens = (text: string): number => core.countNative(text);
