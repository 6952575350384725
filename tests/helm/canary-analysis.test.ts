import { SERVICES } from '@fairlead/service-list/services';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { HTTP_ROUTE, namesOf, objectNamed, toolsCanary } from './support/canaries.ts';
import { componentOfPeer, policiesOf, workloadsOf } from './support/kinds.ts';
import { render } from './support/render.ts';

/** Services that call tools, including the gateway. */
const CALLERS = [
  'gateway',
  ...SERVICES.flatMap(({ name, calls }) => (calls.some((callee) => callee === 'tools') ? [name] : [])),
].toSorted();

const GATEWAY_MODE = toolsCanary({ mode: 'gateway', weight: 10 });

const metricsOf = (caller: string): string => `dns:///test-${caller}.apps.svc.cluster.local:9090`;

const job = z.looseObject({
  backoffLimit: z.number(),
  template: z.looseObject({
    spec: z.looseObject({
      containers: z.array(
        z.looseObject({ args: z.array(z.string()), env: z.array(z.unknown()).default([]) }),
      ),
    }),
  }),
});

describe('mode gateway', () => {
  it('a CronJob compares the tracks by the metrics of all callers, and aborts with the operator’s key', async () => {
    const objects = await render(GATEWAY_MODE);
    const [found] = workloadsOf(objects).filter(({ kind }) => kind === 'CronJob');
    expect(found?.name).toBe('test-tools-canary');
    const { backoffLimit, template } = job.parse(found?.spec);
    expect(backoffLimit).toBe(0);
    expect(template.spec.containers).toEqual([
      expect.objectContaining({
        args: [
          'canary',
          'analyse',
          'tools',
          `--callers=${CALLERS.map(metricsOf).join()}`,
          '--seconds=60',
          '--max-error-difference=0.02',
          '--max-latency-ratio=1.5',
          '--min-calls=50',
          '--abort',
          '--allow-few-calls',
          '--url=http://test.apps.svc.cluster.local:80',
        ],
        env: [{ name: 'FAIRLEAD_OPERATOR_KEY_FILE', value: '/etc/fairlead/secrets/OPERATOR_KEY' }],
      }),
    ]);
    expect(found?.spec.template.spec.volumes.map((volume) => volume['secret'])).toEqual([
      {
        secretName: 'test-gateway',
        defaultMode: 0o440,
        items: [{ key: 'OPERATOR_KEY', path: 'OPERATOR_KEY' }],
      },
    ]);
  });

  it('canaries of callers are callers too', async () => {
    const objects = await render(GATEWAY_MODE, { services: { mcp: { canary: { mode: 'gateway' } } } });
    const cron = workloadsOf(objects).find(
      ({ kind, name }) => kind === 'CronJob' && name === 'test-tools-canary',
    );
    const [container] = job.parse(cron?.spec).template.spec.containers;
    expect(container?.args[3]?.split(/[=,]/)).toEqual(
      expect.arrayContaining([metricsOf('mcp'), metricsOf('mcp-canary')]),
    );
  });

  it('its pods reach the metrics of the callers and the gateway’s API, which admit them', async () => {
    const closed = {
      networkPolicy: { metrics: [] },
      services: { gateway: { networkPolicy: { from: [{}] } } },
    };
    const all = policiesOf(await render(GATEWAY_MODE, closed));
    const own = all.find(({ component }) => component === 'canary-analysis');
    const reached = (own?.spec.egress ?? []).flatMap(({ to = [], ports }) =>
      to.flatMap((peer) => ports.map(({ port }) => `${componentOfPeer(peer) ?? ''} ${String(port)}`)),
    );
    const admitting = all.flatMap(({ component, spec }) =>
      spec.ingress
        .filter(({ from = [] }) => from.some((peer) => componentOfPeer(peer) === 'canary-analysis'))
        .flatMap(({ ports }) => ports.map(({ port }) => `${component} ${String(port)}`)),
    );
    const expected = [...CALLERS.map((caller) => `${caller} 9090`), 'gateway 8080'].toSorted();
    expect(reached.filter((line) => !line.endsWith(' 53')).toSorted()).toEqual(expected);
    expect(admitting.toSorted()).toEqual(expected);
  });
});

it('with Argo Rollouts, an AnalysisTemplate compares, and the abort is Argo’s', async () => {
  const objects = await render(toolsCanary({ mode: 'route', controller: 'argo-rollouts' }));
  expect(namesOf(objects).filter((name) => name.startsWith('CronJob'))).toEqual([]);
  const { metrics } = z
    .looseObject({
      metrics: z.array(z.looseObject({ provider: z.strictObject({ job: z.strictObject({ spec: job }) }) })),
    })
    .parse(objectNamed(objects, 'AnalysisTemplate', 'test-tools-canary')['spec']);
  const [container] = metrics[0]?.provider.job.spec.template.spec.containers ?? [];
  expect(container?.args.slice(0, 3)).toEqual(['canary', 'analyse', 'tools']);
  expect(container?.args).not.toContain('--abort');
  // Without evidence, a step of a rollout does not proceed.
  expect(container?.args).not.toContain('--allow-few-calls');
  expect(container?.env).toEqual([]);
});

it.each([
  ['without it in the values', toolsCanary({ mode: 'gateway', analysis: { enabled: false } })],
  ['with Flagger, which has its own', toolsCanary({ mode: 'route', controller: 'flagger' })],
  [
    'of the gateway, which no caller measures',
    { ...HTTP_ROUTE, services: { gateway: { canary: { mode: 'gateway' } } } },
  ],
])('there is no analysis %s', async (_when, values) => {
  const objects = await render(values);
  expect(JSON.stringify(objects)).not.toMatch(/canary-analysis|AnalysisTemplate|CronJob/);
});
