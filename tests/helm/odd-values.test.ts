import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { DEPLOYED_SERVICES } from './chart/service-facts.ts';
import { componentOf, policiesOf, workloadsOf } from './support/kinds.ts';
import { objectsOf, render, runHelm } from './support/render.ts';
import type { KubernetesObject, Values } from './support/render.ts';

/** The longest release name that Helm accepts. */
const LONG = `r${'0123456789'.repeat(5)}ab`;
/** Maximum length of names of pods, Jobs and Services, which become label values. */
const LABEL_LENGTH = 63;

function named(objects: readonly KubernetesObject[], kind: string): readonly string[] {
  return objects.filter((object) => object.kind === kind).map(({ metadata }) => metadata.name);
}

async function release(name: string, namespace: string, values: Values = {}) {
  return objectsOf(await runHelm('4.1', ['template', name, '--namespace', namespace], [values]));
}

it('the longest name of a release leaves all names and labels valid', async () => {
  const objects = await release(LONG, 'apps');
  const labelled = objects.filter(({ kind }) =>
    ['Job', 'Pod', 'Service', 'StatefulSet', 'Deployment'].includes(kind),
  );
  for (const { kind, metadata } of labelled)
    expect(metadata.name.length, `${kind} ${metadata.name}`).toBeLessThanOrEqual(LABEL_LENGTH);
  for (const { metadata } of objects) {
    expect(metadata.name).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);
    for (const value of Object.values(metadata.labels))
      expect(value.length).toBeLessThanOrEqual(LABEL_LENGTH);
  }
});

it('names that YAML reads as something else stay texts', async () => {
  // The schema of the objects only accepts texts.
  const objects = await release('on', '2026', { discovery: 'kubernetes' });
  expect(new Set(objects.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['2026']));
  const subjects = z.array(z.looseObject({ namespace: z.string() }));
  for (const object of objects) if (object.kind === 'RoleBinding') subjects.parse(object['subjects']);
});

it('the name of a release that no Service may have is refused, unless another one replaces it', async () => {
  await expect(release('1st', 'apps')).rejects.toThrow('fullnameOverride: required');
  const objects = await release('1st', 'apps', { fullnameOverride: 'first' });
  expect(named(objects, 'Service')).toContain('first-gateway');
});

it('two releases in a namespace share no object', async () => {
  const names = (objects: readonly KubernetesObject[]): readonly string[] =>
    objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  const first = names(await release('first', 'apps'));
  expect(names(await release('second', 'apps')).filter((name) => first.includes(name))).toEqual([]);
});

it('a label on all objects gives the Job another name, because its pods cannot be changed', async () => {
  const jobs = async (values: Values) => named(await render(values), 'Job');
  expect(await jobs({ commonLabels: { team: 'ai' } })).not.toEqual(await jobs({}));
  expect(await jobs({ commonAnnotations: { team: 'ai' } })).toEqual(await jobs({}));
});

it('Recreate has no settings of a rolling update, which the API server would refuse', async () => {
  const strategy = { type: 'Recreate' };
  const deployments = workloadsOf(await render({ services: { tools: { strategy } } }));
  expect(deployments.find(({ component }) => component === 'tools')?.spec.strategy).toEqual(strategy);
});

it('no pause before SIGTERM means no hook, because Kubernetes 1.32 refuses a sleep of 0 seconds', async () => {
  const deployments = workloadsOf(await render({ defaults: { shutdown: { preStopSeconds: 0 } } }));
  expect(JSON.stringify(deployments)).not.toContain('preStop');
});

it('services share a service account that all of them name', async () => {
  const objects = await render({ defaults: { serviceAccount: { name: 'shared' } } });
  expect(named(objects, 'ServiceAccount').toSorted()).toEqual(['shared', 'test-setup']);
});

it('a service without a pod has no object', async () => {
  const objects = await render({ services: { triggers: { enabled: false } } });
  const others = objects.filter(({ kind }) => kind !== 'NetworkPolicy' && kind !== 'Role');
  expect(others.filter((object) => componentOf(object) === 'triggers')).toEqual([]);
});

it('the platform may choose the user, as OpenShift does', async () => {
  const podSecurityContext = { runAsUser: null, runAsGroup: null, fsGroup: null };
  const text = JSON.stringify(await render({ defaults: { podSecurityContext } }));
  expect(text).not.toMatch(/runAsUser|runAsGroup|fsGroup/);
});

it('a service does without a default that it sets to null', async () => {
  const objects = await render({
    defaults: { settings: { LOG_LEVEL: 'debug' } },
    services: {
      tools: {
        podSecurityContext: { runAsUser: null },
        resources: { limits: { memory: null } },
        settings: { LOG_LEVEL: null },
      },
    },
  });
  const [tools, catalog] = ['tools', 'catalog'].map((name) =>
    JSON.stringify(workloadsOf(objects).find(({ component }) => component === name)),
  );
  for (const part of ['"runAsUser":65532', '"memory":"384Mi"', 'LOG_LEVEL']) {
    expect(catalog).toContain(part);
    expect(tools).not.toContain(part);
  }
  expect(tools).toContain('"runAsGroup":65532');
  expect(tools).not.toContain('null');
});

it('the values of docs/production.md render, each by itself and all together', async () => {
  const text = readFileSync(new URL('../../docs/production.md', import.meta.url), 'utf8');
  const blocks = [...text.matchAll(/^( *)```yaml\n([^]*?)^ *```$/gm)].map(([, , block = '']) => block);
  const examples = blocks.map((block) => z.record(z.string(), z.unknown()).parse(parse(block)));
  expect(examples.length).toBeGreaterThan(1);
  for (const example of examples) await render(example);
  const openShift = examples.find((example) => 'networkPolicy' in example);
  const all = policiesOf(await render(...examples));
  expect(openShift).toBeDefined();
  const dns = all.filter(({ spec }) =>
    spec.egress.some(
      ({ ports, to }) => ports[0]?.port === 5353 && JSON.stringify(to).includes('openshift-dns'),
    ),
  );
  expect(dns.length).toBeGreaterThan(DEPLOYED_SERVICES.length);
});

describe('the chart refuses', () => {
  it.each<[string, Values]>([
    ['ingress.hosts', { ingress: { enabled: true } }],
    ['httpRoute.parentRefs', { httpRoute: { enabled: true } }],
    ['services.tools.keda.triggers', { services: { tools: { keda: { enabled: true } } } }],
    ['evaluation.mongodb.uri', { evaluation: { mongodb: { enabled: false } } }],
    ['evaluation.nats.url', { evaluation: { nats: { enabled: false } } }],
  ])('an empty %s', async (path, values) => {
    await expect(render(values)).rejects.toThrow(`${path}: required`);
  });

  it.each<[string, Values]>([
    ['services', { services: null }],
    ['tools', { services: { tools: null } }],
    ['defaults', { defaults: null }],
    ['autoscaling', { defaults: { autoscaling: null } }],
    ['evaluation', { evaluation: null }],
    ['networkPolicy', { networkPolicy: null }],
  ])('null in place of the map %s', async (name, values) => {
    await expect(render(values)).rejects.toThrow(`missing property '${name}'`);
  });

  it.each<[string, readonly object[], string]>([
    ['the chart sets', [{ name: 'PORT', value: '1' }], 'the chart sets PORT'],
    ['the chart gives as a file', [{ name: 'MONGODB_URI', value: 'x' }], 'the chart sets MONGODB_URI'],
    ['the chart’s own variables name', [{ name: 'POD_IP', value: 'x' }], 'the chart sets POD_IP'],
    [
      'settings hold, and check',
      [{ name: 'WORKER_PROCESSES', value: '4' }],
      'WORKER_PROCESSES belongs in `settings`',
    ],
    [
      'is there twice',
      [
        { name: 'A', value: '1' },
        { name: 'A', value: '2' },
      ],
      'A is there twice',
    ],
  ])('a variable that %s', async (_what, env, message) => {
    await expect(render({ services: { tools: { env } } })).rejects.toThrow(`services.tools.env: ${message}`);
  });

  it('no variable that comes from elsewhere', async () => {
    const valueFrom = { configMapKeyRef: { name: 'sizes', key: 'workers' } };
    const env = [
      { name: 'WORKER_PROCESSES', valueFrom },
      { name: 'NODE_EXTRA_CA_CERTS', value: '/ca.pem' },
    ];
    expect(JSON.stringify(await render({ services: { tools: { env } } }))).toContain('/ca.pem');
  });
});
