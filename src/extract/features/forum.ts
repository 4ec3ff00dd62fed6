/** Words of an address that name a forum: anywhere in the host, but alone between the slashes of the path, because headlines have questions and topics, too. */
export const FORUM_ADDRESS =
  /^[a-z]+:\/\/[^/]*(forum|communit|discuss|answers|stackexchange|stackoverflow)|\/(forums?|threads?|topic|t|r|discuss(ions?)?|community|questions?|answers|(viewtopic|showthread)[^/]*)([/?.]|$)/i;
/** No single question: a list of answered ones stands on many a page. */
export const FORUM_TYPE = /"@type"\s*:\s*\[?\s*"(DiscussionForumPosting|QAPage)"/;
