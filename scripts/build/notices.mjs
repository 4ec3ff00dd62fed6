// What of others is in the bundle, from the bundler's own account: their licences (THIRD-PARTY-NOTICES.txt) and a bill of
// materials (sbom.cdx.json, CycloneDX 1.6). Both are made with the package, so they cannot be older than it.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** `inputs` are the paths of all modules in the bundle, relative to the root. */
export function writeNotices(root, inputs) {
  const folders = new Set(
    inputs.map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]).filter(Boolean),
  );
  const packages = [...folders].sort((a, b) => a.localeCompare(b)).map((folder) => readPackage(root, folder));
  const nameless = packages.filter(({ licence, text }) => licence === undefined || text === '');
  if (nameless.length > 0) {
    throw new Error(`No licence found for ${nameless.map(({ name }) => name).join(', ')}.`);
  }
  writeFileSync(join(root, 'dist/THIRD-PARTY-NOTICES.txt'), noticesOf(packages));
  writeFileSync(join(root, 'dist/sbom.cdx.json'), `${JSON.stringify(billOf(root, packages))}\n`);
}

function readPackage(root, folder) {
  const { name, version, license, author } = readJson(join(root, folder, 'package.json'));
  const file = readdirSync(join(root, folder)).find((entry) => /^(licen[cs]e|copying)(\.|$)/i.test(entry));
  const text = file === undefined ? '' : readFileSync(join(root, folder, file), 'utf8').trim();
  const holder = typeof author === 'string' ? author : author?.name;
  // Some packages name their licence without shipping its text; then the name and the holder are what there is to say.
  const short = `${license}${holder ? `, ${holder}` : ''}`;
  return { folder, name, version, licence: license, text: text || short };
}

const HOLDER = /^\s*Copyright (?:\(c\)|©|\d{4})/i;

/** One section per licence: who holds the rights in each package, and the text that they share, once. */
function noticesOf(packages) {
  const byTerms = new Map();
  for (const part of packages) {
    const lines = part.text.split('\n');
    const terms = lines
      .filter((line) => !HOLDER.test(line))
      .join('\n')
      .trim();
    const key = terms.replace(/\s+/g, ' ').replace(/^(?:The )?MIT License(?: \(MIT\))? /, '');
    const found = byTerms.get(key) ?? { terms, names: [] };
    const holders = lines.filter((line) => HOLDER.test(line)).map((line) => `\n  ${line.trim()}`);
    found.names.push(`${part.name} ${part.version} (${part.licence})${holders.join('')}`);
    byTerms.set(key, found);
  }
  // The words of a licence are kept as they are, and its lines; its margins are not.
  const sections = [...byTerms.values()].map(
    ({ terms, names }) => `${names.join('\n')}\n\n${terms.replaceAll(/^[ \t]+/gm, ' ')}\n`,
  );
  const rule = `\n${'-'.repeat(40)}\n\n`;
  return `Headgate's bundle holds code of these packages, under these licences.\n${rule}${sections.join(rule)}`;
}

function billOf(root, packages) {
  const own = readJson(join(root, 'package.json'));
  const lock = readJson(join(root, 'package-lock.json')).packages;
  const component = ({ folder, name, version, licence }, scope) => {
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
    const integrity = /^sha512-(.+)$/.exec(lock[folder]?.integrity ?? '')?.[1];
    return {
      type: 'library',
      'bom-ref': purl,
      name,
      version,
      ...(scope !== undefined && { scope }),
      purl,
      licenses: [/ |\(/.test(licence) ? { expression: licence } : { license: { id: licence } }],
      ...(integrity !== undefined && {
        hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity, 'base64').toString('hex') }],
      }),
    };
  };
  const optional = Object.keys(own.optionalDependencies ?? {})
    .map((name) => `node_modules/${name}`)
    .filter((folder) => existsSync(join(root, folder)))
    .map((folder) => readPackage(root, folder));
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': `pkg:npm/${own.name}@${own.version}`,
        name: own.name,
        version: own.version,
        licenses: [{ license: { id: own.license } }],
      },
    },
    components: [
      // Required is what a component is that does not say.
      ...packages.map((part) => component(part)),
      ...optional.map((part) => component(part, 'optional')),
    ],
  };
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}
