/** A page that says no more than this may be a wall before the page that was asked for. */
export const NOTICE_WORDS_MAX = 60;

const NOTICES = [
  /\b(enable|activate|turn on|allow|requires?|needs?|supports?|without)\b.{0,60}\bjava ?script\b/i,
  /\bjava ?script\b.{0,80}\b(enabled?|disabled|required?|turned off|not available|to run this app)\b/i,
  /\b(checking|verifying) (if the site|your browser|you are (a )?human|that you are)/i,
  /\b(verify|confirm|prove) (that )?you('re| are) (not a (ro)?bot|(a )?human)/i,
  /\bunusual (traffic|activity) from your\b/i,
  /\baccess (to this (page|site|website) (has been|is) )?denied\b/i,
];

/** Whether a short text is not a page's content but what stands before it: a request to run scripts, a check for robots, a refusal. */
export const isNotice = (text: string): boolean => NOTICES.some((notice) => notice.test(text));
