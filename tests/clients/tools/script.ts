// What the examples of docs/guides/sdk.md take for granted, and a model that says what it is told and notes what it reads.
export const { baseUrl, apiKey, steps } = JSON.parse(process.env['HEADGATE_SCRIPT'] ?? '{}') as {
  baseUrl: string;
  apiKey: string;
  steps: { name: string; input: object }[];
};
export const prompt = 'When was the tidal mill built?';
const controller = new AbortController();
export const abortSignal = controller.signal;
/** The test says on the standard input when the user leaves. */
process.stdin.once('data', () => controller.abort(new Error('The user left.')));

/** The tools that were offered, and every conversation that the model was asked to continue. */
const heard: { tools: unknown; messages: unknown }[] = [];
export function nextStep(tools: unknown, messages: unknown) {
  heard.push(JSON.parse(JSON.stringify({ tools, messages })) as (typeof heard)[number]);
  const step = steps[heard.length - 1];
  return step === undefined ? undefined : { id: `call-${heard.length}`, ...step };
}

process.once('exit', () => console.log(`\nHEARD ${JSON.stringify(heard)}`));
process.on('uncaughtException', (thrown) => {
  console.log(`\nTHROWN ${String(thrown)}`);
  process.exit(0);
});
/** Frameworks keep timers and connections; the last line of a program calls this. */
export const end = (answer: unknown): never => {
  console.log(`\nANSWER ${JSON.stringify(answer)}`);
  process.exit(0);
};
