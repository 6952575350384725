import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import type { Part } from './part.ts';
import { CHART } from './support/installation.ts';
import { Namespace, run, until } from './support/kubernetes.ts';

/** Go modules whose source has the definitions of the kinds that the chart uses, and the files. */
const DEFINITIONS: readonly { readonly module: string; readonly files: readonly string[] }[] = [
  {
    module: 'sigs.k8s.io/gateway-api@v1.4.0',
    files: ['httproutes', 'grpcroutes'].map(
      (name) => `config/crd/standard/gateway.networking.k8s.io_${name}.yaml`,
    ),
  },
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
  {
    module: 'github.com/argoproj/argo-rollouts@v1.8.3',
    files: ['rollout', 'analysis-template'].map((name) => `manifests/crds/${name}-crd.yaml`),
  },
  { module: 'github.com/fluxcd/flagger@v1.36.1', files: ['artifacts/flagger/crd.yaml'] },
];

/** Values of the canaries' examples, with the objects that stand beside the release. */
const CANARIES: readonly { readonly values: string; readonly beside?: string }[] = [
  { values: `${CHART}/ci/canary-gateway-values.yaml` },
  { values: `${CHART}/ci/canary-route-values.yaml` },
  { values: example('argo-rollouts/values.yaml'), beside: example('argo-rollouts/rollout.yaml') },
  { values: example('flagger/values.yaml'), beside: example('flagger/canary.yaml') },
];

const ESTABLISHED_MS = 60_000;

const KINDS = [
  'HTTPRoute',
  'Ingress',
  'HorizontalPodAutoscaler',
  'ScaledObject',
  'ServiceMonitor',
  'PrometheusRule',
];

const KINDS_OF_CANARIES = ['GRPCRoute', 'CronJob', 'AnalysisTemplate', 'Rollout', 'Canary', 'MetricTemplate'];

/** The Ingress, which production-values.yaml leaves off, and no priority class, because the cluster may not have it. */
const FURTHER = {
  defaults: { priorityClassName: '' },
  ingress: { enabled: true, className: 'any', hosts: ['fairlead.example.com'] },
};

const download = z.object({ Dir: z.string() });
const definition = z.object({ metadata: z.object({ name: z.string() }) });

/**
 * The API server accepts every object of the production example, with the definitions of Gateway API, KEDA and the Prometheus
 * operator, and refuses a key that they do not have. Definitions that the cluster lacks are there during the part only.
 */
export const customResources: Part = {
  name: 'crds',
  async run() {
    const namespace = new Namespace('fairlead-test-crds');
    const created: string[] = [];
    try {
      await createDefinitions(created);
      await namespace.create();
      const objects = await namespace.helm(
        ['template', 'test', CHART, '--values', `${CHART}/ci/production-values.yaml`, '--values', '-'],
        JSON.stringify(FURTHER),
      );
      const dryRun = (text: string): Promise<string> =>
        namespace.kubectl(['apply', '--dry-run=server', '--validate=strict', '-f', '-', '-o', 'name'], text);
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
      if (created.length > 0) await run('kubectl', ['delete', ...created, '--timeout=60s']);
    }
  },
};

/** Creates the definitions that the cluster does not have, and adds their names to `created`. */
async function createDefinitions(created: string[]): Promise<void> {
  for (const { module, files } of DEFINITIONS) {
    const { Dir: folder } = download.parse(JSON.parse(await run('go', ['mod', 'download', '-json', module])));
    for (const file of files) {
      const texts = (await readFile(join(folder, file), 'utf8')).split(/^---$/m);
      for (const text of texts) {
        const found = definition.safeParse(parseDocument(text).toJS());
        if (!found.success) continue;
        const resource = `customresourcedefinition/${found.data.metadata.name}`;
        const isThere = await run('kubectl', ['get', resource, '--ignore-not-found', '-o', 'name']);
        if (isThere === '') {
          await run('kubectl', ['create', '-f', '-'], { input: text });
          created.push(resource);
        }
        // It fails at once for a definition without any condition yet.
        const wait = ['wait', '--for=condition=Established', resource, '--timeout=10s'];
        await until(`${resource} is established`, ESTABLISHED_MS, () =>
          run('kubectl', wait).then(
            () => true,
            () => false,
          ),
        );
      }
    }
  }
}

/** Kinds of which no object is among the names that kubectl printed. */
function missingIn(names: readonly string[], kinds: readonly string[]): readonly string[] {
  return kinds.filter((kind) => !names.some((name) => name.startsWith(`${kind.toLowerCase()}.`)));
}

function example(name: string): string {
  return join(CHART, '..', 'examples', name);
}
