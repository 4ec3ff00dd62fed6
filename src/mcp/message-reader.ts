import { HeadgateError } from '../core/errors.ts';

/** Takes the messages out of a body that arrives in pieces: one JSON document, or a stream of events. */
export interface MessageReader {
  read(text: string): unknown[];
  /** What is left when the body has ended. */
  end(): unknown[];
}

export function createMessageReader(contentType: string, charsMax: number): MessageReader {
  const isStream = contentType.includes('text/event-stream');
  let rest = '';
  return {
    read: (text) => {
      rest += text;
      const events = isStream ? rest.split(/\r?\n\r?\n/) : [rest];
      rest = events.pop() ?? '';
      if (rest.length > charsMax)
        throw new HeadgateError('page_too_large', 'The gateway’s answer is too large.', {
          remediation: 'Ask for less at a time.',
        });
      return events.flatMap(messagesOf);
    },
    end: () => (isStream ? messagesOf(rest) : rest.trim() === '' ? [] : [parsed(rest)].flat()),
  };
}

/** An event may have its data in several lines, and comments that only keep the connection open. */
function messagesOf(event: string): unknown[] {
  const lines = event.split(/\r?\n/).filter((line) => line.startsWith('data:'));
  const data = lines.map((line) => line.slice(5).replace(/^ /, '')).join('\n');
  return data.trim() === '' ? [] : [parsed(data)];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new HeadgateError('upstream_bad_answer', 'The gateway’s answer is not a message.', {
      remediation: 'Check --gateway: it is the address that the console is at.',
      cause,
    });
  }
}
