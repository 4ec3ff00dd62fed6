/** A page that says more than this is more than a wall before the page that was asked for. */
export const NOTICE_WORDS_MAX = 60;

const NOTICES = [
  /\b(enable|activate|turn on) java ?script\b/i,
  /\bjava ?script (is|must be|needs to be) (not )?(enabled|disabled|required|turned off)\b/i,
  /\b(checking|verifying) (your browser|(that )?you are (a )?human)\b/i,
  /\b(verify|confirm|prove) (that )?you('re| are) (not a (ro)?bot|(a )?human)\b/i,
  /\bunusual (traffic|activity) from your\b/i,
  /^\s*access (to this (page|site|website) (has been|is) )?denied\b/i,
];

/** Whether a short text is probably what stands before a page: a request to run scripts, a check for robots, a refusal. */
export const isNotice = (text: string): boolean => NOTICES.some((notice) => notice.test(text));
