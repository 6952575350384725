import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { z } from 'zod';

const exec = promisify(execFile);

/** Output size for thousands of lines: pods with their status, rendered manifests. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const POLL_MS = 500;
/** Longer than any of these commands takes. */
const COMMAND_MS = 600_000;

/** A command that ended with an exit code other than 0. */
class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly output: string;

  constructor(command: string, output: string) {
    super(`${command} failed:\n${output.trim()}`);
    this.output = output;
  }
}

/** Runs a program and returns its standard output; `input` is its standard input. Throws {@link CommandError}. */
export async function run(
  program: string,
  args: readonly string[],
  o: { readonly input?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<string> {
  const running = exec(program, [...args], {
    maxBuffer: MAX_OUTPUT_BYTES,
    timeout: COMMAND_MS,
    env: { ...process.env, ...o.env },
  });
  running.child.stdin?.end(o.input);
  try {
    return (await running).stdout;
  } catch (error) {
    throw new CommandError([program, ...args].join(' '), outputOf(error));
  }
}

function outputOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const texts = ['stdout', 'stderr'].map((stream) => String(Reflect.get(error, stream) ?? ''));
  return texts.join('').trim() || error.message;
}

const container = z.object({
  name: z.string(),
  restartCount: z.int(),
  ready: z.boolean(),
  state: z.record(z.string(), z.object({ reason: z.string().optional() })),
  lastState: z.record(z.string(), z.object({ reason: z.string().optional(), exitCode: z.int().optional() })),
});

const podSchema = z.object({
  metadata: z.object({
    name: z.string(),
    labels: z.record(z.string(), z.string()).default({}),
    deletionTimestamp: z.string().optional(),
  }),
  spec: z.object({
    containers: z.array(
      z.object({
        name: z.string(),
        image: z.string(),
        resources: z.object({ limits: z.record(z.string(), z.string()).default({}) }),
      }),
    ),
  }),
  status: z.object({
    phase: z.string(),
    podIP: z.string().optional(),
    containerStatuses: z.array(container).default([]),
  }),
});

/** A pod, with the members that these tests need. */
export type Pod = z.infer<typeof podSchema>;

/** `kubectl` in one namespace of the cluster named by KUBECONFIG. */
export class Namespace {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  /** Runs kubectl with these arguments. */
  kubectl(args: readonly string[], input?: string): Promise<string> {
    return run('kubectl', ['--namespace', this.name, ...args], input === undefined ? {} : { input });
  }

  /** Runs helm with these arguments. */
  helm(args: readonly string[], input?: string): Promise<string> {
    return run('helm', ['--namespace', this.name, ...args], input === undefined ? {} : { input });
  }

  /** Creates the namespace, under the Pod Security standard `restricted`, deleting an older one with the name first. */
  async create(): Promise<void> {
    await this.delete();
    await run('kubectl', ['create', 'namespace', this.name]);
    const labels = ['enforce', 'warn'].map((mode) => `pod-security.kubernetes.io/${mode}=restricted`);
    await run('kubectl', ['label', 'namespace', this.name, ...labels]);
  }

  /** Deletes the namespace with everything in it. */
  async delete(): Promise<void> {
    // Pods are deleted first: with the namespace they would take half of their grace period, minutes for a gateway.
    const workloads = ['deployments,statefulsets,jobs,cronjobs', '--all', '--cascade=foreground'];
    await this.kubectl(['delete', ...workloads, '--timeout=180s']);
    await run('kubectl', ['delete', 'namespace', this.name, '--ignore-not-found', '--timeout=180s']);
  }

  /** Applies one or more objects. */
  async apply(...objects: readonly object[]): Promise<void> {
    const list = { apiVersion: 'v1', kind: 'List', items: objects };
    await this.kubectl(['apply', '-f', '-'], JSON.stringify(list));
  }

  /** An object, parsed by `schema`. */
  async get<T>(kind: string, name: string, schema: z.ZodType<T>): Promise<T> {
    return schema.parse(JSON.parse(await this.kubectl(['get', kind, name, '-o', 'json'])));
  }

  /** Pods by label selector; without one, all pods. */
  async pods(selector?: string): Promise<readonly Pod[]> {
    const labels = selector === undefined ? [] : ['-l', selector];
    const answer = await this.kubectl(['get', 'pods', ...labels, '-o', 'json']);
    return z.object({ items: z.array(podSchema) }).parse(JSON.parse(answer)).items;
  }

  /** `kind/name` of all objects of these kinds in the namespace. */
  async names(kinds: readonly string[]): Promise<readonly string[]> {
    const answer = await this.kubectl(['get', kinds.join(','), '-o', 'name']);
    return answer.split('\n').filter(Boolean);
  }

  /** Waits until all of the Deployment's pods are new and ready. */
  async rolledOut(workload: string, seconds = 240): Promise<void> {
    await this.kubectl(['rollout', 'status', workload, `--timeout=${String(seconds)}s`]);
  }
}

/** Waits until `isDone` returns true; throws naming `what` after `limitMs`. */
export async function until(
  what: string,
  limitMs: number,
  isDone: () => Promise<boolean> | boolean,
): Promise<void> {
  const from = performance.now();
  while (!(await isDone())) {
    if (performance.now() - from > limitMs) throw new Error(`Not within ${String(limitMs)} ms: ${what}`);
    await delay(POLL_MS);
  }
}

const nodes = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string() }),
      status: z.object({
        addresses: z.array(z.object({ type: z.string(), address: z.string() })),
        images: z
          .array(z.object({ names: z.array(z.string()).nullish(), sizeBytes: z.number().optional() }))
          .default([]),
      }),
    }),
  ),
});

/** A node of the cluster. */
export interface ClusterNode {
  readonly name: string;
  readonly address: string;
  /** Size in bytes of its images, by name. */
  readonly images: ReadonlyMap<string, number>;
}

/** The nodes of the cluster named by KUBECONFIG. */
export async function nodesOfCluster(): Promise<readonly ClusterNode[]> {
  const { items } = nodes.parse(
    JSON.parse(await run('kubectl', ['get', 'nodes', '-o', 'json', '--request-timeout=20s'])),
  );
  return items.map(({ metadata, status }) => ({
    name: metadata.name,
    address: status.addresses.find(({ type }) => type === 'InternalIP')?.address ?? '',
    images: new Map(
      status.images.flatMap(({ names, sizeBytes }) =>
        (names ?? []).map((name) => [name, sizeBytes ?? 0] as const),
      ),
    ),
  }));
}

/** Why the suite cannot run here, in one line; undefined if it can. */
export async function whyNoCluster(): Promise<string | undefined> {
  if (!process.env['KUBECONFIG']) return 'KUBECONFIG is not set';
  try {
    await run('helm', ['version', '--short']);
    const found = await nodesOfCluster();
    return found.length > 0 ? undefined : 'the cluster that KUBECONFIG names has no node';
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return text.split('\n').slice(0, 2).join(' ');
  }
}
