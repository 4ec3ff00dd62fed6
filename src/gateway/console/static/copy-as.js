// A call as a command or a program that makes it again.
import { html, useState } from './dom.js';
import { t } from './i18n.js';
import { Code, Tabs } from './parts.js';

const KEY = 'YOUR-KEY';
const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

const FORMS = {
  curl: (operation, input) =>
    `curl ${location.origin}/${operation} \\\n  -H 'Authorization: Bearer ${KEY}' \\\n  -H 'Content-Type: application/json' \\\n  -d ${quoted(JSON.stringify(input))}`,
  TypeScript: (operation, input) =>
    `const response = await fetch('${location.origin}/${operation}', {\n  method: 'POST',\n  headers: { authorization: 'Bearer ${KEY}', 'content-type': 'application/json' },\n  body: JSON.stringify(${JSON.stringify(input, null, 2).replaceAll('\n', '\n  ')}),\n});\nconsole.log(await response.json());`,
  Python: (operation, input) =>
    `import json, urllib.request\n\nrequest = urllib.request.Request(\n    "${location.origin}/${operation}",\n    data=json.dumps(json.loads(r'''${JSON.stringify(input).replaceAll("'", '\\u0027')}''')).encode(),\n    headers={"Authorization": "Bearer ${KEY}", "Content-Type": "application/json"},\n)\nprint(json.load(urllib.request.urlopen(request)))`,
};

export function CopyAs({ operation, input }) {
  const [form, setForm] = useState('curl');
  return html`
    <div class="stack tight">
      <${Tabs}
        label=${t('copyAs')}
        tabs=${Object.keys(FORMS).map((name) => [name, name])}
        chosen=${form}
        onChoose=${setForm}
      />
      <${Code} text=${FORMS[form](operation, input)} label=${form} />
    </div>
  `;
}

/** The address of the playground with everything filled in. */
export const playgroundLink = (operation, input) =>
  `#/playground/${operation}/${encodeURIComponent(JSON.stringify(input))}`;
