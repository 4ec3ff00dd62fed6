/** The text that a session's findings were quoted from. */
export interface SourceText {
  id: string;
  url: string;
  hash: string;
  text: string;
}
