import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { loadConfig, WELL_KNOWN } from '../../src/config/load.ts';
import { isSecret, settingAt } from '../../src/config/secrets.ts';
import { createTestGateway } from '../support/gateway/gateway.ts';
import { root } from '../support/packed.ts';

/** The files of `packaging/` for Kubernetes and systemd, held to the configuration and the routes as far as that goes without a cluster. */
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const manifest = read('packaging/kubernetes/headgate.yaml');
const dockerfile = read('Dockerfile');
const guide = read('docs/guides/run-for-a-team.md');

interface Variable {
  name: string;
  value?: string;
  valueFrom?: { secretKeyRef: { name: string; key: string; optional?: boolean } };
}
interface Probe {
  httpGet: { path: string; port: string };
}
interface Container {
  image: string;
  ports: { name: string; containerPort: number }[];
  env: Variable[];
  envFrom: { configMapRef: { name: string } }[];
  securityContext: Record<string, unknown>;
  volumeMounts: { name: string; mountPath: string }[];
  lifecycle: { preStop: { exec: { command: string[] } } };
  startupProbe: Probe;
  readinessProbe: Probe;
  livenessProbe: Probe;
}
interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  data?: Record<string, string>;
  // One shape for every kind: a test reads what its kind has.
  spec: {
    selector: { matchLabels?: Record<string, string>; app?: string };
    podSelector: { matchLabels: Record<string, string> };
    template: {
      metadata: { labels: Record<string, string> };
      spec: {
        containers: [Container];
        volumes: { name: string }[];
        securityContext: Record<string, unknown>;
        terminationGracePeriodSeconds: number;
      };
    };
    ports: { name: string; targetPort: string }[];
    tls: { hosts: string[] }[];
    rules: {
      host: string;
      http: { paths: { backend: { service: { name: string; port: { name: string } } } }[] };
    }[];
  };
}

const parsed = parseAllDocuments(manifest);
const documents = parsed.map((document) => document.toJS() as Manifest);
const ofKind = (kind: string): Manifest => {
  const found = documents.find((one) => one.kind === kind);
  if (found === undefined) throw new Error(`No ${kind} in the manifests.`);
  return found;
};
const pod = ofKind('Deployment').spec.template;
const [container] = pod.spec.containers;
const keyOf = (name: string): string =>
  WELL_KNOWN[name] ?? name.replace('HEADGATE_', '').toLowerCase().replaceAll('__', '.');

describe('the manifests for Kubernetes', () => {
  test('are read without errors, and are of kinds in the versions that clusters serve', () => {
    expect(parsed.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
    expect(documents.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)).toEqual([
      'v1 ConfigMap',
      'apps/v1 Deployment',
      'v1 Service',
      'policy/v1 PodDisruptionBudget',
      'networking.k8s.io/v1 NetworkPolicy',
      'networking.k8s.io/v1 Ingress',
    ]);
  });

  test('set only names that the configuration knows, with values that it takes', () => {
    expect(container.envFrom[0]?.configMapRef.name).toBe(ofKind('ConfigMap').metadata.name);
    const given = {
      ...ofKind('ConfigMap').data,
      ...Object.fromEntries(container.env.map(({ name }) => [name, 'postgres://given@by.the/secret'])),
    };
    // Unknown names and bad values are refused here.
    const { config } = loadConfig({ env: given });
    expect(config.server).toMatchObject({ behind_proxy: true, public_url: 'https://search.example.com' });
  });

  test('have no secret in them: all come from one that the guide creates', () => {
    for (const name of Object.keys(ofKind('ConfigMap').data ?? {}))
      expect([name, isSecret(settingAt(keyOf(name).split('.')))]).toEqual([name, false]);
    for (const { name, value, valueFrom } of container.env) {
      expect([name, isSecret(settingAt(keyOf(name).split('.'))), value]).toEqual([name, true, undefined]);
      expect(valueFrom?.secretKeyRef.name).toBe('headgate');
      expect(guide).toContain(`--from-literal=${valueFrom?.secretKeyRef.key}="$${name}"`);
    }
    expect(container.env.map(({ name }) => name)).toContain('HEADGATE_STORE__URL');
  });

  test('lead from the ingress to the port that the image listens on', () => {
    const [port] = container.ports;
    expect(dockerfile).toContain(`EXPOSE ${port?.containerPort}`);
    const service = ofKind('Service');
    expect(service.spec.ports).toMatchObject([{ name: port?.name, targetPort: port?.name }]);
    const { tls, rules } = ofKind('Ingress').spec;
    expect(rules[0]?.http.paths[0]?.backend.service).toEqual({
      name: service.metadata.name,
      port: { name: port?.name },
    });
    expect(tls[0]?.hosts).toEqual([rules[0]?.host]);
    expect(`https://${rules[0]?.host}`).toBe(ofKind('ConfigMap').data?.['HEADGATE_SERVER__PUBLIC_URL']);
    const labels = pod.metadata.labels;
    expect([
      ofKind('Deployment').spec.selector.matchLabels,
      service.spec.selector,
      ofKind('PodDisruptionBudget').spec.selector.matchLabels,
      ofKind('NetworkPolicy').spec.podSelector.matchLabels,
    ]).toEqual([labels, labels, labels, labels]);
  });

  test('probe routes that answer to an address, as a kubelet calls them, and leave time to drain', async () => {
    const gateway = await createTestGateway({ config: { 'server.host': '0.0.0.0' } });
    for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe'] as const) {
      const { path, port } = container[probe].httpGet;
      expect(port).toBe(container.ports[0]?.name);
      const answer = await gateway.app.request(`http://10.1.2.3:8787${path}`);
      expect([probe, answer.status]).toEqual([probe, 200]);
    }
    await gateway.close();
    const drain = Number(ofKind('ConfigMap').data?.['HEADGATE_SERVER__DRAIN_SECONDS']);
    const [, sleep] = container.lifecycle.preStop.exec.command;
    expect(pod.spec.terminationGracePeriodSeconds).toBeGreaterThan(drain + Number(sleep));
  });

  test('run as the user of the image, who can write only to volumes that are there', () => {
    expect(pod.spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    expect(container.securityContext).toMatchObject({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
    });
    const mounted = container.volumeMounts.map(({ mountPath }) => mountPath);
    expect(mounted).toContain(/HEADGATE_HOME=(\S+)/.exec(dockerfile)?.[1]);
    expect(container.volumeMounts.map(({ name }) => name)).toEqual(pod.spec.volumes.map(({ name }) => name));
    expect(container.image).toMatch(/:\d+\.\d+\.\d+$/);
  });
});

test('the unit for systemd starts the program of the guide with its secrets, and gives it time to drain', () => {
  const unit = read('packaging/systemd/headgate@.service');
  const valueOf = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? '';
  expect(valueOf('ExecStart')).toMatch(/\/node_modules\/\.bin\/headgate serve --port %i$/);
  expect(guide).toContain('npm install');
  expect(valueOf('EnvironmentFile')).toBe(`${valueOf('WorkingDirectory')}/secrets.env`);
  expect(guide).toContain('cat > secrets.env');
  expect(valueOf('Environment')).toBe(`HEADGATE_HOME=/var/lib/${valueOf('StateDirectory')}`);
  expect(Number(valueOf('TimeoutStopSec'))).toBeGreaterThan(loadConfig({}).config.server.drain_seconds);
});
