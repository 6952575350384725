import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Part } from './part.ts';
import { CHART } from './support/installation.ts';
import { ARGO_ROLLOUTS, FLAGGER, GATEWAY_API, withDefinitions } from './support/definitions.ts';
import type { Definitions } from './support/definitions.ts';
import { Namespace } from './support/kubernetes.ts';

/** Definitions of the kinds used by the chart and its examples. */
const DEFINITIONS: readonly Definitions[] = [
  GATEWAY_API,
  {
    module: 'github.com/kedacore/keda/v2@v2.18.0',
    files: ['config/crd/bases/keda.sh_scaledobjects.yaml'],
  },
  {
    module: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    files: ['servicemonitors', 'prometheusrules'].map(
      (name) => `example/prometheus-operator-crd/monitoring.coreos.com_${name}.yaml`,
    ),
  },
  ARGO_ROLLOUTS,
  FLAGGER,
];

/** Values of the canary examples, with the objects outside of the release. */
const CANARIES: readonly { readonly values: string; readonly beside?: string }[] = [
  { values: `${CHART}/ci/canary-gateway-values.yaml` },
  { values: `${CHART}/ci/canary-route-values.yaml` },
  { values: example('argo-rollouts/values.yaml'), beside: example('argo-rollouts/rollout.yaml') },
  { values: example('flagger/values.yaml'), beside: example('flagger/canary.yaml') },
];

const KINDS = [
  'HTTPRoute',
  'Ingress',
  'HorizontalPodAutoscaler',
  'ScaledObject',
  'ServiceMonitor',
  'PrometheusRule',
];

const KINDS_OF_CANARIES = ['GRPCRoute', 'CronJob', 'AnalysisTemplate', 'Rollout', 'Canary', 'MetricTemplate'];

/** With the Ingress, which production-values.yaml omits, and without a priority class, which the cluster may not have. */
const FURTHER = {
  defaults: { priorityClassName: '' },
  ingress: { enabled: true, className: 'any', hosts: ['fairlead.example.com'] },
};

/**
 * The API server accepts every object of the production example, with the definitions of Gateway API, KEDA and the Prometheus operator, and
 * rejects an undefined key. Missing definitions are installed during this part only.
 */
export const customResources: Part = {
  name: 'crds',
  async run() {
    const namespace = new Namespace('fairlead-test-crds');
    return withDefinitions(DEFINITIONS, async () => {
      try {
        await namespace.create();
        const objects = await namespace.helm(
          ['template', 'test', CHART, '--values', `${CHART}/ci/production-values.yaml`, '--values', '-'],
          JSON.stringify(FURTHER),
        );
        const dryRun = (text: string): Promise<string> =>
          namespace.kubectl(
            ['apply', '--dry-run=server', '--validate=strict', '-f', '-', '-o', 'name'],
            text,
          );
        const accepted = (await dryRun(objects)).split('\n').filter(Boolean);
        const canaries: string[] = [];
        for (const { values, beside } of CANARIES) {
          const rendered = await namespace.helm(['template', 'test', CHART, '--values', values]);
          const own = beside === undefined ? '' : `\n---\n${await readFile(beside, 'utf8')}`;
          canaries.push(...(await dryRun(rendered + own)).split('\n').filter(Boolean));
        }
        const unknown = objects.replaceAll('pollingInterval:', 'pollingIntervals:');
        const isRefused = await dryRun(unknown).then(
          () => false,
          (error: unknown) => String(error).includes('pollingIntervals'),
        );
        return {
          figures: [
            `${String(accepted.length)} objects accepted, among them ${KINDS.join(', ')}`,
            `${String(canaries.length)} objects of examples of canaries accepted, among them ${KINDS_OF_CANARIES.join(', ')}`,
          ],
          problems: [
            ...[...missingIn(accepted, KINDS), ...missingIn(canaries, KINDS_OF_CANARIES)].map(
              (kind) => `no ${kind} was accepted`,
            ),
            ...(isRefused ? [] : ['an unknown key of a ScaledObject was accepted']),
          ],
        };
      } finally {
        await namespace.delete();
      }
    });
  },
};

/** Kinds without an object among the names printed by kubectl. */
function missingIn(names: readonly string[], kinds: readonly string[]): readonly string[] {
  return kinds.filter((kind) => !names.some((name) => name.startsWith(`${kind.toLowerCase()}.`)));
}

function example(name: string): string {
  return join(CHART, '..', 'examples', name);
}
