import { canonicalUrl } from '../core/url.ts';

/**
 * Which answer belongs to which asked URL. Providers normalise URLs (slashes, `www.`, escapes) and report where redirects
 * ended, so equality is tried first, then the canonical form, and at last a single answer goes to the single URL that is left.
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

/** Escapes decoded and case ignored: two pages that differ only in this are hardly ever asked for in one call. */
function loosest(url: string): string {
  const canonical = canonicalUrl(/^[a-z]+:\/\//i.test(url) ? url : `https://${url}`);
  try {
    return decodeURIComponent(canonical).toLowerCase();
  } catch {
    return canonical.toLowerCase();
  }
}
