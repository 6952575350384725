import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import type { Part } from './part.ts';
import { createAccounts, expectedAt, OBEYED_MS, startCanaryLoad, withCanary } from './support/canaries.ts';
import { ARGO_ROLLOUTS, GATEWAY_API, withDefinitions } from './support/definitions.ts';
import { CHART, RELEASE } from './support/installation.ts';
import type { Installation } from './support/installation.ts';
import { until } from './support/kubernetes.ts';
import { startProgram } from './support/program.ts';
import type { Program } from './support/program.ts';
import { weightsUntil } from './support/route-weights.ts';

const ROLLED_MS = 600_000;
const ACCOUNTS = 60;
const NAME = `${RELEASE}-tools`;
const EXAMPLE = join(CHART, '../examples/argo-rollouts/rollout.yaml');
const HASH = 'rollouts-pod-template-hash';
const WEIGHTS = [10, 25];
const PLUGIN = 'argoproj-labs/gatewayAPI';

const rolloutSchema = z.object({
  metadata: z.object({ generation: z.int() }),
  status: z
    .object({
      phase: z.string().optional(),
      message: z.string().optional(),
      observedGeneration: z.string().optional(),
      workloadObservedGeneration: z.string().optional(),
    })
    .optional(),
});
const deployment = z.object({ metadata: z.object({ generation: z.int() }) });
const service = z.object({ spec: z.object({ selector: z.record(z.string(), z.string()) }) });
/**
 * Argo Rollouts' controller with its Gateway API plugin runs the example: a changed Deployment passes the weights and analyses of the
 * Rollout. Both programs run on this machine, at the paths CLUSTER_ARGO_ROLLOUTS and CLUSTER_ARGO_PLUGIN.
 */
export const canaryArgo: Part = {
  name: 'canary-argo',
  async run(site) {
    const { CLUSTER_ARGO_ROLLOUTS: program, CLUSTER_ARGO_PLUGIN: plugin } = process.env;
    if (program === undefined || plugin === undefined)
      return {
        figures: ['CLUSTER_ARGO_ROLLOUTS and CLUSTER_ARGO_PLUGIN are not set: Argo Rollouts was not tried'],
        problems: [],
      };
    const installation = await site.installation();
    const accounts = await createAccounts(installation, ACCOUNTS);
    const analysis = { seconds: 20, minCalls: 5 };
    const canary = { mode: 'route', controller: 'argo-rollouts', analysis };
    return withDefinitions([GATEWAY_API, ARGO_ROLLOUTS], () =>
      withCanary(installation, canary, async () => {
        const controller = await startController(installation, program, plugin);
        try {
          const { namespace } = installation;
          const example = (await readFile(EXAMPLE, 'utf8')).replace(
            'namespace: default',
            `namespace: ${namespace.name}`,
          );
          await namespace.kubectl(['apply', '-f', '-'], example);
          await untilHealthy(installation);
          site.say('the Rollout made the pods');
          const inside = await expectedAt(installation, accounts, 10);
          const outside = accounts.filter((account) => !inside.includes(account));
          const load = await startCanaryLoad(installation, [...inside, ...outside.slice(0, 12)]);
          const podAnnotations = { 'fairlead.dev/try': 'next' };
          await installation.upgrade({ services: { tools: { canary, podAnnotations } } }, []);
          const seen = await weightsUntil(installation, { kind: 'grpcroute', name: NAME }, ROLLED_MS, () =>
            isHealthy(installation),
          );
          const outcomes = await load.stop();
          const failed = outcomes.filter(({ status }) => status !== 200);
          return {
            figures: [
              `Argo Rollouts set the weights ${seen.join(', ')}: ${String(outcomes.length)} calls, ${String(failed.length)} failed`,
            ],
            problems: [
              ...failed.map(({ status, failure }) => `a call failed: ${failure ?? String(status)}`),
              ...WEIGHTS.filter((weight) => !seen.includes(weight)).map(
                (weight) => `the route never had the weight ${String(weight)}`,
              ),
            ],
          };
        } catch (error) {
          site.say(String(error));
          throw error;
        } finally {
          await removeRollout(installation);
          await controller.stop();
          // The controller, which has set it to 0, still owns the number of pods.
          await installation.upgrade({}, ['--force-conflicts', '--wait', '--timeout', '8m']);
        }
      }),
    );
  },
};

/** Deletes the Rollout. The controller then restores the Services' selectors, which Helm would not. */
async function removeRollout({ namespace }: Installation): Promise<void> {
  await namespace.kubectl(['delete', 'rollout', NAME, '--ignore-not-found']);
  await until('the Services select pods of the Deployment again', OBEYED_MS, async () => {
    const services = await Promise.all(
      [NAME, `${NAME}-canary`].map((name) => namespace.get('service', name, service)),
    );
    return services.every(({ spec }) => !(HASH in spec.selector));
  });
}

/** Starts the controller for the namespace, with the plugin from a file. */
async function startController(
  { namespace }: Installation,
  program: string,
  plugin: string,
): Promise<Program> {
  const plugins = [{ name: PLUGIN, location: pathToFileURL(plugin).href }];
  await namespace.apply({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'argo-rollouts-config' },
    data: { trafficRouterPlugins: JSON.stringify(plugins) },
  });
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-test-argo-'));
  const running = startProgram(
    program,
    [
      '--namespaced',
      '--namespace',
      namespace.name,
      '--leader-elect=false',
      '--loglevel',
      'warn',
      // Free ports of this machine.
      '--metricsport',
      '0',
      '--healthzPort',
      '0',
    ],
    // Argo copies its plugins into its working directory.
    { cwd: folder, env: { POD_NAMESPACE: namespace.name } },
  );
  return {
    async stop() {
      await running.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function isHealthy({ namespace }: Installation): Promise<boolean> {
  const { status, metadata } = await namespace.get('rollout', NAME, rolloutSchema);
  if (status?.phase === 'Degraded') throw new Error(`The Rollout is degraded: ${status.message ?? ''}`);
  const { generation } = (await namespace.get('deployment', NAME, deployment)).metadata;
  return (
    status?.phase === 'Healthy' &&
    status.observedGeneration === String(metadata.generation) &&
    status.workloadObservedGeneration === String(generation)
  );
}

async function untilHealthy(installation: Installation): Promise<void> {
  await until('the Rollout is healthy', ROLLED_MS, () => isHealthy(installation));
}
