import { parseCanaryRules } from '@fairlead/service-kit/canary/rules';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { chartFile } from './chart/chart-folder.ts';
import { DEPLOYED_SERVICES } from './chart/service-facts.ts';
import { componentOf, selectedComponentOf, workloadsOf } from './support/kinds.ts';
import type { Workload } from './support/kinds.ts';
import { HTTP_ROUTE, namesOf, objectNamed, toolsCanary } from './support/canaries.ts';
import { render, template } from './support/render.ts';
import type { KubernetesObject, Values } from './support/render.ts';

function deploymentOf(objects: readonly KubernetesObject[], component: string): Workload {
  const found = workloadsOf(objects).find((one) => one.kind === 'Deployment' && one.component === component);
  if (found === undefined) throw new Error(`there is no Deployment of ${component}`);
  return found;
}

it('mode none renders the same bytes, whatever else the canary says', async () => {
  const canary = {
    mode: 'none',
    weight: 50,
    image: { tag: 'other' },
    replicas: 3,
    accounts: ['acc_a'],
    headers: ['operator'],
    route: { kind: 'HTTPRoute' },
    analysis: { enabled: true, seconds: 1 },
  };
  const values = { ...HTTP_ROUTE, defaults: { autoscaling: { enabled: true } } };
  for (const version of ['3.17', '4.1'] as const) {
    const text = await template(version, values);
    expect(await template(version, values, { defaults: { canary } })).toBe(text);
    expect(text).not.toMatch(/component: \S+-canary|fairlead\.dev\/track|CronJob/);
  }
});

describe('mode gateway', () => {
  const values = toolsCanary({ mode: 'gateway', weight: 10, image: { tag: '0.2.0' }, replicas: 2 });

  it('adds the objects of the canary', async () => {
    const before = namesOf(await render({}));
    const added = namesOf(await render(values)).filter((name) => !before.includes(name));
    expect(added).toEqual([
      'CronJob test-tools-canary',
      'Deployment test-tools-canary',
      'NetworkPolicy test-canary-analysis',
      'NetworkPolicy test-tools-canary',
      'PodDisruptionBudget test-tools-canary',
      'Service test-tools-canary',
    ]);
  });

  it('the first one replaces no pod that there is', async () => {
    const podsOf = async (source: Values) =>
      workloadsOf(await render(source))
        .filter(({ kind, name }) => kind === 'Deployment' && name !== 'test-tools-canary')
        .map(({ name, spec }) => [name, spec.template]);
    const before = await podsOf({});
    expect(before).toHaveLength(DEPLOYED_SERVICES.length + 1);
    expect(await podsOf(values)).toEqual(before);
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
          .replace(',{"name":"TRACK","value":"canary"}', ''),
      );
    expect(canary.spec.template.spec.containers[0]?.env).toContainEqual({ name: 'TRACK', value: 'canary' });
    expect(pods(canary)).toEqual(pods(stable));
    for (const [name, component] of [
      ['test-tools', 'tools'],
      ['test-tools-canary', 'tools-canary'],
    ] as const) {
      expect(selectedComponentOf(objectNamed(objects, 'Service', name))).toBe(component);
      expect(objectNamed(objects, 'Deployment', name)['spec']).toMatchObject({
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
    const objects = await render(toolsCanary({ mode: 'gateway', replicas: 1 }, { autoscaling }));
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
    const objects = await render(
      toolsCanary({ mode: 'gateway', replicas: 0 }, { autoscaling: { enabled: true } }),
    );
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

describe('the rules for callers', () => {
  const rulesOf = (objects: readonly KubernetesObject[]): ReturnType<typeof parseCanaryRules> => {
    const { data } = z
      .looseObject({ data: z.strictObject({ 'rules.json': z.string() }) })
      .parse(objectNamed(objects, 'ConfigMap', 'test-canary'));
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
        const objects = await render(toolsCanary({ mode: 'gateway', weight }));
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
      expect(containers[0]?.env).toContainEqual({ name: 'CANARY_RULES', value: '/etc/fairlead/canary' });
      const mount = containers[0]?.volumeMounts.find((one) => one.name === 'canary');
      expect(mount).toEqual({ name: 'canary', mountPath: '/etc/fairlead/canary', readOnly: true });
    }
  });

  it('of a release of one service name the canaries of others', async () => {
    const objects = await render(
      chartFile('ci/one-service-gateway-values.yaml'),
      toolsCanary({ mode: 'gateway', weight: 10 }),
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
  const fullname = `${'a'.repeat(36)}-bcd`;
  const objects = await render(HTTP_ROUTE, {
    fullnameOverride: `${fullname}-beyond`,
    defaults: { canary: { mode: 'gateway' } },
  });
  const names = objects.map(({ metadata }) => metadata.name);
  expect(names).toContain(`${fullname}-connections-canary`);
  expect(names.filter((name) => name.length > 63)).toEqual([]);
  // The controller adds 11 characters for each Job.
  const cronJobs = objects.filter(({ kind }) => kind === 'CronJob').map(({ metadata }) => metadata.name);
  expect(cronJobs.length).toBe(DEPLOYED_SERVICES.length - 1);
  expect(new Set(cronJobs).size).toBe(cronJobs.length);
  expect(cronJobs.filter((name) => name.length > 52)).toEqual([]);
});

it('readings of a canary’s pods have the label target_track', async () => {
  const objects = await render(toolsCanary({ mode: 'gateway' }), {
    metrics: { serviceMonitor: { enabled: true } },
  });
  const monitor = z.looseObject({
    endpoints: z.array(z.looseObject({ relabelings: z.array(z.unknown()) })),
  });
  const relabelings = (name: string): unknown =>
    monitor.parse(objectNamed(objects, 'ServiceMonitor', name)['spec']).endpoints[0]?.relabelings;
  const job = { targetLabel: 'job', replacement: 'fairlead-tools' };
  expect(relabelings('test-tools')).toEqual([job]);
  expect(relabelings('test-tools-canary')).toEqual([
    job,
    { targetLabel: 'target_track', replacement: 'canary' },
  ]);
});
