import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { root } from './packed.ts';

export const PROXY_NAME = 'search.example.com';

/** Where a program is installed, if it is. */
export const findProgram = (name: string): string | undefined => {
  const found = spawnSync('sh', ['-c', `PATH="$PATH:/usr/sbin:/usr/local/sbin" command -v ${name}`]);
  return found.status === 0 ? found.stdout.toString().trim() : undefined;
};

/**
 * Ports that nothing listens on, below those that the system gives to connections: one of these could be in use again by the time that
 * a program wants to listen on it.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  for (let tries = 0; ports.size < count && tries < 1_000; tries += 1) {
    const port = randomInt(12_000, 32_000);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

/** A certificate for the name of the examples, signed by itself, and how curl finds the proxy under that name. */
export function makeCertificate(folder: string, port: number): { certificate: string; key: string } {
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const subject = ['-subj', `/CN=${PROXY_NAME}`, '-addext', `subjectAltName=DNS:${PROXY_NAME}`];
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync('openssl', ['req', '-x509', ...made, ...subject, '-keyout', key, '-out', certificate], {
    stdio: 'ignore',
  });
  writeFileSync(
    join(folder, '.curlrc'),
    `connect-to = "${PROXY_NAME}:443:127.0.0.1:${port}"\ncacert = "${certificate}"\n`,
  );
  return { certificate, key };
}

interface ProxyPlace {
  folder: string;
  port: number;
  gateways: readonly [number, number];
}

/** What a file of `packaging/proxy` must have changed to run here, as anybody, beside others: ports and the certificate. */
function adapted(file: string, { folder, port, gateways }: ProxyPlace): string {
  const text = file
    .replace('127.0.0.1:8787', `127.0.0.1:${gateways[0]}`)
    .replace('127.0.0.1:8788', `127.0.0.1:${gateways[1]}`);
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  if (!text.includes('reverse_proxy')) {
    return text
      .replace('listen 80;', `listen unix:${folder}/plain.sock;`)
      .replace('listen 443 ', `listen 127.0.0.1:${port} `)
      .replace(/ssl_certificate .*;/, `ssl_certificate ${certificate};`)
      .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${key};`);
  }
  // Only the site: where the administration listens, and the automatic certificate, are the machine's.
  const options = `{\n\tadmin off\n\tauto_https off\n}\n`;
  const site = text.replace(
    `${PROXY_NAME} {`,
    `https://${PROXY_NAME}:${port} {\n\tbind 127.0.0.1\n\ttls ${certificate} ${key}`,
  );
  return options + site;
}

const NGINX_MAIN = (folder: string): string => `
${process.getuid?.() === 0 ? 'user root;' : ''}
pid ${folder}/nginx.pid;
error_log ${folder}/nginx.log;
worker_processes 1;
events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/temp-${name};`).join('\n  ')}
  include ${folder}/etc/nginx/conf.d/*.conf;
}
`;

export interface RunningProxy {
  /** What the check of the file printed. */
  checked: string;
  stop(): Promise<void>;
}

/** Starts a proxy with the file of this repository in front of two gateways. */
export async function startProxy(
  name: 'nginx' | 'caddy',
  program: string,
  place: ProxyPlace,
): Promise<RunningProxy> {
  const file = readFileSync(
    join(root, 'packaging/proxy', name === 'nginx' ? 'nginx.conf' : 'Caddyfile'),
    'utf8',
  );
  const { folder } = place;
  const where = join(folder, name === 'nginx' ? 'etc/nginx/conf.d/headgate.conf' : 'Caddyfile');
  mkdirSync(join(where, '..'), { recursive: true });
  writeFileSync(where, adapted(file, place));
  writeFileSync(join(folder, 'nginx-main.conf'), NGINX_MAIN(folder));
  const main = join(folder, 'nginx-main.conf');
  const [check, run] =
    name === 'nginx'
      ? [
          ['-t', '-c', main],
          ['-c', main, '-g', 'daemon off;'],
        ]
      : [
          ['validate', '--config', where, '--adapter', 'caddyfile'],
          ['run', '--config', where, '--adapter', 'caddyfile'],
        ];
  const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const { status, stdout, stderr } = spawnSync(program, check, { env, timeout: 30_000 });
  const checked = `${stdout}${stderr}`;
  if (status !== 0) throw new Error(`${name} refuses its file: ${checked}`);
  const child = spawn(program, run, { env, stdio: 'ignore' });
  return { checked, stop: () => ended(child) };
}

/** Starts nginx with the file of docs/scale.md: one port of plain HTTP in front of two gateways. */
export function startOnePort(program: string, { folder, port, gateways }: ProxyPlace): RunningProxy {
  const [, file = ''] = /```nginx\n(.*?)```/s.exec(readFileSync(join(root, 'docs/scale.md'), 'utf8')) ?? [];
  const text = file
    .replace('8787', String(gateways[0]))
    .replace('8788', String(gateways[1]))
    .replace('127.0.0.1:8080', `127.0.0.1:${port}`);
  mkdirSync(join(folder, 'etc/nginx/conf.d'), { recursive: true });
  writeFileSync(join(folder, 'etc/nginx/conf.d/headgate.conf'), text);
  const main = join(folder, 'nginx-main.conf');
  writeFileSync(main, NGINX_MAIN(folder));
  const child = spawn(program, ['-c', main, '-g', 'daemon off;'], { stdio: 'ignore' });
  return { checked: text, stop: () => ended(child) };
}

/** Puts an `nginx` on the path of a guide that reads what the guide has copied, adapted as above; started without a site. */
export function nginxForGuide(program: string, place: ProxyPlace): { bin: string; stop(): Promise<void> } {
  const { folder } = place;
  const [bin, site] = [join(folder, 'bin'), join(folder, 'etc/nginx/conf.d')];
  mkdirSync(bin, { recursive: true });
  mkdirSync(site, { recursive: true });
  const main = join(folder, 'nginx-main.conf');
  writeFileSync(main, NGINX_MAIN(folder));
  const file = join(root, 'packaging/proxy/nginx.conf');
  writeFileSync(join(folder, 'adapted.conf'), adapted(readFileSync(file, 'utf8'), place));
  const take = `cmp -s ${site}/headgate.conf ${file} && cp ${folder}/adapted.conf ${site}/headgate.conf`;
  // A reload only sends a signal; the next command of the guide is for the new site.
  const wait = `[ "$2" != reload ] || curl -sko /dev/null --retry 20 --retry-delay 1 --retry-connrefused https://127.0.0.1:${place.port}/`;
  const run = `${program} -c ${main} "$@" || exit $?`;
  writeFileSync(join(bin, 'nginx'), `#!/bin/sh\n${take}\n${run}\n${wait}\nexit 0\n`);
  chmodSync(join(bin, 'nginx'), 0o755);
  const child = spawn(program, ['-c', main, '-g', 'daemon off;'], { stdio: 'ignore' });
  return { bin, stop: () => ended(child) };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await exit;
}
