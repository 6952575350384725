import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { chartFile } from './chart/chart-folder.ts';
import { HTTP_ROUTE, namesOf, objectNamed, toolsCanary } from './support/canaries.ts';
import { podsOf, policiesOf, selectedComponentOf, workloadsOf } from './support/kinds.ts';
import { HelmFailure, render } from './support/render.ts';
import type { Values } from './support/render.ts';

const backends = z.looseObject({
  parentRefs: z.array(z.looseObject({ kind: z.string().optional(), name: z.string() })),
  rules: z.array(
    z.looseObject({
      backendRefs: z.array(
        z.strictObject({ name: z.string(), port: z.number(), weight: z.number().optional() }),
      ),
    }),
  ),
});

describe('the gateway', () => {
  const values: Values = { ...HTTP_ROUTE, services: { gateway: { canary: { mode: 'gateway', weight: 5 } } } };

  it('is split by the weights of its own route, between Services for clients', async () => {
    const objects = await render(values, { gatewayService: { type: 'NodePort', nodePort: 30_000 } });
    const { rules } = backends.parse(objectNamed(objects, 'HTTPRoute', 'test')['spec']);
    expect(rules[0]?.backendRefs).toEqual([
      { name: 'test', port: 80, weight: 95 },
      { name: 'test-canary', port: 80, weight: 5 },
    ]);
    const canary = objectNamed(objects, 'Service', 'test-canary');
    expect(selectedComponentOf(canary)).toBe('gateway-canary');
    expect(canary['spec']).toMatchObject({ type: 'ClusterIP' });
    expect(JSON.stringify(canary)).not.toContain('nodePort');
    // Calls between services are not split between tracks.
    expect(objectNamed(objects, 'ConfigMap', 'test-canary')['data']).toEqual({
      'rules.json': '{\n  "services": {}\n}',
    });
  });

  it('has no canary without a route', async () => {
    const { services } = values;
    await expect(render({ services })).rejects.toThrow(
      'services.gateway.canary.mode: needs httpRoute.enabled',
    );
  });
});

describe('mode route', () => {
  it.each([
    ['GRPCRoute', 8081],
    ['HTTPRoute', 8080],
  ] as const)('renders a %s of the Service with a weight for each track', async (kind, port) => {
    const objects = await render(toolsCanary({ mode: 'route', weight: 10, route: { kind } }));
    const { parentRefs, rules } = backends.parse(objectNamed(objects, kind, 'test-tools')['spec']);
    expect(parentRefs).toEqual([{ group: '', kind: 'Service', name: 'test-tools' }]);
    expect(rules.map(({ backendRefs }) => backendRefs)).toEqual([
      [
        { name: 'test-tools', port, weight: 90 },
        { name: 'test-tools-canary', port, weight: 10 },
      ],
    ]);
    expect(namesOf(objects)).toContain('Deployment test-tools-canary');
  });

  it('the gateways may watch the routes that exist, patch their status, and nothing else', async () => {
    const objects = await render(chartFile('ci/canary-route-values.yaml'));
    const roles = objects.filter(({ kind }) => kind === 'Role');
    expect(roles.map(({ metadata, ...rest }) => [metadata.name, rest['rules']])).toEqual([
      [
        'test-gateway',
        [
          ['grpcroutes', 'test-catalog'],
          ['httproutes', 'test-connections'],
        ].flatMap(([resource, name]) => [
          {
            apiGroups: ['gateway.networking.k8s.io'],
            resources: [resource],
            resourceNames: [name],
            verbs: ['get', 'list', 'watch'],
          },
          {
            apiGroups: ['gateway.networking.k8s.io'],
            resources: [`${String(resource)}/status`],
            resourceNames: [name],
            verbs: ['patch'],
          },
        ]),
      ],
    ]);
    const withToken = podsOf(objects).filter(([, spec]) => spec.automountServiceAccountToken !== false);
    expect(withToken.map(([name]) => name)).toEqual(['Deployment test-gateway']);
    const reaching = policiesOf(objects).filter(({ spec }) =>
      spec.egress.some(({ ports }) => ports.some(({ port }) => port === 6443)),
    );
    expect(reaching.map(({ component }) => component)).toEqual(['gateway']);
  });

  it('Argo Rollouts makes the pods of both tracks: Services that it tells apart, and an autoscaler for its Rollout', async () => {
    const canary = { mode: 'route', controller: 'argo-rollouts' };
    const objects = await render(toolsCanary(canary, { autoscaling: { enabled: true } }));
    expect(namesOf(objects).filter((name) => name.includes('tools-canary'))).toEqual([
      'AnalysisTemplate test-tools-canary',
      'Service test-tools-canary',
    ]);
    for (const name of ['test-tools', 'test-tools-canary'])
      expect(selectedComponentOf(objectNamed(objects, 'Service', name))).toBe('tools');
    expect(objectNamed(objects, 'HorizontalPodAutoscaler', 'test-tools')['spec']).toMatchObject({
      scaleTargetRef: { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', name: 'test-tools' },
    });
  });

  it('Flagger makes the Services, the route and the pods of the stable track, which the policies admit', async () => {
    const objects = await render(toolsCanary({ mode: 'route', controller: 'flagger' }));
    const names = namesOf(objects);
    expect(names).toContain('Deployment test-tools');
    expect(names).toContain('NetworkPolicy test-tools-primary');
    expect(names).not.toContain('Service test-tools');
    expect(names.filter((name) => name.includes('Route') || name.includes('tools-canary'))).toEqual([]);
  });

  it.each(['argo-rollouts', 'flagger'])('leaves the number of pods to %s', async (controller) => {
    const objects = await render(toolsCanary({ mode: 'route', controller }));
    const deployment = workloadsOf(objects).find(({ name }) => name === 'test-tools');
    expect(deployment?.kind).toBe('Deployment');
    expect(deployment?.spec.replicas).toBeUndefined();
  });

  it('refuses another program than these, and one without a route', async () => {
    await expect(render(toolsCanary({ mode: 'route', controller: 'spinnaker' }))).rejects.toThrow(
      HelmFailure,
    );
    await expect(render(toolsCanary({ mode: 'gateway', controller: 'flagger' }))).rejects.toThrow(
      'services.tools.canary.controller: only with mode route',
    );
  });
});
