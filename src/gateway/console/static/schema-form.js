// A form from a JSON Schema: every parameter of the contract, with its description, bounds and default.
import { html, useEffect, useState } from './dom.js';
import { language, t } from './i18n.js';
import { Field } from './parts.js';

/** The fields that people fill in first; everything else waits under “more”. */
const FIRST = new Set([
  'query',
  'urls',
  'url',
  'max_results',
  'search_depth',
  'topic',
  'format',
  'limit',
  'max_depth',
  'instructions',
]);

/** What forms say in the chosen language. Japanese is loaded when it is needed. */
export function useParameterTexts() {
  const [texts, setTexts] = useState(/** @type {any} */ (undefined));
  const isJapanese = language() === 'ja';
  useEffect(() => {
    if (isJapanese) void import('./params-ja.js').then(setTexts);
  }, [isJapanese]);
  if (isJapanese)
    return {
      label: (name) => texts?.LABELS[name] ?? '',
      help: (text) => (texts ? (texts.HELPS[text] ?? text) : ''),
    };
  return {
    label: (name) => `${name[0].toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`,
    help: (text) => text,
  };
}

/** `prefix` keeps two forms on one page apart. @param {{ schema: any, values: any, onChange: any, prefix?: string }} given */
export function SchemaForm({ schema, values, onChange, prefix = '' }) {
  const fields = Object.entries(schema.properties ?? {});
  const required = new Set(schema.required ?? []);
  const texts = useParameterTexts();
  const draw = ([name, field]) => html`
    <${SchemaField}
      key=${name}
      name=${name}
      prefix=${prefix}
      texts=${texts}
      schema=${field}
      isRequired=${required.has(name)}
      value=${values[name] ?? ''}
      onChange=${(value) => onChange({ ...values, [name]: value })}
    />
  `;
  const rest = fields.filter(([name]) => !FIRST.has(name));
  return html`
    <div class="fields">${fields.filter(([name]) => FIRST.has(name)).map(draw)}</div>
    ${
      rest.length > 0 &&
      html`<details>
        <summary>${t('play.more', { count: rest.length })}</summary>
        <div class="fields">${rest.map(draw)}</div>
      </details>`
    }
  `;
}

function SchemaField({ name, prefix, texts, schema, isRequired, value, onChange }) {
  const id = `${prefix}field-${name}`;
  const set = (event) => onChange(event.target.value);
  const shape = shapeOf(schema);
  const common = { id, name, required: isRequired, value, onInput: set, 'aria-describedby': `${id}-hint` };
  const preset = schema.default === undefined ? '' : String(schema.default);
  const hint = [texts.help(schema.description ?? '').replaceAll('`', ''), bounds(shape)]
    .filter(Boolean)
    .join(' ');
  const isWide = name === 'query' || name === 'url' || shape.kind === 'list' || name === 'instructions';
  return html`
    <${Field}
      label=${html`${texts.label(name)} <code class="soft">${name}${isRequired ? ' *' : ''}</code>`}
      id=${id}
      hint=${hint}
      wide=${isWide}
    >
      ${
        shape.kind === 'choice' &&
        html`<select ...${common} onChange=${set}>
          <option value="">${preset === '' ? '–' : `${preset} (${t('play.default')})`}</option>
          ${shape.words.map((word) => html`<option value=${word}>${word}</option>`)}
        </select>`
      }
      ${shape.kind === 'list' && html`<textarea ...${common} rows="2" placeholder=${t('play.perLine')}></textarea>`}
      ${shape.kind === 'number' && html`<input ...${common} type="number" step=${shape.step} min=${shape.min} max=${shape.max} placeholder=${preset} />`}
      ${shape.kind === 'text' && html`<input ...${common} type="text" placeholder=${preset} />`}
    <//>
  `;
}

/** What kind of input a schema needs. */
function shapeOf(schema) {
  const options = schema.anyOf ?? [schema];
  const types = new Set(options.map((option) => option.type));
  const words = options.flatMap(
    (option) => option.enum ?? (option.type === 'boolean' ? ['true', 'false'] : []),
  );
  if (types.has('array')) return { kind: 'list' };
  if (words.length > 0) return { kind: 'choice', words };
  if (types.has('integer') || types.has('number')) {
    const step = types.has('integer') ? 1 : 'any';
    return { kind: 'number', step, min: schema.minimum, max: schema.maximum };
  }
  return { kind: 'text' };
}

/** @param {any} shape */
const bounds = ({ kind, min, max }) => (kind === 'number' && max !== undefined ? `(${min ?? 0}–${max})` : '');

/** The filled-in fields as the operation's input. */
export function inputOf(schema, values) {
  const filled = Object.entries(values).filter(
    ([name, value]) => name in schema.properties && String(value).trim() !== '',
  );
  return Object.fromEntries(
    filled.map(([name, value]) => [name, valueOf(shapeOf(schema.properties[name]), value)]),
  );
}

function valueOf({ kind }, value) {
  if (kind === 'list')
    return value
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  if (kind === 'number') return Number(value);
  if (value === 'true' || value === 'false') return value === 'true';
  return value;
}

/** An operation's input as the fields of the form. */
export const valuesOf = (input) =>
  Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join('\n') : String(value),
    ]),
  );
