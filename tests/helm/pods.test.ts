import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { chartFile } from './chart/chart-folder.ts';
import { DEPLOYED_SERVICES } from './chart/service-facts.ts';
import { componentOf, podsOf, workloadsOf } from './support/kinds.ts';
import { render } from './support/render.ts';
import type { ValuesSource } from './support/render.ts';

const EXAMPLES: readonly (readonly [string, readonly ValuesSource[]])[] = [
  ['no values', []],
  ['production', [chartFile('ci/production-values.yaml')]],
  ['canaries', [chartFile('ci/canary-gateway-values.yaml')]],
];

const MEBIBYTE = 1024 * 1024;

function bytes(quantity: string): number {
  const [, digits = '', unit = ''] = /^(\d+)(Mi|Gi)$/.exec(quantity) ?? [];
  return Number(digits) * (unit === 'Gi' ? 1024 : 1) * MEBIBYTE;
}

describe.each(EXAMPLES)('with %s', (_name, values) => {
  it('every pod is within Pod Security restricted, with a root file system that nothing writes', async () => {
    for (const [name, spec] of podsOf(await render(...values))) {
      expect(spec.securityContext, name).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      for (const container of [...spec.initContainers, ...spec.containers])
        expect(container.securityContext, name).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
    }
  });

  it('every container has a memory limit, and a service at most 384 MiB', async () => {
    const objects = await render(...values);
    for (const [name, spec] of podsOf(objects))
      for (const container of [...spec.initContainers, ...spec.containers])
        expect(container.resources?.limits, name).toHaveProperty('memory');
    for (const { kind, name, spec } of workloadsOf(objects).filter((one) => one.kind === 'Deployment')) {
      const limits = spec.template.spec.containers.map(({ resources }) => resources?.limits['memory'] ?? '');
      expect(Math.max(...limits.map(bytes)), `${kind} ${name}`).toBeLessThanOrEqual(384 * MEBIBYTE);
    }
  });

  it('only `helm test` is a hook', async () => {
    const hooks = (await render(...values)).filter(({ metadata }) => 'helm.sh/hook' in metadata.annotations);
    expect(hooks.map(({ kind, metadata }) => [kind, metadata.annotations['helm.sh/hook']])).toEqual([
      ['Pod', 'test'],
    ]);
  });

  it('a rollout stops no pod before its replacement is ready, and gives requests longer than the service takes', async () => {
    const deployments = workloadsOf(await render(...values)).filter(({ kind }) => kind === 'Deployment');
    for (const { name, spec } of deployments) {
      expect(spec.strategy, name).toMatchObject({ rollingUpdate: { maxUnavailable: 0 } });
      const [container] = spec.template.spec.containers;
      const variable = (key: string): number =>
        Number(container?.env.find((entry) => entry.name === key)?.value ?? 0);
      const seconds = (variable('DRAIN_DELAY_MS') + variable('SHUTDOWN_GRACE_MS')) / 1000;
      expect(spec.template.spec.terminationGracePeriodSeconds, name).toBeGreaterThan(seconds + 5);
    }
  });

  it('a number of replicas stands beside no autoscaler', async () => {
    const objects = await render(...values);
    const scaled = objects
      .filter(({ kind }) => kind === 'HorizontalPodAutoscaler' || kind === 'ScaledObject')
      .map(componentOf);
    const deployments = workloadsOf(objects).filter(({ kind }) => kind === 'Deployment');
    for (const { component, spec } of deployments)
      expect(spec.replicas === undefined, component).toBe(scaled.includes(component));
  });
});

it('production scales delivery by KEDA, and gateway and tools by CPU', async () => {
  const objects = await render(chartFile('ci/production-values.yaml'));
  const scalers = objects.flatMap((object) =>
    ['HorizontalPodAutoscaler', 'ScaledObject'].includes(object.kind)
      ? [`${object.kind} ${componentOf(object)}`]
      : [],
  );
  expect(scalers.toSorted()).toEqual([
    'HorizontalPodAutoscaler gateway',
    'HorizontalPodAutoscaler tools',
    'ScaledObject delivery',
  ]);
  const [delivery] = objects.filter(({ kind }) => kind === 'ScaledObject');
  const triggers = z
    .looseObject({ triggers: z.array(z.looseObject({ metadata: z.record(z.string(), z.string()) })) })
    .parse(delivery?.['spec']).triggers;
  expect(triggers.map(({ metadata }) => metadata['query'])).toEqual([
    'max(delivery_overdue_seconds{namespace="apps"})',
    'max(trigger_stream_lag_messages{namespace="apps"})',
  ]);
});

it('only pods that watch EndpointSlices or create Secrets have a token', async () => {
  const withToken = async (values: ValuesSource): Promise<readonly string[]> =>
    podsOf(await render(values)).flatMap(([name, spec]) =>
      spec.automountServiceAccountToken === false ? [] : [name.replace(/-[0-9a-f]{8}$/, '')],
    );
  expect(await withToken({})).toEqual(['Job test-setup']);
  expect(await withToken(chartFile('ci/production-values.yaml'))).toEqual(
    ['agents', 'connections', 'gateway', 'mcp', 'tools', 'triggers'].map((name) => `Deployment test-${name}`),
  );
});

it('every service has a headless Service with its gRPC port marked as HTTP/2, and clients have one of the gateway', async () => {
  const port = z.looseObject({ name: z.string(), port: z.number(), appProtocol: z.string().optional() });
  const service = z.looseObject({ clusterIP: z.string().optional(), ports: z.array(port) });
  const services = (await render())
    .filter(({ kind }) => kind === 'Service')
    .map(({ metadata, ...rest }) => ({ name: metadata.name, ...service.parse(rest['spec']) }));
  for (const name of DEPLOYED_SERVICES) {
    const found = services.find((one) => one.name === `test-${name}`);
    expect(found?.clusterIP).toBe('None');
    expect(found?.ports).toContainEqual({
      name: 'grpc',
      port: 8081,
      targetPort: 'grpc',
      appProtocol: 'kubernetes.io/h2c',
    });
  }
  expect(services.find((one) => one.name === 'test')).not.toHaveProperty('clusterIP');
});

it('a grace period that is too short is refused', async () => {
  const values = { services: { tools: { terminationGracePeriodSeconds: 60 } } };
  await expect(render(values)).rejects.toThrow(
    'services.tools.terminationGracePeriodSeconds: must be above 370',
  );
});

describe('the chart refuses', () => {
  const production = chartFile('ci/production-values.yaml');
  const tools = (settings: Readonly<Record<string, string>>): ValuesSource => ({
    services: { tools: { settings } },
  });

  it.each([
    '127.0.0.1',
    '127.0.0.0/8',
    '10.1.0.0/16, ::1',
    '[::1]:8080',
    'localhost:80',
    '0.0.0.0/0',
    '126.0.0.0/7',
    'LOCALHOST:8080',
    '*.localhost',
    '::/0',
    '0:0:0:0:0:0:0:1',
    '::ffff:127.0.0.1',
    '::ffff:0:0/96',
  ])('[completion.npm-start.12] loopback on the allow-list of egress: %s', async (text) => {
    await expect(render(tools({ EGRESS_ALLOW: text }))).rejects.toThrow(
      'services.tools.settings.EGRESS_ALLOW',
    );
    await expect(render(production, tools({ EGRESS_ALLOW: text }))).rejects.toThrow('EGRESS_ALLOW');
  });

  it('no other address there', async () => {
    const objects = await render(
      production,
      tools({ EGRESS_ALLOW: '10.127.0.0/16,crm.internal:443,fd00::1,fc00::/7,localhost.example.com' }),
    );
    expect(JSON.stringify(objects)).toContain('10.127.0.0/16');
  });

  it('[completion.npm-start.15] http addresses and the sandbox in production', async () => {
    for (const [values, message] of [
      [{ publicUrl: 'http://fairlead.example.com' }, 'publicUrl'],
      [
        { services: { identity: { settings: { UPSTREAM_OIDC_ISSUER: 'http://localhost' } } } },
        'UPSTREAM_OIDC_ISSUER',
      ],
      [
        { services: { catalog: { settings: { CONNECTOR_SETTINGS: '{"sandbox-crm":{}}' } } } },
        'CONNECTOR_SETTINGS',
      ],
    ] as const)
      await expect(render(production, values)).rejects.toThrow(message);
  });

  it('[completion.npm-start.15] a setting that no service has', async () => {
    for (const name of DEPLOYED_SERVICES) {
      const values = { services: { [name]: { settings: { RETRY_LADDER: '1,2' } } } };
      await expect(render(production, values), name).rejects.toThrow('RETRY_LADDER');
    }
  });
});
