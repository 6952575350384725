import type { DocumentedKey } from '../chart/documented-keys.ts';
import type { Values } from './render.ts';

/** Values with every optional part enabled for two services, so that changing a key has an effect. */
const BASE: Values = {
  discovery: 'kubernetes',
  defaults: { enabled: false, autoscaling: { enabled: true } },
  services: {
    gateway: { enabled: true },
    tools: { enabled: true },
  },
  gatewayService: { type: 'NodePort' },
  httpRoute: { enabled: true, parentRefs: [{ name: 'public' }] },
  ingress: { enabled: true, hosts: ['a.example.com'] },
  metrics: {
    serviceMonitor: { enabled: true },
    prometheusRule: { enabled: true },
    dashboards: { enabled: true },
  },
};

const TRIGGERS = [{ type: 'cpu', metadata: { value: '70' } }];

/** Further values that some keys need to have an effect, by the beginning of their paths. */
const CONTEXTS: readonly (readonly [prefix: string, values: Values])[] = [
  ['profile', { publicUrl: 'https://a.example.com' }],
  ['defaults.replicas', { defaults: { autoscaling: { enabled: false } } }],
  // The other two services have their own grace period, so a third one is enabled.
  ['defaults.shutdown.graceSeconds', { services: { catalog: { enabled: true } } }],
  ['defaults.keda', { defaults: { keda: { enabled: true, triggers: TRIGGERS } } }],
  ['defaults.canary', { defaults: { canary: { mode: 'gateway' } } }],
  ['defaults.canary.route', { defaults: { canary: { mode: 'route' } } }],
  ['defaults.canary.controller', { defaults: { canary: { mode: 'route' } } }],
  // The maximum of an autoscaler must exceed the minimum.
  ['defaults.canary.replicas', { defaults: { autoscaling: { enabled: false } } }],
  ['defaults.autoscaling.enabled', { defaults: { autoscaling: { enabled: false } } }],
  // The sample vendor requires tools.
  ['defaults.enabled', { evaluation: { sandboxCrm: { enabled: false } } }],
  ['defaults.keda.enabled', { defaults: { keda: { enabled: false, triggers: TRIGGERS } } }],
  ['services.delivery.keda', { services: { delivery: { keda: { enabled: true } } } }],
  ['metrics.prometheusUrl', { services: { delivery: { enabled: true, keda: { enabled: true } } } }],
  ['networkPolicy.mongodb', { profile: 'production', publicUrl: 'https://a.example.com' }],
  ['networkPolicy.nats', { profile: 'production', publicUrl: 'https://a.example.com' }],
  ['evaluation.mongodb.uri', { evaluation: { mongodb: { enabled: false, uri: 'mongodb://a' } } }],
  ['evaluation.nats.url', { evaluation: { nats: { enabled: false, url: 'nats://a' } } }],
  ['evaluation.mongodb.enabled', { evaluation: { mongodb: { uri: 'mongodb://a' } } }],
  ['evaluation.nats.enabled', { evaluation: { nats: { url: 'nats://a' } } }],
];

/** Alternative values for keys whose type does not determine any. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  profile: 'production',
  publicUrl: 'https://b.example.com',
  discovery: 'dns',
  rpcTransport: 'grpc',
  imagePullSecrets: [{ name: 'registry' }],
  extraObjects: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'extra' } }],
  digest: `sha256:${'0'.repeat(64)}`,
  pullPolicy: 'Always',
  image: { tag: 'other' },
  settings: { LOG_LEVEL: 'debug' },
  env: [{ name: 'EXTRA', value: 'x' }],
  envFrom: [{ configMapRef: { name: 'extra' } }],
  resources: { limits: { memory: '300Mi' } },
  terminationGracePeriodSeconds: 600,
  strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 2 } },
  memory: 80,
  cpu: 60,
  metrics: [{ type: 'Pods' }],
  triggers: [{ type: 'cron' }],
  tolerations: [{ operator: 'Exists' }],
  topologySpreadConstraints: [],
  podSecurityContext: { runAsUser: 1000 },
  securityContext: { privileged: false },
  tmpSizeLimit: '1Gi',
  size: '1Gi',
  volumes: [{ name: 'extra', emptyDir: {} }],
  volumeMounts: [{ name: 'extra', mountPath: '/extra' }],
  initContainers: [{ name: 'extra', image: 'extra' }],
  containers: [{ name: 'extra', image: 'extra' }],
  from: [{ namespaceSelector: {} }],
  egress: [{ ports: [{ port: 1 }] }],
  secretVariables: [],
  mode: 'route',
  maxErrorDifference: 0.5,
  controller: 'argo-rollouts',
  kind: 'HTTPRoute',
  accounts: ['acc_other'],
  headers: ['operator'],
  type: 'LoadBalancer',
  nodePort: 30_000,
  parentRefs: [{ name: 'other' }],
  filters: [{ type: 'RequestRedirect' }],
  timeouts: { request: '10s' },
  tls: [{ secretName: 'tls' }],
  dns: [{ namespaceSelector: {} }],
  apiServer: [{ namespaceSelector: {} }],
  mongodb: [{ namespaceSelector: {} }],
  nats: [{ namespaceSelector: {} }],
  storageClassName: 'local',
};

/** A secret variable for services without one in the list. */
const SECRET_VARIABLES: Readonly<Record<string, readonly string[]>> = {
  identity: ['UPSTREAM_OIDC_CLIENT_SECRET'],
  connections: ['CONNECTOR_OAUTH_CLIENTS'],
};

/** The values before the key is changed: every optional part is enabled. */
export function valuesBefore({ path }: DocumentedKey): readonly Values[] {
  const [first, service = ''] = path;
  const ofService: Values = first === 'services' ? { services: { [service]: { enabled: true } } } : {};
  const contexts = CONTEXTS.filter(([prefix]) => path.join('.').startsWith(prefix));
  return [BASE, ofService, ...contexts.map(([, values]) => values)];
}

/** Values that change the key, or the one at `path` instead. */
export function changeOf(key: DocumentedKey, path: readonly string[] = key.path): Values {
  const changed = path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), otherValue(key));
  // A path has at least one name, which makes a map.
  return changed as Values;
}

function otherValue(key: DocumentedKey): unknown {
  const { path, value } = key;
  const name = path.at(-1) ?? '';
  if (typeof value === 'boolean') {
    const current = valuesBefore(key).map((values) => valueAt(values, path));
    return !(current.findLast((one) => one !== undefined) ?? value);
  }
  if (name === 'metrics' && path.length === 2) return [{ namespaceSelector: { matchLabels: { a: 'b' } } }];
  if (name === 'secretVariables') return SECRET_VARIABLES[path[1] ?? ''] ?? [];
  if (Object.hasOwn(SAMPLES, name)) return SAMPLES[name];
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'string') return value === '' ? 'other' : `${value}x`;
  if (Array.isArray(value)) return typeof value[0] === 'number' ? [1234] : [...(value as unknown[]), 'other'];
  return { other: 'other' };
}

function valueAt(values: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, name) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, name) : undefined),
    values,
  );
}
