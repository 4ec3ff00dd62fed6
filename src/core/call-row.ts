import type { Millionths } from './money.ts';

/** Where a call came from. `research` and `library` are the steps of those jobs. */
export const SURFACES = ['http', 'mcp', 'stdio', 'cli', 'console', 'sdk', 'research', 'library'] as const;
export type Surface = (typeof SURFACES)[number];

/** One call, as the call log keeps it. */
export interface CallRow {
  /** When it began. */
  at: number;
  request: string;
  surface: Surface;
  /** The operation, or the tool of an MCP client. */
  operation: string;
  workspace: string | null;
  agent: string | null;
  key: string | null;
  person: string | null;
  /** The provider that answered, or the last one that was asked. */
  provider: string | null;
  outcome: string;
  code: string | null;
  /** The attempts as JSON, and how many there were. */
  attempts: string;
  tries: number;
  credits: number;
  charged: Millionths;
  /** What a language model used. */
  tokens: number;
  ms: number;
  cached: number;
  /** The rules that refused or reported something, such as `workspace.deny`. */
  policy: string | null;
  /** The length of the texts, which a workspace keeps only when it says so. */
  text_bytes: number;
  query: string | null;
  answer: string | null;
}

/** Which texts of its calls a workspace keeps. */
export interface KeptTexts {
  queries: boolean;
  answers: boolean;
}

/** The log of calls, as those see it who write to it. */
export interface CallLog {
  /** Which texts are kept; cached for a few seconds. */
  keeps(workspace: string | undefined): KeptTexts | Promise<KeptTexts>;
  /** Writes a row within a second, together with others. */
  note(row: CallRow): void;
  /** Writes what waits. */
  flush(): Promise<void>;
}

/** The row of a running call. It is written once: with the charge, or else at the end. */
export interface CallNote {
  /** The row of a call that ended with this output. */
  row(output: unknown): CallRow;
  /** The row of a call that failed. */
  failedRow(thrown: unknown): CallRow;
  /** The rules that refused or reported something. */
  decisions: Set<string>;
  /** Parts of the input that the row must not keep. */
  secrets: Set<string>;
  isWritten: boolean;
  /** What a language model used for it so far. */
  tokens: number;
  /** The answer of an earlier call was given again. */
  isReplay: boolean;
}
