/**
 * A passage of a source. `text` is at `start`–`end` (UTF-16 offsets) of the content, or of the snippet when
 * there is no content.
 */
export interface Chunk {
  text: string;
  start: number;
  end: number;
  /**
   * The section heading, table head or code fence above the passage, when it starts below them. Put it before
   * the text to read it.
   */
  opening?: string;
  /** The closing fence of the code block that the passage was cut from. */
  closing?: string;
  headings?: string[];
  score?: number;
}

export interface SourceImage {
  url: string;
  description?: string;
}

/** A page or a search result. Everything in it comes from the web and is untrusted. */
export interface Source {
  url: string;
  title: string;
  /** The provider's description of the page: a snippet or its best passages. */
  snippet: string;
  /** The page's content, when it was requested and available. */
  content?: string;
  /** 0–1, best first within one answer. */
  score: number;
  /** Set when the score only reflects the position in the list, because relevance was not measured. */
  scoreBy?: 'rank';
  /** ISO 8601. */
  publishedDate?: string;
  favicon?: string;
  images?: SourceImage[];
  chunks?: Chunk[];
  /** Which provider found it; several when merged. */
  provider: string;
  foundBy?: string[];
  trust: 'untrusted_web';
}
