import { readFileSync } from 'node:fs';
import { parseCanaryRules } from '@fairlead/service-kit/canary/rules';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { exampleFile } from './chart/chart-folder.ts';
import { namesOf, objectNamed } from './support/canaries.ts';
import { selectedComponentOf } from './support/kinds.ts';
import { render } from './support/render.ts';
import type { KubernetesObject } from './support/render.ts';

const analysis = z.looseObject({ templates: z.array(z.strictObject({ templateName: z.string() })) });

const rollout = z.looseObject({
  metadata: z.looseObject({ name: z.string() }),
  spec: z.looseObject({
    workloadRef: z.looseObject({ kind: z.string(), name: z.string() }),
    strategy: z.looseObject({
      canary: z.looseObject({
        stableService: z.string(),
        canaryService: z.string(),
        trafficRouting: z.strictObject({
          plugins: z.strictObject({
            'argoproj-labs/gatewayAPI': z.strictObject({ grpcRoute: z.string(), namespace: z.string() }),
          }),
        }),
        steps: z.array(z.looseObject({ analysis: analysis.optional() })),
      }),
    }),
  }),
});

const canary = z.looseObject({
  spec: z.looseObject({
    targetRef: z.looseObject({ kind: z.string(), name: z.string() }),
    autoscalerRef: z.looseObject({ kind: z.string(), name: z.string() }),
    service: z.looseObject({ gatewayRefs: z.array(z.looseObject({ kind: z.string(), name: z.string() })) }),
  }),
});

const monitor = z.looseObject({
  selector: z.looseObject({ matchLabels: z.record(z.string(), z.string()) }),
});

const rulesMap = z.looseObject({ data: z.strictObject({ 'rules.json': z.string() }) });

function firstDocument(name: string): unknown {
  return parseAllDocuments(readFileSync(exampleFile(name), 'utf8'))[0]?.toJS();
}

function routeOfTools(objects: readonly KubernetesObject[]): unknown {
  const { data } = rulesMap.parse(objectNamed(objects, 'ConfigMap', 'test-canary'));
  const rule = parseCanaryRules(data['rules.json']).get('tools');
  return rule?.mode === 'route' ? rule.route : undefined;
}

it('the Rollout of Argo names objects that the chart has for it', async () => {
  const objects = await render(exampleFile('argo-rollouts/values.yaml'));
  const names = namesOf(objects);
  const { metadata, spec } = rollout.parse(firstDocument('argo-rollouts/rollout.yaml'));
  const { stableService, canaryService, trafficRouting, steps } = spec.strategy.canary;
  const { grpcRoute } = trafficRouting.plugins['argoproj-labs/gatewayAPI'];
  const templates = steps.flatMap((step) => step.analysis?.templates ?? []);
  expect(templates.length).toBeGreaterThan(0);
  for (const name of [
    `${spec.workloadRef.kind} ${spec.workloadRef.name}`,
    `Service ${stableService}`,
    `Service ${canaryService}`,
    `GRPCRoute ${grpcRoute}`,
    ...templates.map(({ templateName }) => `AnalysisTemplate ${templateName}`),
  ])
    expect(names).toContain(name);
  expect(selectedComponentOf(objectNamed(objects, 'Service', canaryService))).toBe('tools');
  expect(metadata.name).toBe('fairlead-tools');
  expect(routeOfTools(objects)).toMatchObject({ kind: 'GRPCRoute', name: grpcRoute });
});

it('the Canary of Flagger names the Deployment, and its HTTPRoute is the one that the gateways watch', async () => {
  const objects = await render(exampleFile('flagger/values.yaml'));
  const { targetRef, autoscalerRef, service } = canary.parse(firstDocument('flagger/canary.yaml')).spec;
  for (const { kind, name } of [targetRef, autoscalerRef])
    expect(namesOf(objects)).toContain(`${kind} ${name}`);
  expect(service.gatewayRefs).toEqual([{ group: '', kind: 'Service', name: targetRef.name }]);
  expect(routeOfTools(objects)).toMatchObject({ kind: 'HTTPRoute', name: targetRef.name });
});

it('the pods of Flagger have the rules themselves, no copy, and the metrics of both tracks are read', async () => {
  const objects = await render(exampleFile('flagger/values.yaml'), {
    metrics: { serviceMonitor: { enabled: true } },
  });
  expect(objectNamed(objects, 'ConfigMap', 'test-canary').metadata).toMatchObject({
    annotations: { 'flagger.app/config-tracking': 'disabled' },
  });
  // Flagger uses the Services' names as the value of this label.
  for (const name of ['fairlead-tools-primary', 'fairlead-tools-canary'])
    expect(monitor.parse(objectNamed(objects, 'ServiceMonitor', name)['spec']).selector.matchLabels).toEqual({
      'app.kubernetes.io/component': name,
    });
  const without = objectNamed(await render(), 'ConfigMap', 'test-canary');
  expect(without.metadata.annotations).toEqual({});
});
