import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../scripts/sources-hash.mjs';

export { root };

export interface Packed {
  /** An empty project in which the package is installed and nothing else. */
  folder: string;
  tarball: string;
  installed: string;
  files: { path: string; size: number }[];
  unpackedBytes: number;
  remove(): void;
}

interface PackReport {
  filename: string;
  unpackedSize: number;
  files: { path: string; size: number }[];
}

/** The package as npm would publish it, packed once in a run of tests. */
function packOnce(): { packed: string; report: PackReport } {
  const made = join(tmpdir(), 'headgate-packed');
  if (!existsSync(made)) {
    const folder = mkdtempSync(`${made}-`);
    writeFileSync(join(folder, 'report.json'), JSON.stringify(pack(folder)));
    try {
      renameSync(folder, made);
    } catch (thrown) {
      // Another file was first; its package does as well.
      if (!existsSync(made)) throw thrown;
    }
  }
  const report = JSON.parse(readFileSync(join(made, 'report.json'), 'utf8')) as PackReport;
  return { packed: join(made, report.filename), report };
}

function pack(folder: string): PackReport {
  execFileSync(process.execPath, ['scripts/setup.mjs', '--package'], { cwd: root, stdio: 'ignore' });
  const printed = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: join(root, 'package'),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  // Newer npm prints an object, older a list.
  const [report] = Object.values(JSON.parse(printed) as Record<string, PackReport>);
  if (report === undefined) throw new Error(`npm pack said nothing about the package: ${printed}`);
  return report;
}

/** Packs the package and unpacks it into an empty folder. */
export function packHeadgate(): Packed {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-package-'));
  const { packed, report } = packOnce();
  const tarball = join(folder, report.filename);
  copyFileSync(packed, tarball);
  const installed = join(folder, 'node_modules', 'headgate');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  return {
    folder,
    tarball,
    installed,
    files: report.files,
    unpackedBytes: report.unpackedSize,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
