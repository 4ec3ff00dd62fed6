/** A passage of a source: `text` stands at `start`–`end` (UTF-16 offsets) of its content, or of its snippet when it has none. */
export interface Chunk {
  text: string;
  start: number;
  end: number;
  /** The heading of its section, the head of its table or the fence of its code, where it begins below them; put it before the text to read it. */
  opening?: string;
  /** The fence that ends the code the passage was cut out of. */
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
  /** What the provider says about the page: a snippet or its best passages. */
  snippet: string;
  /** The page's own content, when it was asked for and had. */
  content?: string;
  /** 0–1, best first within one answer. */
  score: number;
  /** The score only says at which place it was found: nobody measured how well it fits. */
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
