import { parseCanaryRules } from '@fairlead/service-kit/canary/rules';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { chartFile } from './chart/chart-folder.ts';
import { DEPLOYED_SERVICES } from './chart/service-facts.ts';
import { componentOf, workloadsOf } from './support/kinds.ts';
import type { Workload } from './support/kinds.ts';
import { HelmFailure, render, template } from './support/render.ts';
import type { KubernetesObject, Values } from './support/render.ts';

const HTTP_ROUTE: Values = { httpRoute: { enabled: true, parentRefs: [{ name: 'public' }] } };

const named = (objects: readonly KubernetesObject[], kind: string, name: string): KubernetesObject => {
  const found = objects.find((one) => one.kind === kind && one.metadata.name === name);
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found;
};

const namesOf = (objects: readonly KubernetesObject[]): readonly string[] =>
  objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted();

const tools = (canary: Values, further: Values = {}): Values => ({
  services: { tools: { canary, ...further } },
});

function deploymentOf(objects: readonly KubernetesObject[], component: string): Workload {
  const found = workloadsOf(objects).find((one) => one.kind === 'Deployment' && one.component === component);
  if (found === undefined) throw new Error(`there is no Deployment of ${component}`);
  return found;
}

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

const service = z.looseObject({
  selector: z.record(z.string(), z.string()),
  type: z.string().optional(),
  clusterIP: z.string().optional(),
});

const selected = (object: KubernetesObject): string | undefined =>
  service.parse(object['spec']).selector['app.kubernetes.io/component'];

it('mode none renders the same bytes, whatever else the canary says', async () => {
  const canary = {
    mode: 'none',
    weight: 50,
    image: { tag: 'other' },
    replicas: 3,
    accounts: ['acc_a'],
    headers: ['operator'],
    route: { kind: 'HTTPRoute' },
  };
  const values = { ...HTTP_ROUTE, defaults: { autoscaling: { enabled: true } } };
  for (const version of ['3.17', '4.1'] as const) {
    const text = await template(version, values);
    expect(await template(version, values, { defaults: { canary } })).toBe(text);
    expect(text).not.toMatch(/canary|fairlead\.dev\/track/i);
  }
});

describe('mode gateway', () => {
  const values = tools({ mode: 'gateway', weight: 10, image: { tag: '0.2.0' }, replicas: 2 });

  it('adds the objects of the canary', async () => {
    const before = namesOf(await render({}));
    const added = namesOf(await render(values)).filter((name) => !before.includes(name));
    expect(added).toEqual([
      'ConfigMap test-canary',
      'Deployment test-tools-canary',
      'NetworkPolicy test-tools-canary',
      'PodDisruptionBudget test-tools-canary',
      'Service test-tools-canary',
    ]);
  });

  it('the Deployments differ in track, image and number only, and select their own pods', async () => {
    const objects = await render(values);
    const [stable, canary] = [deploymentOf(objects, 'tools'), deploymentOf(objects, 'tools-canary')];
    expect(canary.name).toBe('test-tools-canary');
    expect([stable.spec.replicas, canary.spec.replicas]).toEqual([1, 2]);
    const images = [stable, canary].map((one) => one.spec.template.spec.containers[0]?.['image']);
    expect(images).toEqual(['ghcr.io/fairlead/fairlead:0.1.0', 'ghcr.io/fairlead/fairlead:0.2.0']);
    expect(canary.spec.template.metadata.labels).toMatchObject({
      'app.kubernetes.io/component': 'tools-canary',
      'fairlead.dev/track': 'canary',
    });
    expect(stable.spec.template.metadata.labels).not.toHaveProperty(['fairlead.dev/track']);
    const pods = ({ spec }: Workload): unknown =>
      JSON.parse(
        JSON.stringify(spec.template.spec)
          .replaceAll('0.2.0', '0.1.0')
          .replaceAll('tools-canary', 'tools')
          .replace('{"name":"TRACK","value":"canary"},', ''),
      );
    expect(pods(canary)).toEqual(pods(stable));
    for (const [name, component] of [
      ['test-tools', 'tools'],
      ['test-tools-canary', 'tools-canary'],
    ] as const) {
      expect(selected(named(objects, 'Service', name))).toBe(component);
      expect(named(objects, 'Deployment', name)['spec']).toMatchObject({
        selector: { matchLabels: { 'app.kubernetes.io/component': component } },
      });
    }
  });

  it('the canary has an image of its own even if the stable pods have a digest', async () => {
    const digest = `sha256:${'0'.repeat(64)}`;
    const objects = await render({ image: { digest } }, values);
    const image = (component: string): unknown =>
      deploymentOf(objects, component).spec.template.spec.containers[0]?.['image'];
    expect(image('tools')).toBe(`ghcr.io/fairlead/fairlead@${digest}`);
    expect(image('tools-canary')).toBe('ghcr.io/fairlead/fairlead:0.2.0');
  });

  it('each track has an autoscaler of its own', async () => {
    const autoscaling = { enabled: true, minReplicas: 3 };
    const objects = await render(tools({ mode: 'gateway', replicas: 1 }, { autoscaling }));
    const scalers = objects.filter(({ kind }) => kind === 'HorizontalPodAutoscaler');
    expect(scalers.map(({ metadata, ...rest }) => [metadata.name, rest['spec']])).toEqual([
      [
        'test-tools',
        expect.objectContaining({
          minReplicas: 3,
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'test-tools' },
        }),
      ],
      [
        'test-tools-canary',
        expect.objectContaining({
          minReplicas: 1,
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'test-tools-canary' },
        }),
      ],
    ]);
    for (const { spec } of workloadsOf(objects).filter(({ component }) => component.startsWith('tools')))
      expect(spec.replicas).toBeUndefined();
  });

  it('a canary without pods has no autoscaler, which would start one', async () => {
    const objects = await render(tools({ mode: 'gateway', replicas: 0 }, { autoscaling: { enabled: true } }));
    expect(namesOf(objects)).not.toContain('HorizontalPodAutoscaler test-tools-canary');
    expect(deploymentOf(objects, 'tools-canary').spec.replicas).toBe(0);
  });

  it.each(['delivery', 'triggers'])('of %s, the number of pods is the share, and stays', async (name) => {
    const objects = await render({
      services: { [name]: { canary: { mode: 'gateway', replicas: 2 }, autoscaling: { enabled: true } } },
    });
    expect(deploymentOf(objects, `${name}-canary`).spec.replicas).toBe(2);
    expect(namesOf(objects)).not.toContain(`HorizontalPodAutoscaler test-${name}-canary`);
  });
});

describe('the gateway', () => {
  const values: Values = { ...HTTP_ROUTE, services: { gateway: { canary: { mode: 'gateway', weight: 5 } } } };

  it('is split by the weights of its own route, between Services for clients', async () => {
    const objects = await render(values, { gatewayService: { type: 'NodePort', nodePort: 30_000 } });
    const { rules } = backends.parse(named(objects, 'HTTPRoute', 'test')['spec']);
    expect(rules[0]?.backendRefs).toEqual([
      { name: 'test', port: 80, weight: 95 },
      { name: 'test-canary', port: 80, weight: 5 },
    ]);
    const canary = named(objects, 'Service', 'test-canary');
    expect(selected(canary)).toBe('gateway-canary');
    expect(canary['spec']).toMatchObject({ type: 'ClusterIP' });
    expect(JSON.stringify(canary)).not.toContain('nodePort');
    // Calls between services are not split.
    expect(namesOf(objects)).not.toContain('ConfigMap test-canary');
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
    const objects = await render(tools({ mode: 'route', weight: 10, route: { kind } }));
    const { parentRefs, rules } = backends.parse(named(objects, kind, 'test-tools')['spec']);
    expect(parentRefs).toEqual([{ group: '', kind: 'Service', name: 'test-tools' }]);
    expect(rules.map(({ backendRefs }) => backendRefs)).toEqual([
      [
        { name: 'test-tools', port, weight: 90 },
        { name: 'test-tools-canary', port, weight: 10 },
      ],
    ]);
    expect(namesOf(objects)).toContain('Deployment test-tools-canary');
  });

  it('Argo Rollouts makes the pods of both tracks: Services that it tells apart, and an autoscaler for its Rollout', async () => {
    const canary = { mode: 'route', controller: 'argo-rollouts' };
    const objects = await render(tools(canary, { autoscaling: { enabled: true } }));
    expect(namesOf(objects).filter((name) => name.includes('tools-canary'))).toEqual([
      'Service test-tools-canary',
    ]);
    for (const name of ['test-tools', 'test-tools-canary'])
      expect(selected(named(objects, 'Service', name))).toBe('tools');
    expect(named(objects, 'HorizontalPodAutoscaler', 'test-tools')['spec']).toMatchObject({
      scaleTargetRef: { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', name: 'test-tools' },
    });
  });

  it('Flagger makes the Services, the route and the pods of the stable track, which the policies admit', async () => {
    const objects = await render(tools({ mode: 'route', controller: 'flagger' }));
    const names = namesOf(objects);
    expect(names).toContain('Deployment test-tools');
    expect(names).toContain('NetworkPolicy test-tools-primary');
    expect(names).not.toContain('Service test-tools');
    expect(names.filter((name) => name.includes('Route') || name.includes('tools-canary'))).toEqual([]);
  });

  it.each(['argo-rollouts', 'flagger'])('leaves the number of pods to %s', async (controller) => {
    const objects = await render(tools({ mode: 'route', controller }));
    expect(deploymentOf(objects, 'tools').spec.replicas).toBeUndefined();
  });

  it('refuses another program than these, and one without a route', async () => {
    await expect(render(tools({ mode: 'route', controller: 'spinnaker' }))).rejects.toThrow(HelmFailure);
    await expect(render(tools({ mode: 'gateway', controller: 'flagger' }))).rejects.toThrow(
      'services.tools.canary.controller: only with mode route',
    );
  });
});

describe('the rules for callers', () => {
  const rulesOf = (objects: readonly KubernetesObject[]): ReturnType<typeof parseCanaryRules> => {
    const { data } = z
      .looseObject({ data: z.strictObject({ 'rules.json': z.string() }) })
      .parse(named(objects, 'ConfigMap', 'test-canary'));
    return parseCanaryRules(data['rules.json']);
  };

  it('are as the services read them', async () => {
    const rules = rulesOf(
      await render(chartFile('ci/canary-gateway-values.yaml'), {
        services: { catalog: { canary: { mode: 'route', weight: 5 } } },
      }),
    );
    expect(rules).toEqual(
      new Map<string, unknown>([
        [
          'tools',
          {
            mode: 'gateway',
            weight: 10,
            accounts: ['acc_0351PdIIwMAtO4'],
            headers: ['operator', 'key_0351PdIIwMAtO4'],
            salt: 'test',
            image: '0.2.0',
          },
        ],
        ['delivery', { mode: 'gateway', weight: 0, accounts: [], headers: [], salt: 'test', image: '0.2.0' }],
        [
          'catalog',
          {
            mode: 'route',
            weight: 0,
            accounts: [],
            headers: [],
            salt: 'test',
            route: {
              apiVersion: 'gateway.networking.k8s.io/v1',
              kind: 'GRPCRoute',
              namespace: 'apps',
              name: 'test-catalog',
            },
          },
        ],
      ]),
    );
  });

  it('are read by every service from a folder, and a change of them replaces no pod', async () => {
    const [first, second] = await Promise.all(
      [10, 25].map(async (weight) => {
        const objects = await render(tools({ mode: 'gateway', weight }));
        expect(rulesOf(objects).get('tools')?.weight).toBe(weight);
        return workloadsOf(objects).filter(
          ({ kind, component }) => kind === 'Deployment' && component !== 'sandbox-crm',
        );
      }),
    );
    expect(first).toEqual(second);
    expect(first?.map(({ name }) => name)).toEqual(
      expect.arrayContaining(DEPLOYED_SERVICES.map((name) => `test-${name}`)),
    );
    for (const { name, spec } of first ?? []) {
      const { containers, volumes } = spec.template.spec;
      expect(volumes, name).toContainEqual({ name: 'canary', configMap: { name: 'test-canary' } });
      const mount = containers[0]?.volumeMounts.find((one) => one.name === 'canary');
      expect(mount).toEqual({ name: 'canary', mountPath: '/etc/fairlead/canary', readOnly: true });
    }
  });

  it('of a release of one service name the canaries of others', async () => {
    const objects = await render(
      chartFile('ci/one-service-gateway-values.yaml'),
      tools({ mode: 'gateway', weight: 10 }),
    );
    expect(rulesOf(objects).get('tools')).toMatchObject({ weight: 10, salt: 'fairlead' });
    expect(namesOf(objects).filter((name) => name.includes('tools'))).toEqual([]);
  });
});

it.each(DEPLOYED_SERVICES)('%s can have a canary alone', async (name) => {
  const objects = await render(HTTP_ROUTE, { services: { [name]: { canary: { mode: 'gateway' } } } });
  const components = objects.map(componentOf).filter((component) => component.endsWith('-canary'));
  expect([...new Set(components)]).toEqual([`${name}-canary`]);
});

it('names fit for the longest release', async () => {
  const text = await template('4.1', chartFile('ci/canary-gateway-values.yaml'), {
    fullnameOverride: `${'a'.repeat(39)}-bcd`,
    defaults: { canary: { mode: 'gateway' } },
  });
  const names = [...text.matchAll(/^ {2,}(?:name|claimName|secretName): "?([^\s"]+)"?$/gm)].map(
    ([, name = '']) => name,
  );
  expect(names).toContain(`${'a'.repeat(39)}-connections-canary`);
  expect(names.filter((name) => name.length > 63)).toEqual([]);
});

it('readings of a canary’s pods have the label track', async () => {
  const objects = await render(tools({ mode: 'gateway' }), {
    metrics: { serviceMonitor: { enabled: true } },
  });
  const monitor = z.looseObject({
    endpoints: z.array(z.looseObject({ relabelings: z.array(z.unknown()) })),
  });
  const relabelings = (name: string): unknown =>
    monitor.parse(named(objects, 'ServiceMonitor', name)['spec']).endpoints[0]?.relabelings;
  const job = { targetLabel: 'job', replacement: 'fairlead-tools' };
  expect(relabelings('test-tools')).toEqual([job]);
  expect(relabelings('test-tools-canary')).toEqual([job, { targetLabel: 'track', replacement: 'canary' }]);
});
