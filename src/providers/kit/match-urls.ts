import { canonicalUrl } from '../../core/url.ts';

/**
 * Assigns answers to the requested URLs. Providers normalise URLs (slashes, `www.`, escapes) and report the
 * end of redirects, so equality is tried first, then the canonical form; a single remaining answer goes to
 * the single remaining URL.
 */
export function matchUrls<Answer extends { url: string }>(
  asked: string[],
  answers: Answer[],
): Map<string, Answer> {
  const matched = new Map<string, Answer>();
  for (const form of [(url: string) => url, canonicalUrl, loosest]) {
    for (const url of asked.filter((candidate) => !matched.has(candidate))) {
      const answer = answers.find((candidate) => form(candidate.url) === form(url));
      if (answer !== undefined) matched.set(url, answer);
    }
  }
  const taken = new Set(matched.values());
  const openAnswers = answers.filter((answer) => !taken.has(answer));
  const openUrls = asked.filter((url) => !matched.has(url));
  const [answer] = openAnswers;
  const [url] = openUrls;
  if (openAnswers.length === 1 && openUrls.length === 1 && answer !== undefined && url !== undefined) {
    matched.set(url, answer);
  }
  return matched;
}

/** Decodes escapes and ignores case: pages that differ only in this are hardly ever requested together. */
function loosest(url: string): string {
  const canonical = canonicalUrl(/^[a-z]+:\/\//i.test(url) ? url : `https://${url}`);
  try {
    return decodeURIComponent(canonical).toLowerCase();
  } catch {
    return canonical.toLowerCase();
  }
}
