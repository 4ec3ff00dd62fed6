/**
 * Words that DuckDuckGo treats as commands: `!w` and `w!` redirect to another site, a leading `\` to the
 * first result. Inside quotation marks they are text.
 */
const COMMAND = /(?<=^|\s)(!{1,2}[^\s"!]+|[a-z0-9]{1,4}!|\\[^\s"]*)(?=\s|$)/gi;

/** The commands in a query, outside quotation marks. */
export const bangsIn = (text: string): string[] =>
  outsideQuotes(text).flatMap((part) => part.match(COMMAND) ?? []);

/** Quotes every command in a query, or removes its sign when the quotation marks would make it too long. */
export function quoteBangs(text: string, charsMax: number): string {
  const replaced = (replace: (command: string) => string) =>
    text
      .split('"')
      .map((part, index) => (index % 2 === 0 ? part.replace(COMMAND, replace) : part))
      .join('"');
  const quoted = replaced((command) => `"${command}"`);
  return quoted.length <= charsMax ? quoted : replaced((command) => command.replace(/[!\\]/g, ''));
}

const outsideQuotes = (text: string): string[] => text.split('"').filter((_, index) => index % 2 === 0);
