// A research without a model: every finding is a quote, with its source and its place in it.
import assert from 'node:assert/strict';
import { createHeadgate } from 'headgate';
import { startWorld } from './world.ts';

const world = await startWorld();
const web = createHeadgate({ env: world.env, home: world.home });
try {
  let id;
  for await (const event of web.researchEvents({
    query: 'What is Rust programming used for?',
    max_sub_queries: 2,
    max_iterations: 1,
  })) {
    console.log(`${event.sequence}. ${event.type}`);
    if (event.type === 'done') id = event.session.research_id;
  }
  const { report } = await web.researchSession({ action: 'report', research_id: id });
  assert.ok(report, 'A research ends with a report.');
  console.log(report.markdown.slice(0, 400));
  assert.equal(report.written_by, 'quotes');
  for (const finding of report.findings) {
    assert.ok(
      report.sources.some((source) => source.number === finding.citation && source.url === finding.url),
    );
  }
} finally {
  await web.close();
  await world.end();
}
