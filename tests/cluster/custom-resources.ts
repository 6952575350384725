import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import type { Part } from './part.ts';
import { CHART } from './support/installation.ts';
import { Namespace, run } from './support/kubernetes.ts';

/** Go modules whose source has the definitions of the kinds that the chart uses, and the files. */
const DEFINITIONS: readonly { readonly module: string; readonly files: readonly string[] }[] = [
  {
    module: 'sigs.k8s.io/gateway-api@v1.4.0',
    files: ['config/crd/standard/gateway.networking.k8s.io_httproutes.yaml'],
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
];

const KINDS = [
  'HTTPRoute',
  'Ingress',
  'HorizontalPodAutoscaler',
  'ScaledObject',
  'ServiceMonitor',
  'PrometheusRule',
];

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
    const created = await createDefinitions();
    try {
      await namespace.create();
      const objects = await namespace.helm(
        ['template', 'test', CHART, '--values', `${CHART}/ci/production-values.yaml`, '--values', '-'],
        JSON.stringify(FURTHER),
      );
      const dryRun = (text: string): Promise<string> =>
        namespace.kubectl(['apply', '--dry-run=server', '--validate=strict', '-f', '-', '-o', 'name'], text);
      const accepted = (await dryRun(objects)).split('\n').filter(Boolean);
      const missing = KINDS.filter(
        (kind) => !accepted.some((name) => name.startsWith(`${kind.toLowerCase()}.`)),
      );
      const unknown = objects.replaceAll('pollingInterval:', 'pollingIntervals:');
      const isRefused = await dryRun(unknown).then(
        () => false,
        (error: unknown) => String(error).includes('pollingIntervals'),
      );
      return {
        figures: [`${String(accepted.length)} objects accepted, among them ${KINDS.join(', ')}`],
        problems: [
          ...missing.map((kind) => `no ${kind} was accepted`),
          ...(isRefused ? [] : ['an unknown key of a ScaledObject was accepted']),
        ],
      };
    } finally {
      await namespace.delete();
      if (created.length > 0) await run('kubectl', ['delete', ...created, '--timeout=60s']);
    }
  },
};

/** Creates the definitions that the cluster does not have; their names. */
async function createDefinitions(): Promise<readonly string[]> {
  const created: string[] = [];
  for (const { module, files } of DEFINITIONS) {
    const { Dir: folder } = download.parse(JSON.parse(await run('go', ['mod', 'download', '-json', module])));
    for (const file of files) {
      const text = await readFile(join(folder, file), 'utf8');
      const { name } = definition.parse(parseAllDocuments(text)[0]?.toJS()).metadata;
      const resource = `customresourcedefinition/${name}`;
      const isThere = await run('kubectl', ['get', resource, '--ignore-not-found', '-o', 'name']);
      if (isThere === '') {
        await run('kubectl', ['create', '-f', '-'], { input: text });
        created.push(resource);
      }
      await run('kubectl', ['wait', '--for=condition=Established', resource, '--timeout=60s']);
    }
  }
  return created;
}
