export { chunkText, type ChunkOptions } from './rank/chunk.ts';
export { condenseQuery, type CondenseLimits } from './rank/condense.ts';
export { fuse } from './rank/fuse.ts';
export {
  joinChunks,
  rankChunks,
  type RankDocument,
  type RankedDocument,
  type RankOptions,
} from './rank/rank.ts';
export { tokenise } from './rank/tokenise.ts';
export { CUT_MARK, fitItems, type FitItemsOptions, type FittedItems } from './rank/fit-items.ts';
export { fitText, type FitOptions, type FittedText } from './rank/fit.ts';
export { framed, type Framed } from './rank/frame.ts';
export { countTokens, estimateTokens } from './rank/tokens.ts';
