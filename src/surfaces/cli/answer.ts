import { answer } from '../../operations/answer/answer.ts';
import { renderAnswer } from '../../tools/websearch.ts';
import { operationCommand } from './operation-command.ts';

export const command = operationCommand({
  operation: answer,
  positional: 'query',
  render: (output) => renderAnswer(output),
});
