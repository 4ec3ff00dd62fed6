import { HumanMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import type { ClientTool } from '@langchain/core/tools';
import { convertToOpenAITool } from '@langchain/core/utils/function_calling';
import { abortSignal, apiKey, baseUrl, end, nextStep, prompt } from './script.ts';

// EXAMPLE
// What an agent of LangChain does: the tools as a model is offered them, and a message of the result of each call.
const all: ClientTool[] = tools;
const offered = tools.map((one) => convertToOpenAITool(one));
const messages: BaseMessage[] = [new HumanMessage(prompt)];
for (let step = nextStep(offered, messages); step !== undefined; step = nextStep(offered, messages)) {
  const { id, name, input: args } = step;
  const called = all.find((one) => one.name === name);
  const result: unknown = await called?.invoke(
    { type: 'tool_call', id, name, args },
    { signal: abortSignal },
  );
  if (!(result instanceof ToolMessage)) throw new Error(`${name} made no message of its result.`);
  messages.push(result);
}
end('In 1742.');
