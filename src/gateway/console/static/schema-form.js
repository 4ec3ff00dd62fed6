// A form from a JSON Schema: every parameter of the contract, with its description, bounds and default.
import { html } from './dom.js';
import { t } from './i18n.js';
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

export function SchemaForm({ schema, values, onChange }) {
  const fields = Object.entries(schema.properties ?? {});
  const required = new Set(schema.required ?? []);
  const draw = ([name, field]) => html`
    <${SchemaField}
      key=${name}
      name=${name}
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

function SchemaField({ name, schema, isRequired, value, onChange }) {
  const id = `field-${name}`;
  const set = (event) => onChange(event.target.value);
  const shape = shapeOf(schema);
  const common = { id, name, required: isRequired, value, onInput: set, 'aria-describedby': `${id}-hint` };
  const preset = schema.default === undefined ? '' : String(schema.default);
  const hint = [schema.description?.replaceAll('`', ''), bounds(shape)].filter(Boolean).join(' ');
  const isWide = name === 'query' || name === 'url' || shape.kind === 'list' || name === 'instructions';
  return html`
    <${Field} label=${`${name}${isRequired ? ' *' : ''}`} id=${id} hint=${hint} wide=${isWide}>
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
