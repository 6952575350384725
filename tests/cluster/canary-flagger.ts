import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Part } from './part.ts';
import { createAccounts, OBEYED_MS, startCanaryLoad } from './support/canaries.ts';
import { FLAGGER, GATEWAY_API, withDefinitions } from './support/definitions.ts';
import { CHART, RELEASE } from './support/installation.ts';
import type { Installation } from './support/installation.ts';
import { until } from './support/kubernetes.ts';
import { startProgram } from './support/program.ts';
import type { Program } from './support/program.ts';
import { startPrometheus } from './support/prometheus.ts';
import { weightsUntil } from './support/route-weights.ts';

const INITIALIZED_MS = 600_000;
const ROLLED_MS = 1_800_000;
const ACCOUNTS = 60;
const NAME = `${RELEASE}-tools`;
const EXAMPLES = join(CHART, '../examples/flagger');
const PROMETHEUS_OF_EXAMPLE = 'http://prometheus-operated.monitoring.svc:9090';
const WEIGHTS = [10, 20, 30, 40, 50];
const TRY = 'fairlead.dev/try';

const canarySchema = z.object({
  status: z
    .object({
      phase: z.string(),
      conditions: z.array(z.object({ message: z.string().optional() })).default([]),
    })
    .optional(),
});
const deployment = z.object({
  spec: z.object({
    template: z.object({ metadata: z.object({ annotations: z.record(z.string(), z.string()).default({}) }) }),
  }),
});

/**
 * Flagger's controller runs the example: a changed Deployment passes the weights of the Canary, with a Prometheus for its metrics, and the
 * stable pods become the next version. The load starts before Flagger takes the pods over. Both programs run on this machine, at the paths
 * CLUSTER_FLAGGER and CLUSTER_PROMETHEUS.
 */
export const canaryFlagger: Part = {
  name: 'canary-flagger',
  async run(site) {
    const { CLUSTER_FLAGGER: program, CLUSTER_PROMETHEUS: prometheus } = process.env;
    if (program === undefined || prometheus === undefined)
      return {
        figures: ['CLUSTER_FLAGGER and CLUSTER_PROMETHEUS are not set: Flagger was not tried'],
        problems: [],
      };
    const installation = await site.installation();
    const accounts = await createAccounts(installation, ACCOUNTS);
    const load = await startCanaryLoad(installation, accounts);
    try {
      return await withDefinitions([GATEWAY_API, FLAGGER], () =>
        withFlagger(installation, { program, prometheus }, async () => {
          site.say('Flagger made the stable pods');
          const seen = await rollOut(installation);
          site.say('Flagger promoted the next version');
          const outcomes = await load.stop();
          const failed = outcomes.filter(({ status }) => status !== 200);
          const primary = await installation.namespace.get('deployment', `${NAME}-primary`, deployment);
          return {
            figures: [
              `Flagger set the weights ${seen.join(', ')}: ${String(outcomes.length)} calls, ${String(failed.length)} failed`,
            ],
            problems: [
              ...failed.map(({ status, failure }) => `a call failed: ${failure ?? String(status)}`),
              ...WEIGHTS.filter((weight) => !seen.includes(weight)).map(
                (weight) => `the route never had the weight ${String(weight)}`,
              ),
              ...(primary.spec.template.metadata.annotations[TRY] === 'next'
                ? []
                : ['the stable pods are not the next version']),
            ],
          };
        }),
      );
    } finally {
      await load.stop();
    }
  },
};

/** Upgrades to the example with Flagger; returns to none after `act`. */
async function withFlagger<T>(
  installation: Installation,
  programs: { readonly program: string; readonly prometheus: string },
  act: () => Promise<T>,
): Promise<T> {
  const { namespace, upgrade } = installation;
  const prometheus = await startPrometheus(namespace, programs.prometheus);
  const flagger = startFlagger(namespace.name, programs.program, prometheus.url);
  try {
    await upgrade(await exampleValues());
    const objects = await readFile(join(EXAMPLES, 'canary.yaml'), 'utf8');
    await namespace.kubectl(['apply', '-f', '-'], objects.replace(PROMETHEUS_OF_EXAMPLE, prometheus.url));
    await until('Flagger has made the stable pods', INITIALIZED_MS, () => isAt(installation, 'Initialized'));
    return await act();
  } finally {
    // The deletion ends once Flagger has released the pods and the Service.
    await namespace.kubectl(['delete', 'canary', NAME, '--ignore-not-found', '--timeout=180s']);
    await namespace.kubectl(['delete', 'metrictemplate', NAME, '--ignore-not-found']);
    await flagger.stop();
    await prometheus.stop();
    await upgrade({}, ['--force-conflicts', '--wait', '--timeout', '8m']);
    await until('the pods that Flagger made are gone', OBEYED_MS, async () => {
      const pods = await namespace.pods('app.kubernetes.io/component=tools-primary');
      return pods.length === 0;
    });
  }
}

/** Upgrades tools; returns the route's weights until Flagger has promoted the new pods. */
async function rollOut(installation: Installation): Promise<readonly number[]> {
  const values = await exampleValues();
  await installation.upgrade({
    ...values,
    services: { tools: { ...values.services.tools, podAnnotations: { [TRY]: 'next' } } },
  });
  return weightsUntil(installation, { kind: 'httproute', name: NAME }, ROLLED_MS, () =>
    isAt(installation, 'Succeeded'),
  );
}

async function isAt({ namespace }: Installation, phase: string): Promise<boolean> {
  const { status } = await namespace.get('canary', NAME, canarySchema);
  if (status?.phase === 'Failed')
    throw new Error(`Flagger took the canary back: ${status.conditions[0]?.message ?? ''}`);
  return status?.phase === phase;
}

async function exampleValues() {
  const text = await readFile(join(EXAMPLES, 'values.yaml'), 'utf8');
  return z.looseObject({ services: z.object({ tools: z.looseObject({}) }) }).parse(parse(text));
}

function startFlagger(namespace: string, program: string, metrics: string): Program {
  return startProgram(program, [
    `-kubeconfig=${process.env['KUBECONFIG'] ?? ''}`,
    `-namespace=${namespace}`,
    '-mesh-provider=gatewayapi:v1',
    '-selector-labels=app.kubernetes.io/component',
    `-metrics-server=${metrics}`,
    '-log-level=warning',
    // Any free port of this machine.
    '-port=0',
  ]);
}
