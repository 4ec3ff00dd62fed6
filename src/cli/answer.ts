import { answer } from '../operations/search/answer.ts';
import { lineEscaper } from '../toolsets/markdown.ts';
import { renderAnswer } from '../toolsets/render-answer.ts';
import { operationCommand } from './operation-command.ts';

export const command = operationCommand({
  operation: answer,
  positional: 'query',
  render: (output) => withoutMessages(renderAnswer(output)),
});

/** Escapes lines that look like messages of the command. */
const withoutMessages = lineEscaper('headgate:|!\\s');
