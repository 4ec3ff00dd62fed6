import { json, objectIn, type SimRequest, type SimResponse, type SimUpstream } from './upstream.ts';

/*
 * A language model for tests: OpenAI's `/v1/chat/completions` and Anthropic's `/v1/messages`. By default it is honest: it reads the task out of
 * the prompt and answers from the sources in it, word for word. A test gives it its own answers with `answer`.
 */

/** Returns the model's answer; undefined means the honest default. */
export type ScriptedModelAnswer = (prompt: string) => string | undefined;

export const createModelSim = (answer: ScriptedModelAnswer = () => undefined): SimUpstream => ({
  id: 'model',
  handle: (request) => respond(request, answer),
});

function respond(request: SimRequest, answer: ScriptedModelAnswer): SimResponse {
  const body = objectIn(request);
  const messages = (body?.['messages'] ?? []) as { role: string; content: string }[];
  const prompt = messages.map(({ content }) => content).join('\n');
  const text = answer(prompt) ?? honestAnswer(prompt);
  const tokens = { input: Math.ceil(prompt.length / 4), output: Math.ceil(text.length / 4) };
  if (request.url.pathname === '/v1/chat/completions')
    return json(200, {
      id: 'sim',
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
      usage: { prompt_tokens: tokens.input, completion_tokens: tokens.output },
    });
  if (request.url.pathname === '/v1/messages')
    return json(200, {
      id: 'sim',
      type: 'message',
      content: [{ type: 'text', text }],
      stop_reason: 'end_turn',
      usage: { input_tokens: tokens.input, output_tokens: tokens.output },
    });
  return json(404, { error: { message: 'Not found' } });
}

/** Answers each task from the content of the prompt. */
export function honestAnswer(prompt: string): string {
  const task = /^TASK: (\w+)/m.exec(prompt)?.[1];
  const question = /^QUESTION: (.+)$/m.exec(prompt)?.[1] ?? '';
  switch (task) {
    case 'plan':
      return fenced({
        research_brief: `Find out: ${question}`,
        sub_queries: ['history', 'leakage', 'cost of lining'].map((side, index) => ({
          query: `Aldana canal ${side}`,
          rationale: `The ${side} matters.`,
          priority: index + 1,
        })),
      });
    case 'analysis':
      return JSON.stringify({ findings: findingsIn(prompt), gaps: [], quality_updates: [] });
    case 'refinement':
      return JSON.stringify({
        gap_analysis: [],
        follow_up_queries: [],
        addressed_gap_ids: [],
        iteration_recommendation: { should_iterate: false, rationale: 'Enough is known.' },
      });
    case 'synthesis': {
      const ids = [...prompt.matchAll(/\b(find-[0-9a-f]{8}): (.+)$/gm)];
      const line = ([, id, text]: RegExpMatchArray): unknown => ({ text, finding_ids: [id] });
      return JSON.stringify({ summary: ids.slice(0, 3).map(line), conclusions: ids.slice(0, 1).map(line) });
    }
    case 'answer':
      return JSON.stringify({
        sentences: sentencesIn(prompt).slice(0, prompt.includes('in detail') ? 6 : 2),
      });
    default:
      return 'I do not understand.';
  }
}

/** One finding per source: its first full sentence, quoted. */
function findingsIn(prompt: string): unknown[] {
  return [...prompt.matchAll(/\[(src-[0-9a-f]{8})\][^\n]*\n([^]*?)(?=\n\[src-|\n<\/)/g)].flatMap(
    ([, source, text = '']) => {
      const quote = /[A-Z][^.\n|#`]{30,}\./.exec(text)?.[0];
      if (quote === undefined) return [];
      const content = `The source says: ${quote}`;
      return [{ content, quote, confidence: 'medium', source_ids: [source], category: 'The canal' }];
    },
  );
}

/** One sentence of each numbered result. */
const sentencesIn = (prompt: string): unknown[] =>
  [...prompt.matchAll(/^\[(\d+)\] [^\n]*\n([^\n]+)/gm)].flatMap(([, number, text = '']) => {
    const sentence = /[^.!?]{10,}[.!?]/.exec(text)?.[0];
    return sentence === undefined ? [] : [{ text: sentence.trim(), results: [Number(number)] }];
  });

const fenced = (value: unknown): string => `Here is the plan.\n\`\`\`json\n${JSON.stringify(value)}\n\`\`\``;
