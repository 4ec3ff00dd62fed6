import type { Tree } from '../parse/nodes.ts';

/**
 * URLs of forums: a word in the host, or a whole segment of the path. Headlines in paths contain words such
 * as `question`, too.
 */
export const FORUM_ADDRESS =
  /^[a-z]+:\/\/[^/]*(forum|communit|discuss|answers|stackexchange|stackoverflow)|\/(forums?|threads?|topic|t|r|discuss(ions?)?|community|questions?|answers|(viewtopic|showthread)[^/]*)([/?.]|$)/i;
/**
 * JSON-LD types of a discussion. `Question` is not one of them: many pages have a list of answered
 * questions.
 */
export const FORUM_TYPE = /"@type"\s*:\s*\[?\s*"(DiscussionForumPosting|QAPage)"/;

/** Whether the URL or the JSON-LD of a page says that it is a forum. */
export const isForum = ({ head }: Tree, url: string | undefined): boolean =>
  FORUM_ADDRESS.test(url ?? '') || head.linkedData.some((text) => FORUM_TYPE.test(text));
