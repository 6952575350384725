import { fileURLToPath } from 'node:url';
import { SERVICE_NAMES } from '@fairlead/service-list/services';
import { z } from 'zod';

import { createAccount } from './account.ts';
import { sandboxCrmObjects, sandboxCrmSecret } from './sandbox-crm.ts';
import { Namespace, nodesOfCluster, until } from './kubernetes.ts';
import type { Target } from './traffic.ts';

/** The folder of the chart. */
export const CHART = fileURLToPath(new URL('../../../deploy/helm/fairlead', import.meta.url));
const NAMESPACE = 'fairlead-test';
/** The name of the release. */
export const RELEASE = 'fairlead';
const NODE_PORT = 30_480;
const WAIT = ['--wait', '--timeout', '8m'];
const READY_MS = 120_000;

/** All services, the gateway first. */
export const ALL_SERVICES = ['gateway', ...SERVICE_NAMES] as const;

/** Images of an installation: `repository:tag` of the product's, and of the two stores'. */
export interface Images {
  readonly product: string;
  readonly mongodb: string;
  readonly nats: string;
}

/** The chart installed in its own namespace, with an account to call it. */
export interface Installation {
  readonly namespace: Namespace;
  readonly images: Images;
  /** Address of a node with the NodePorts; pods reach this machine at {@link machine}. */
  readonly machine: string;
  readonly target: Target & { readonly operatorKey: string };
  /** Upgrades with these values over the test's own; waits for the pods unless `args` are given. */
  readonly upgrade: (values: object, args?: readonly string[]) => Promise<void>;
}

const secret = z.object({ data: z.record(z.string(), z.string()) });
const service = z.object({ spec: z.object({ clusterIP: z.string() }) });

/** The address at which pods reach this machine: CLUSTER_MACHINE_ADDRESS, by default the first node's. */
async function machineAddress(): Promise<string> {
  const [node] = await nodesOfCluster();
  if (node === undefined) throw new Error('The cluster has no node');
  return process.env['CLUSTER_MACHINE_ADDRESS'] ?? node.address;
}

/** The images as chart values. */
export function imageValuesOf({ product, mongodb, nats }: Images): object {
  return {
    image: imageValues(product),
    evaluation: { mongodb: { image: imageValues(mongodb) }, nats: { image: imageValues(nats) } },
  };
}

function imageValues(name: string): { readonly repository: string; readonly tag: string } {
  const at = name.lastIndexOf(':');
  return { repository: name.slice(0, at), tag: name.slice(at + 1) };
}

/** The value of a key of a service's Secret. */
export async function secretOf(namespace: Namespace, name: string, key: string): Promise<string> {
  const { data } = await namespace.get('secret', name, secret);
  const value = data[key];
  if (value === undefined) throw new Error(`The Secret ${name} has no ${key}`);
  return Buffer.from(value, 'base64').toString('utf8');
}

/**
 * Installs the chart with its evaluation profile and two replicas of each service, into a new namespace under the Pod Security standard
 * `restricted`. The sample CRM runs beside it. Calls to this machine and to the CRM are allowed. With `isKept`, an installation kept by an
 * earlier run is used.
 */
export async function openInstallation(
  images: Images,
  { isKept }: { readonly isKept: boolean },
): Promise<Installation> {
  const namespace = new Namespace(NAMESPACE);
  const isThere = isKept && (await namespace.helm(['list', '--short'])).includes(RELEASE);
  if (!isThere) {
    await namespace.create();
    await namespace.apply(sandboxCrmSecret(), ...sandboxCrmObjects(images.product));
  }
  const machine = await machineAddress();
  const crm = {
    apiKey: await secretOf(namespace, 'sandbox-crm', 'API_TOKEN'),
    adminKey: await secretOf(namespace, 'sandbox-crm', 'ADMIN_KEY'),
  };
  const { clusterIP } = (await namespace.get('service', 'sandbox-crm', service)).spec;
  const crmUrl = `http://${clusterIP}:4010`;

  const callsOut = {
    settings: { EGRESS_ALLOW: `${machine}/32,${clusterIP}/32` },
    networkPolicy: {
      egress: [
        { to: [{ ipBlock: { cidr: `${machine}/32` } }] },
        { to: [{ podSelector: { matchLabels: { app: 'sandbox-crm' } } }] },
      ],
    },
  };
  const own = {
    profile: 'evaluation',
    ...imageValuesOf(images),
    publicUrl: `http://${machine}:${String(NODE_PORT)}`,
    gatewayService: { type: 'NodePort', nodePort: NODE_PORT },
    // Small requests, so that 18 pods fit on a small node.
    defaults: { replicas: 2, resources: { requests: { cpu: '20m', memory: '64Mi' } } },
    services: {
      catalog: { settings: { CONNECTOR_SETTINGS: JSON.stringify({ 'sandbox-crm': { baseUrl: crmUrl } }) } },
      connections: callsOut,
      delivery: callsOut,
      identity: callsOut,
      tools: callsOut,
    },
  };
  const apply = async (
    command: readonly string[],
    further: object,
    args: readonly string[] = WAIT,
  ): Promise<void> => {
    const merged = merge(own, further);
    await namespace.helm([...command, RELEASE, CHART, '--values', '-', ...args], JSON.stringify(merged));
  };
  if (!isThere) await apply(['install'], {});
  await namespace.rolledOut('deployment/sandbox-crm');
  const baseUrl = own.publicUrl;
  const operatorKey = await secretOf(namespace, `${RELEASE}-gateway`, 'OPERATOR_KEY');
  await untilAnswering(baseUrl);
  const account = await createAccount({ baseUrl, operatorKey });
  return {
    namespace,
    images,
    machine,
    target: {
      baseUrl,
      mcpUrl: `${baseUrl}/mcp`,
      operatorKey,
      account,
      sandboxCrm: {
        url: crmUrl,
        ...crm,
        user: 'nobody@sandbox.example',
        password: '',
        oauthClientId: '',
        oauthClientSecret: '',
      },
    },
    upgrade: (further, args) => apply(['upgrade'], further, args),
  };
}

/** Resolves once the Service answers: endpoints follow a pod's readiness within a second or two. */
export async function untilAnswering(baseUrl: string): Promise<void> {
  await until(`${baseUrl}/readyz answers`, READY_MS, () =>
    fetch(`${baseUrl}/readyz`, { headers: { connection: 'close' } }).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
}

/** Merges values like Helm: objects by member, everything else is replaced. */
function merge(base: object, over: object): object {
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const before = merged[key];
    merged[key] = isPlain(before) && isPlain(value) ? merge(before, value) : value;
  }
  return merged;
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
