// The chart of resources/deploy/helm, rendered by helm: values that its schema refuses, and manifests against the schemas of Kubernetes.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { describeFlags } from '../config.ts';
import { runHelm, withoutHelm } from '../testing/helm.ts';

const root = join(import.meta.dirname, '../..');
const chart = join(root, 'resources/deploy/helm');

interface Container {
  readonly args?: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: unknown }[];
  readonly securityContext: unknown;
  readonly livenessProbe?: unknown;
  readonly ports?: readonly { readonly name: string }[];
}

interface Pod {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: {
    readonly securityContext: unknown;
    readonly automountServiceAccountToken: boolean;
    readonly terminationGracePeriodSeconds?: number;
    readonly containers: readonly [Container];
    readonly volumes: readonly unknown[];
  };
}

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: {
    readonly template: Pod;
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> } & Readonly<Record<string, unknown>>;
    readonly podSelector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly [field: string]: unknown;
  };
}

const NAMED = { secret: { name: 'svc-keys' } };
/** Every optional part at once. */
const FULL = {
  ...NAMED,
  image: { repository: 'registry.example/svc', digest: `sha256:${'a'.repeat(64)}`, pullSecrets: ['pull'] },
  env: { SVC_LOG_LEVEL: 'debug', SVC_LOG_FORMAT: 'json' },
  server: {
    publicUrl: 'https://agents.example.com',
    trustedProxies: ['10.0.0.0/8', 'fd00::/8'],
    env: { SVC_MAX_WATCHES: 500, SVC_LOG_LEVEL: 'warn' },
    podAnnotations: { a: 'b' },
    nodeSelector: { disk: 'ssd' },
    tolerations: [{ key: 'a', operator: 'Exists' }],
    affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
    service: { annotations: { c: 'd' } },
  },
  ingress: { enabled: true, className: 'nginx', host: 'agents.example.com', tlsSecret: 'tls', annotations: { e: 'f' } },
  kubernetesIsolation: { enabled: true, namespace: 'svc-tools' },
  networkPolicy: {
    from: [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }],
    metricsFrom: [{ namespaceSelector: { matchLabels: { name: 'monitoring' } } }],
    database: { to: [{ ipBlock: { cidr: '10.1.0.0/16' } }], port: 6432 },
    extraEgress: [{ ports: [{ port: 4318, protocol: 'TCP' }] }],
  },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
};
/** Servers that run tasks themselves, nothing optional. */
const SMALL = {
  ...NAMED,
  server: { replicas: 1 },
  worker: { replicas: 0 },
  migrations: { enabled: false },
  networkPolicy: { enabled: false },
};
const NUMERIC = {
  ...FULL,
  secret: { name: '123', databaseUrl: '1', variables: { SVC_AUDIT_WEBHOOK_SECRET: '2' } },
  image: { pullSecrets: ['456'] },
  ingress: { enabled: true, className: '7', host: '*.example.com', tlsSecret: '8' },
  kubernetesIsolation: { enabled: true, namespace: '9' },
};
/** Values without workers, for the parts that depend on the place where tasks run. */
const NO_WORKER = { ...FULL, worker: { replicas: 0 } };

const template = (values: unknown, release = 'orders') =>
  runHelm(
    ['template', release, chart, '--namespace', 'agents', '--values', '-', '--api-versions', 'monitoring.coreos.com/v1'],
    JSON.stringify(values),
  );

function render(values: unknown, release?: string): Manifest[] {
  const { status, stdout, stderr } = template(values, release);
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return parseAllDocuments(stdout, { uniqueKeys: true }).flatMap((document) => {
    expect(document.errors).toEqual([]);
    const manifest = document.toJS() as Manifest | null;
    return manifest === null ? [] : [manifest];
  });
}

const podsOf = (manifests: readonly Manifest[]) => manifests.filter(({ kind }) => kind === 'Deployment' || kind === 'Job');
const titleOf = ({ kind, metadata }: Manifest) => `${kind}/${metadata.name}`;
const oneOf = (manifests: readonly Manifest[], title: string): Manifest => {
  const found = manifests.find((manifest) => titleOf(manifest) === title);
  if (found === undefined) throw new Error(`no ${title} among ${manifests.map(titleOf).join(', ')}`);
  return found;
};

const moduleOf = (apiVersion: string) =>
  apiVersion.startsWith('monitoring.') ? `@kubernetes-models/prometheus-operator/${apiVersion}` : `kubernetes-models/${apiVersion}`;

/** Validates by the OpenAPI schema of the kind; throws with its errors. */
async function validate(manifest: Manifest): Promise<void> {
  const module = (await import(moduleOf(manifest.apiVersion))) as Record<string, new (data: unknown) => { validate: () => void }>;
  const Model = module[manifest.kind];
  if (Model === undefined) throw new Error(`no schema of ${manifest.apiVersion} ${manifest.kind}`);
  new Model(manifest).validate();
}

/** Finds fields that no type of Kubernetes has: the schemas accept them, the compiler does not. Returns its errors. */
function unknownFields(manifests: readonly Manifest[]): string {
  const folder = mkdtempSync(join(root, 'node_modules/.cache/helm-types-'));
  try {
    const checks = manifests.map((manifest, i) => {
      const { apiVersion, kind } = manifest;
      return `import type { I${kind} as T${i} } from '${moduleOf(apiVersion)}';\nexport const m${i}: T${i} = ${JSON.stringify(manifest)};\n`;
    });
    writeFileSync(join(folder, 'manifests.ts'), checks.join(''));
    const compilerOptions = { noEmit: true, strict: true, skipLibCheck: true, types: [], module: 'nodenext', target: 'es2022' };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['manifests.ts'] }));
    return spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder], { encoding: 'utf8' }).stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe.skipIf(withoutHelm('the chart'))('the chart', () => {
  test('passes lint', () => {
    expect(runHelm(['lint', '--strict', chart, '--set', 'secret.name=s'])).toMatchObject({ status: 0 });
  });

  test.each([
    ['its defaults', NAMED],
    ['every optional part', FULL],
    ['no optional part', SMALL],
    ['tools as jobs of servers', NO_WORKER],
    ['names that look like numbers, and a wildcard host', NUMERIC],
  ])('renders manifests that Kubernetes accepts with %s', async (_, values) => {
    const manifests = render(values);
    for (const manifest of manifests) await validate(manifest);
    expect(unknownFields(manifests)).toBe('');
    expect(new Set(manifests.map(titleOf)).size).toBe(manifests.length);
  });

  test('detects a field that Kubernetes does not define', () => {
    const deployment = oneOf(render(SMALL), 'Deployment/orders-svc-server');
    const wrong = { ...deployment, spec: { ...deployment.spec, replica: 1 } };
    expect(unknownFields([wrong])).toContain('replica');
  });

  test('runs every pod without rights, on a read-only root', () => {
    const pods = [NAMED, FULL, SMALL].flatMap((values) => podsOf(render(values)));
    expect(pods).toHaveLength(7);
    for (const { spec } of pods) {
      expect(spec.template.spec.securityContext).toEqual({
        runAsNonRoot: true,
        runAsUser: 65532,
        runAsGroup: 65532,
        fsGroup: 65532,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(spec.template.spec.containers[0].securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
  });

  test('mounts a service account token only where tasks run as jobs', () => {
    const mounted = (values: unknown) =>
      podsOf(render(values))
        .filter(({ spec }) => spec.template.spec.automountServiceAccountToken)
        .map(titleOf);
    expect(mounted(NAMED)).toEqual([]);
    expect(mounted(FULL)).toEqual(['Deployment/orders-svc-worker']);
    expect(mounted(NO_WORKER)).toEqual(['Deployment/orders-svc-server']);
  });

  test('selects the pods of one component by each selector', () => {
    const manifests = render(FULL);
    const labels = podsOf(manifests).map(({ spec }) => spec.template.metadata.labels);
    const selected = (selector: Readonly<Record<string, unknown>>) =>
      labels.filter((each) => Object.entries(selector).every(([name, value]) => each[name] === value)).length;
    const counts = manifests.flatMap(({ kind, metadata, spec }) => {
      if (metadata.namespace === 'svc-tools' || kind === 'ServiceMonitor') return [];
      if (kind === 'NetworkPolicy') return [selected(spec.podSelector.matchLabels)];
      if (kind === 'Service') return [selected(spec.selector)];
      return spec?.selector === undefined ? [] : [selected(spec.selector.matchLabels)];
    });
    expect(counts).toEqual(counts.map(() => 1));
    expect(counts.length).toBeGreaterThanOrEqual(7);
  });

  test('names variables that svcd reads, each once, and secrets by reference', () => {
    const flags = describeFlags();
    const known = { server: flags.server, worker: flags.worker, migrations: flags.migrate };
    for (const { spec } of podsOf(render(FULL))) {
      const [container] = spec.template.spec.containers;
      const component = spec.template.metadata.labels['app.kubernetes.io/component'] as keyof typeof known;
      const variables = new Set(['SVC_API_TOKENS', ...known[component].map(({ variable }) => variable)]);
      const names = container.env.map(({ name }) => name);
      expect(names.filter((name) => !variables.has(name))).toEqual([]);
      expect(new Set(names).size).toBe(names.length);
      const secret = container.env.filter(({ name }) => /TOKENS|ENCRYPTION|DATABASE_URL/.test(name));
      for (const { value, valueFrom } of secret)
        expect([value, valueFrom]).toEqual([undefined, { secretKeyRef: expect.objectContaining({ name: 'svc-keys' }) as unknown }]);
    }
  });

  test('lets the values of a component win over those of all', () => {
    const { spec } = oneOf(render(FULL), 'Deployment/orders-svc-server');
    const values = new Map(spec.template.spec.containers[0].env.map(({ name, value }) => [name, value]));
    expect(values.get('SVC_LOG_LEVEL')).toBe('warn');
    expect(values.get('SVC_TRUSTED_PROXIES')).toBe('10.0.0.0/8,fd00::/8');
    expect(values.get('SVC_EMBEDDED_WORKER')).toBe('false');
  });

  test('reads further secrets of servers and workers from the keys of the Secret', () => {
    const secret = { name: 'svc-keys', variables: { SVC_AUDIT_WEBHOOK_SECRET: 'audit', OTEL_EXPORTER_OTLP_HEADERS: 'otlp' } };
    const manifests = render({ secret });
    for (const title of ['Deployment/orders-svc-server', 'Deployment/orders-svc-worker']) {
      const { env } = oneOf(manifests, title).spec.template.spec.containers[0];
      expect(env.filter(({ name }) => name in secret.variables)).toEqual([
        { name: 'OTEL_EXPORTER_OTLP_HEADERS', valueFrom: { secretKeyRef: { name: 'svc-keys', key: 'otlp' } } },
        { name: 'SVC_AUDIT_WEBHOOK_SECRET', valueFrom: { secretKeyRef: { name: 'svc-keys', key: 'audit' } } },
      ]);
    }
  });

  test('gives pods the time of the values to end', () => {
    const grace = (values: unknown) =>
      render(values)
        .filter(({ kind }) => kind === 'Deployment')
        .map(({ spec }) => spec.template.spec.terminationGracePeriodSeconds);
    expect(grace(NAMED)).toEqual([35, 30]);
    const [server, worker] = [{ terminationGracePeriodSeconds: 130 }, { terminationGracePeriodSeconds: 125 }];
    expect(grace({ ...NAMED, server, worker })).toEqual([130, 125]);
  });

  test('writes numbers as svcd reads them', () => {
    const env = {
      SVC_CHANGE_RETENTION: 2_000_000,
      SVC_CONTAINER_MEMORY_MAX: 1_073_741_824,
      SVC_CONTAINER_CPUS_MAX: 0.5,
      SVC_ALLOW_PRIVATE_TOOL_ENDPOINTS: true,
    };
    const { spec } = oneOf(render({ ...NAMED, env }), 'Deployment/orders-svc-worker');
    const values = spec.template.spec.containers[0].env.filter(({ name }) => name in env).map(({ name, value }) => [name, value]);
    expect(Object.fromEntries(values)).toEqual({
      SVC_CHANGE_RETENTION: '2000000',
      SVC_CONTAINER_MEMORY_MAX: '1073741824',
      SVC_CONTAINER_CPUS_MAX: '0.5',
      SVC_ALLOW_PRIVATE_TOOL_ENDPOINTS: 'true',
    });
  });

  test('brings the database up to date before anything else', () => {
    const { metadata, spec } = oneOf(render(NAMED), 'Job/orders-svc-migrations');
    expect(metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' });
    expect(spec.template.spec.containers[0].args).toEqual(['migrate']);
    expect(spec.template.spec).not.toHaveProperty('serviceAccountName');
  });

  test('runs migrations on the nodes of the servers, with their certificates and proxies', () => {
    const env = { NODE_EXTRA_CA_CERTS: '/etc/ssl/all.pem', HTTPS_PROXY: 'http://proxy:3128', SVC_LOG_LEVEL: 'warn' };
    const own = { NODE_EXTRA_CA_CERTS: '/etc/ssl/servers.pem', SVC_LOG_FORMAT: 'json' };
    const server = { nodeSelector: { disk: 'ssd' }, tolerations: [{ key: 'a', operator: 'Exists' }] };
    const { spec } = oneOf(render({ ...NAMED, env, server: { ...server, env: own } }), 'Job/orders-svc-migrations').spec.template;
    expect(spec.containers[0].env.slice(1)).toEqual([
      { name: 'HTTPS_PROXY', value: env.HTTPS_PROXY },
      { name: 'NODE_EXTRA_CA_CERTS', value: own.NODE_EXTRA_CA_CERTS },
    ]);
    expect(spec).toMatchObject(server);
  });

  test('admits no peers to the servers without networkPolicy.from', () => {
    const { spec } = oneOf(render({ ...NAMED, networkPolicy: { from: null } }), 'NetworkPolicy/orders-svc-server');
    expect(spec['ingress']).toEqual([]);
  });

  test('names its objects without the dots of the release', () => {
    const names = render(NAMED, 'orders.v2').map(({ metadata }) => metadata.name);
    expect(names.filter((name) => !name.startsWith('orders-v2-svc'))).toEqual([]);
  });

  test.each([
    ['no name of the Secret', {}, 'secret.name is required'],
    ['a token among the variables', { ...NAMED, env: { SVC_API_TOKENS: 'ann:x:admin' } }, 'SVC_API_TOKENS'],
    [
      'a database password among the variables',
      { ...NAMED, worker: { env: { SVC_DATABASE_URL: 'postgres://a:b@c/d' } } },
      'SVC_DATABASE_URL',
    ],
    ['a credential of a collector', { ...NAMED, env: { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=x' } }, 'OTEL_EXPORTER_OTLP_HEADERS'],
    ['a second encryption key', { secret: { name: 's', variables: { SVC_SECRET_ENCRYPTION_KEY: 'k' } } }, 'SVC_SECRET_ENCRYPTION_KEY'],
    ['a variable of another program', { ...NAMED, env: { LD_PRELOAD: '/x' } }, 'LD_PRELOAD'],
    ['an unknown value', { ...NAMED, replicas: 3 }, 'replicas'],
    ['no server', { ...NAMED, server: { replicas: 0 } }, 'replicas'],
    ['a digest of another form', { ...NAMED, image: { digest: 'sha256:1' } }, 'digest'],
    ['a user in the public address', { ...NAMED, server: { publicUrl: 'https://a:b@c' } }, 'publicUrl'],
    ['an ingress without a host', { ...NAMED, ingress: { enabled: true } }, 'ingress.host is required'],
  ])('refuses %s', (_, values, named) => {
    const { status, stderr } = template(values);
    expect(stderr).toContain(named);
    expect(status).not.toBe(0);
  });

  test('has the version of the program', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    expect(readFileSync(join(chart, 'Chart.yaml'), 'utf8')).toContain(`appVersion: '${version}'`);
  });
});
