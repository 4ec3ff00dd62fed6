/** Words and phrases of questions about the present, in the languages with word lists. */
const NOW =
  /\b(?:now|nowadays|today|current|currently|latest|newest|recent|recently|this (?:year|month|week)|so far|state of|aktuell\p{L}*|derzeit\p{L}*|heute|heutig\p{L}*|neueste\p{L}*|jüngste\p{L}*|actual(?:es|mente)?|hoy|últim[oa]s?|recientes?)(?!\p{L})|目前|现在|當前|当前|最新|最近|如今|現在|今日|近年/giu;

/** Whether a question asks how things are now, so that newer sources count more. */
export const isAboutNow = (question: string): boolean => question.search(NOW) !== -1;

/** A question without the words that only say that it is about now; pages need not have them. */
export const withoutNow = (question: string): string => question.replace(NOW, ' ');

/** The time of a date, if it is one. */
export function timeOf(date: string | undefined): number | undefined {
  const time = date === undefined ? Number.NaN : Date.parse(date);
  return Number.isNaN(time) ? undefined : time;
}
