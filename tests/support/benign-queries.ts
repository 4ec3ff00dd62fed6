import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { modelNames, topics } from './benign-words.ts';
import { QUESTIONS } from './questions.ts';
import { textOf } from './secret-samples.ts';
import { TOPIC_QUERIES } from './topic-queries.ts';

/** Ten thousand things that people and agents ask for and that are no secret, some of them random characters all the same. */
export function benignQueries(random: () => number, count = 10_000): string[] {
  const written = [...questions(), ...documents()];
  const made = Array.from({ length: Math.max(0, count - written.length) }, (_, index) =>
    (FORMS[index % FORMS.length] as Form)(random),
  );
  return [...written, ...made].slice(0, count);
}

const questions = (): string[] =>
  [
    ...Object.values(TOPIC_QUERIES).flatMap((text) => text.split('\n')),
    ...Object.values(QUESTIONS)
      .flat()
      .flatMap(({ question, answers, near }) => [question, answers, near]),
  ].filter((line) => line.trim() !== '');

/** The lines of our own documentation: prose, commands, tables, addresses, JSON. */
function documents(): string[] {
  const folder = join(import.meta.dirname, '../../docs');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .toSorted()
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
    .filter((line) => line.length > 20)
    .filter((_line, index) => index % 2 === 0)
    .map((line) => line.slice(0, 1_000));
}

type Form = (random: () => number) => string;

const pick = <One>(list: readonly One[], random: () => number): One =>
  list[Math.floor(random() * list.length)] as One;

const made =
  (pattern: string): Form =>
  (random) =>
    textOf(pattern, random);

const HEX = '[0-9a-f]';
const UUID = `${HEX}{8}-${HEX}{4}-4${HEX}{3}-[89ab]${HEX}{3}-${HEX}{12}`;

/** Each makes one kind of text; the patterns are those of public identifiers. */
const FORMS: Form[] = [
  (random) => `${pick(topics, random)} ${pick(modelNames, random)}`,
  (random) =>
    `https://${textOf('[a-z]{4,12}', random)}.example/${textOf('[a-z]{3,9}', random)}/${textOf(UUID, random)}?page=${textOf('[0-9]{1,3}', random)}&utm_source=${textOf('[a-z]{5,9}', random)}`,
  (random) => `what changed in commit ${textOf(`${HEX}{40}`, random)}`,
  (random) =>
    `https://git.example/${textOf('[a-z]{4,9}/[a-z-]{4,14}', random)}/blob/${textOf(`${HEX}{40}`, random)}/src/${textOf('[a-z-]{4,20}', random)}.ts#L${textOf('[1-9][0-9]{1,3}', random)}`,
  (random) => `isbn 978-${textOf('[0-9]-[0-9]{4}-[0-9]{4}-[0-9]', random)} ${pick(topics, random)}`,
  (random) => `sha256:${textOf(`${HEX}{64}`, random)} image digest`,
  (random) => `integrity sha512-${textOf('[A-Za-z0-9+/]{86}==', random)} ${pick(topics, random)}`,
  (random) =>
    `<img src="data:image/png;base64,iVBORw0KGgo${textOf('[A-Za-z0-9+/]{120,400}={0,2}', random)}">`,
  (random) =>
    `TypeError: Cannot read properties of undefined (reading '${textOf('[a-z]{3,10}', random)}') at ${textOf('[A-Za-z]{4,16}', random)} (/app/node_modules/${textOf('[a-z-]{4,14}', random)}/dist/index.js:${textOf('[0-9]{1,4}:[0-9]{1,3}', random)})`,
  (random) =>
    `psycopg2.OperationalError: connection to server at "10.0.${textOf('[0-9]{1,2}', random)}.7", port 5432 failed: password=secret user=app`,
  (random) =>
    `curl -H "Authorization: Bearer $TOKEN" https://api.example/v1/${textOf('[a-z]{4,10}', random)}`,
  (random) => `how to set api_key: "YOUR_API_KEY_${textOf('[0-9]{1,2}', random)}" in ${pick(topics, random)}`,
  (random) => `postgres://user:password@localhost:5432/${textOf('[a-z]{4,10}', random)} connection refused`,
  (random) => `kubectl get secret: ${textOf('[a-z]{5,9}-[a-z]{5,9}-token-[a-z0-9]{5}', random)} not found`,
  (random) =>
    `https://www.video.example/watch?v=${textOf('[A-Za-z0-9_-]{11}', random)}&list=PL${textOf('[A-Za-z0-9_-]{32}', random)}`,
  (random) =>
    `https://shop.example/dp/B0${textOf('[A-Z0-9]{8}', random)}/ref=sr_1_${textOf('[0-9]{1,2}', random)}?keywords=${encodeURIComponent(pick(topics, random))}`,
  (random) =>
    `https://docs.example/document/d/${textOf('[A-Za-z0-9_-]{44}', random)}/edit#heading=h.${textOf('[a-z0-9]{12}', random)}`,
  (random) =>
    `https://cdn.example/assets/index-${textOf('[A-Za-z0-9_-]{8}', random)}.js?v=${textOf('[0-9]{10}', random)}`,
  (random) =>
    `https://bucket.example/file.pdf?X-Date=2026${textOf('[01][0-9][0-2][0-9]', random)}&Expires=${textOf('1[0-9]{9}', random)}`,
  (random) =>
    `arxiv ${textOf('2[0-9]0[1-9].[0-9]{5}', random)} ${pick(topics, random)} doi:10.${textOf('[0-9]{4}', random)}/${textOf('[a-z0-9.-]{8,24}', random)}`,
  (random) => `CVE-20${textOf('[12][0-9]-[0-9]{4,5}', random)} ${pick(topics, random)}`,
  (random) => `bc1q${textOf('[a-z0-9]{38}', random)} wallet address`,
  (random) => `0x${textOf(`${HEX}{40}`, random)} token contract`,
  (random) => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${textOf('[A-Za-z0-9+/]{43}', random)} public key`,
  (random) => `pk_live_${textOf('[A-Za-z0-9]{24}', random)} is a publishable key`,
  (random) =>
    `arn:aws:iam::${textOf('[0-9]{12}', random)}:role/${textOf('[A-Za-z-]{8,20}', random)} AccessDenied`,
  (random) => `session ${textOf(UUID, random)} trace ${textOf(`${HEX}{32}`, random)}`,
  (random) =>
    `${pick(topics, random)} site:${textOf('[a-z]{4,12}', random)}.example filetype:pdf ${textOf('20[12][0-9]', random)}`,
  (random) => encodeURIComponent(`${pick(topics, random)} – ${pick(topics, random)}`),
  (random) => `decode ${Buffer.from(`${pick(topics, random)} ${pick(topics, random)}`).toString('base64')}`,
  (random) => `what is ${Buffer.from(pick(topics, random)).toString('hex')} in text`,
  (random) =>
    `error 0x${textOf('[0-9A-F]{8}', random)} ${pick(topics, random)} KB${textOf('[0-9]{7}', random)}`,
  (random) => `CSRF token mismatch token=${textOf('[a-z]{6}-[a-z]{8}', random)} ${pick(topics, random)}`,
  (random) =>
    `npm install @${textOf('[a-z]{4,9}/[a-z-]{4,14}', random)}@${textOf('[0-9].[0-9]{1,2}.[0-9]', random)} --save-dev`,
  (random) => `SELECT * FROM ${textOf('[a-z_]{4,14}', random)} WHERE id = '${textOf(UUID, random)}'`,
  (random) =>
    `${pick(topics, random)} +49 ${textOf('[0-9]{3} [0-9]{7}', random)} IBAN DE${textOf('[0-9]{20}', random)}`,
  made('VIN [A-HJ-NPR-Z0-9]{17} recall'),
  made('tracking 1Z[A-Z0-9]{16} where is my parcel'),
  made('MAC [0-9a-f]{2}:[0-9a-f]{2}:[0-9a-f]{2}:[0-9a-f]{2}:[0-9a-f]{2}:[0-9a-f]{2} vendor'),
];
