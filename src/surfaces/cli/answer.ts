import { answer } from '../../operations/answer/answer.ts';
import { lineEscaper } from '../../tools/markdown.ts';
import { renderAnswer } from '../../tools/websearch.ts';
import { operationCommand } from './operation-command.ts';

export const command = operationCommand({
  operation: answer,
  positional: 'query',
  render: (output) => withoutMessages(renderAnswer(output)),
});

/** The format has no lines that begin like a message of the command. */
const withoutMessages = lineEscaper('headgate:|!\\s');
