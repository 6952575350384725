import { z } from 'zod';
import { DEPLOYED_SERVICES, serviceFacts } from './service-facts.ts';
import type { DeployedService } from './service-facts.ts';

/** Kubernetes itself validates these maps and lists, which have the form of its API. */
const free = z.looseObject({}).meta({ id: 'free' });
const freeList = z.array(free).meta({ id: 'freeList' });
const texts = z.object({}).catchall(z.string()).meta({ id: 'texts' });
const setting = z.union([z.string(), z.number(), z.boolean()]).meta({ id: 'setting' });
/** Null removes a default for the service. */
const ownSetting = z.union([...setting.options, z.null()]).meta({ id: 'ownSetting' });
const count = z.int().min(0);
const atLeastOne = z.int().min(1);
const percent = z.int().min(1).max(1000).nullish();
const share = z.union([count, z.string().regex(/^\d{1,3}%$/)]);
const port = z.int().min(1).max(65_535);
const peers = freeList;
const secretName = z.string().regex(/^([a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$/);

/** Variables derived from other values, and secrets; neither may be set by `settings`. */
const OWN_VARIABLES: ReadonlySet<string> = new Set([
  'ADMIN_PORT',
  'CANARY_RULES',
  'GRPC_PORT',
  'HOST',
  'NODE_ENV',
  'PORT',
  'PUBLIC_URL',
  'RPC_PORT',
  'RPC_TRANSPORT',
  'SHUTDOWN_GRACE_MS',
  'TRACK',
]);

/** Variables that a service's `settings` may set. */
function settable(name: DeployedService): readonly string[] {
  const { variables, secrets, optionalSecrets } = serviceFacts(name);
  const refused = new Set([...OWN_VARIABLES, ...secrets, ...optionalSecrets]);
  return variables.filter((variable) => !refused.has(variable));
}

/** Variables that `defaults.settings` may set: every service reads them, and the same value suits all. */
function settableForAll(): readonly string[] {
  const [first = [], ...others] = DEPLOYED_SERVICES.map(settable);
  return first.filter(
    (variable) => variable !== 'MONGODB_DATABASE' && others.every((names) => names.includes(variable)),
  );
}

function settings(names: readonly string[], one: z.ZodType) {
  return z.strictObject(Object.fromEntries(names.map((name) => [name, one.optional()])));
}

const image = z
  .strictObject({
    repository: z.string().min(1),
    tag: z.string(),
    digest: z.string().regex(/^(sha256:[0-9a-f]{64})?$/),
    pullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']),
  })
  .partial()
  .meta({ id: 'image' });

const resources = z
  .strictObject({ requests: free, limits: free, claims: freeList })
  .partial()
  .meta({ id: 'resources' });

const probe = z
  .strictObject({ periodSeconds: atLeastOne, timeoutSeconds: atLeastOne, failureThreshold: atLeastOne })
  .partial()
  .meta({ id: 'probe' });

const shutdown = z
  .strictObject({ preStopSeconds: count, graceSeconds: z.int().min(1).max(600) })
  .partial()
  .meta({ id: 'shutdown' });

const strategy = z
  .strictObject({
    type: z.enum(['RollingUpdate', 'Recreate']),
    rollingUpdate: z.strictObject({ maxSurge: share, maxUnavailable: share }).partial().nullable(),
  })
  .partial()
  .meta({ id: 'strategy' });

const autoscaling = z
  .strictObject({
    enabled: z.boolean(),
    minReplicas: atLeastOne,
    maxReplicas: atLeastOne,
    cpu: percent,
    memory: percent,
    metrics: freeList,
    behavior: free,
  })
  .partial()
  .meta({ id: 'autoscaling' });

const keda = z
  .strictObject({
    enabled: z.boolean(),
    minReplicas: count,
    maxReplicas: atLeastOne,
    pollingInterval: atLeastOne,
    cooldownPeriod: count,
    triggers: freeList,
    advanced: free,
  })
  .partial()
  .meta({ id: 'keda' });

const canary = z
  .strictObject({
    mode: z.enum(['none', 'gateway', 'route']),
    weight: count.max(100),
    image,
    replicas: count,
    accounts: z.array(z.string().regex(/^acc_\w+$/)),
    headers: z.array(z.string().regex(/^(operator|key_\w+)$/)),
    route: z.strictObject({ kind: z.enum(['GRPCRoute', 'HTTPRoute']) }).partial(),
    analysis: z
      .strictObject({
        enabled: z.boolean(),
        schedule: z.string().min(1),
        seconds: z.int().min(1).max(3600),
        maxErrorDifference: z.number().min(0).max(1),
        maxLatencyRatio: z.number().min(1),
        minCalls: atLeastOne,
      })
      .partial(),
    controller: z.enum(['', 'argo-rollouts', 'flagger']),
  })
  .partial()
  .meta({ id: 'canary' });

/** The keys of `defaults`; `services.<name>` may have all of them, too. */
const serviceKeys = {
  enabled: z.boolean(),
  replicas: count,
  image,
  existingSecret: secretName,
  nodeOptions: z.string(),
  env: freeList,
  envFrom: freeList,
  resources,
  shutdown,
  terminationGracePeriodSeconds: atLeastOne.nullish(),
  probes: z
    .strictObject({ startup: probe, readiness: probe, liveness: probe })
    .partial()
    .meta({ id: 'probes' }),
  strategy,
  minReadySeconds: count,
  revisionHistoryLimit: count,
  autoscaling,
  keda,
  podDisruptionBudget: z
    .strictObject({ enabled: z.boolean(), maxUnavailable: share })
    .partial()
    .meta({ id: 'podDisruptionBudget' }),
  topologySpreadConstraints: freeList,
  affinity: free,
  nodeSelector: texts,
  tolerations: freeList,
  priorityClassName: z.string(),
  runtimeClassName: z.string(),
  labels: texts,
  annotations: texts,
  podLabels: texts,
  podAnnotations: texts,
  serviceAnnotations: texts,
  serviceAccount: z
    .strictObject({ create: z.boolean(), name: z.string(), annotations: texts })
    .partial()
    .meta({ id: 'serviceAccount' }),
  podSecurityContext: free,
  securityContext: free,
  tmpSizeLimit: z.string(),
  volumes: freeList,
  volumeMounts: freeList,
  initContainers: freeList,
  containers: freeList,
  canary,
  networkPolicy: z.strictObject({ from: peers, egress: freeList }).partial().meta({ id: 'ownNetworkPolicy' }),
};

function serviceSchema(name: DeployedService) {
  const { optionalSecrets } = serviceFacts(name);
  return z
    .strictObject({
      ...serviceKeys,
      ...(optionalSecrets.length > 0 && { secretVariables: z.array(z.literal(optionalSecrets)) }),
      settings: settings(settable(name), ownSetting),
    })
    .partial();
}

const storeImage = z.strictObject({
  repository: z.string().min(1),
  tag: z.string(),
  pullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']),
});

const store = {
  enabled: z.boolean(),
  image: storeImage,
  command: z.array(z.string()).min(1),
  size: z.string(),
  storageClassName: z.string().nullish(),
  resources,
};

const enabled = z.boolean();
const labels = texts;
const annotations = texts;

/** The values of the chart. */
const values = z.strictObject({
  profile: z.enum(['evaluation', 'production']),
  fullnameOverride: z.string().regex(/^([a-z]([-a-z0-9]*[a-z0-9])?)?$/),
  publicUrl: z.string().regex(/^https?:\/\/[^/]+\/?$/),
  clusterDomain: z.string().min(1),
  discovery: z.enum(['dns', 'kubernetes']),
  rpcTransport: z.enum(['connect-fast', 'grpc']),
  imagePullSecrets: z.array(z.strictObject({ name: z.string().min(1) })),
  commonLabels: texts,
  commonAnnotations: texts,
  extraObjects: z.array(z.union([z.string(), free])),
  image,
  defaults: z.strictObject({ ...serviceKeys, settings: settings(settableForAll(), setting) }),
  services: z.strictObject(Object.fromEntries(DEPLOYED_SERVICES.map((name) => [name, serviceSchema(name)]))),
  gatewayService: z.strictObject({
    type: z.enum(['ClusterIP', 'NodePort', 'LoadBalancer']),
    port,
    nodePort: port.nullish(),
    annotations,
  }),
  httpRoute: z.strictObject({
    enabled,
    parentRefs: freeList,
    hostnames: z.array(z.string()),
    annotations,
    filters: freeList,
    timeouts: z.strictObject({ request: z.string(), backendRequest: z.string() }).partial(),
  }),
  ingress: z.strictObject({
    enabled,
    className: z.string(),
    hosts: z.array(z.string().min(1)),
    tls: freeList,
    annotations,
  }),
  networkPolicy: z.strictObject({
    enabled,
    dns: peers,
    dnsPorts: z.array(port).min(1),
    apiServer: peers,
    apiServerPorts: z.array(port),
    mongodb: peers,
    mongodbPorts: z.array(port),
    nats: peers,
    natsPorts: z.array(port),
    metrics: peers,
    privateRanges: z.array(z.string()),
    privateRangesV6: z.array(z.string()),
  }),
  metrics: z.strictObject({
    prometheusUrl: z.string(),
    serviceMonitor: z.strictObject({ enabled, interval: z.string(), scrapeTimeout: z.string(), labels }),
    prometheusRule: z.strictObject({ enabled, labels }),
    dashboards: z.strictObject({ enabled, labels, annotations }),
  }),
  evaluation: z.strictObject({
    secrets: z.strictObject({ create: z.boolean() }),
    sandboxCrm: z.strictObject({ enabled }),
    mongodb: z.strictObject({ ...store, uri: z.string() }),
    nats: z.strictObject({ ...store, url: z.string() }),
  }),
  test: z.strictObject({ enabled, timeoutSeconds: atLeastOne }),
  // Helm passes these values to a subchart.
  global: free.optional(),
});

/** The content of `values.schema.json`, not formatted. */
export function valuesSchemaFile(): string {
  return `${JSON.stringify(z.toJSONSchema(values, { target: 'draft-7', io: 'input' }), null, 2)}\n`;
}
