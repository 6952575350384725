import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { chartFile } from './chart/chart-folder.ts';
import { CONFIGS, DEPLOYED_SERVICES, serviceFacts } from './chart/service-facts.ts';
import type { DeployedService } from './chart/service-facts.ts';
import type { Container, Workload } from './support/kinds.ts';
import { workloadsOf } from './support/kinds.ts';
import { render } from './support/render.ts';
import type { ValuesSource } from './support/render.ts';

const EXAMPLES: readonly (readonly [string, readonly ValuesSource[]])[] = [
  ['no values', []],
  ['small', [chartFile('ci/small-values.yaml')]],
  ['production', [chartFile('ci/production-values.yaml')]],
  ['gRPC', [{ rpcTransport: 'grpc', discovery: 'kubernetes' }]],
];

/** Variables read outside of the configuration: by the image's entry, and by the chart's own references. */
const OTHERS: ReadonlySet<string> = new Set(['SERVICE', 'POD_IP']);

/** The Deployments of services; the sample vendor is not one. */
async function deploymentsOf(values: readonly ValuesSource[]): Promise<readonly Workload[]> {
  return workloadsOf(await render(...values)).filter(
    ({ kind, component }) => kind === 'Deployment' && component !== 'sandbox-crm',
  );
}

async function containers(values: readonly ValuesSource[]): Promise<ReadonlyMap<string, Container>> {
  return new Map(
    (await deploymentsOf(values)).flatMap(({ component, spec }) =>
      spec.template.spec.containers
        .filter(({ name }) => name === component)
        .map((container) => [component, container] as const),
    ),
  );
}

/** A container's variables as the service reads them: `NAME_FILE` provides NAME. */
function variablesOf({ env }: Container): readonly string[] {
  return env.map(({ name }) => name.replace(/_FILE$/, '')).filter((name) => !OTHERS.has(name));
}

function shapeOf(name: DeployedService): Readonly<Record<string, z.ZodType>> {
  return CONFIGS[name].shape;
}

describe.each(EXAMPLES)('with %s', (_name, values) => {
  it('each service has a Deployment that names it', async () => {
    const found = await containers(values);
    expect([...found.keys()].toSorted()).toEqual([...DEPLOYED_SERVICES].toSorted());
    for (const [name, { env }] of found)
      expect(env.find((variable) => variable.name === 'SERVICE')?.value).toBe(name);
  });

  it('each service gets every variable that it needs, none twice, and none that it does not read', async () => {
    for (const [name, container] of await containers(values)) {
      // The map's keys are those of CONFIGS, as the test above checks.
      const shape = shapeOf(name as DeployedService);
      const given = variablesOf(container);
      const needed = Object.keys(shape).filter((key) => shape[key]?.safeParse(undefined).success === false);
      expect(given.toSorted(), name).toEqual([...new Set(given)].toSorted());
      expect(
        needed.filter((variable) => !given.includes(variable)),
        name,
      ).toEqual([]);
      expect(
        // NODE_OPTIONS is read by Node itself.
        given.filter((variable) => !(variable in shape) && variable !== 'NODE_OPTIONS'),
        name,
      ).toEqual([]);
    }
  });

  it('each service accepts the values, and listens on the ports that the Service has', async () => {
    for (const [name, { env }] of await containers(values)) {
      const shape = shapeOf(name as DeployedService);
      for (const { name: variable, value } of env) {
        if (value === undefined || shape[variable] === undefined) continue;
        expect(shape[variable].safeParse(value).error, `${name} ${variable}=${value}`).toBeUndefined();
      }
      const texts = Object.fromEntries(env.map(({ name: variable, value }) => [variable, value]));
      expect(texts).toMatchObject({ HOST: '0.0.0.0', PORT: '8080', GRPC_PORT: '8081', ADMIN_PORT: '9090' });
    }
  });

  it('secrets come from files only, below the mounted Secret of the service', async () => {
    for (const { component, name, spec } of await deploymentsOf(values)) {
      const { secrets } = serviceFacts(component as DeployedService);
      const [container] = spec.template.spec.containers;
      const texts = Object.fromEntries((container?.env ?? []).map((entry) => [entry.name, entry.value]));
      for (const variable of secrets) {
        expect(texts[variable]).toBeUndefined();
        expect(texts[`${variable}_FILE`]).toBe(`/etc/fairlead/secrets/${variable}`);
      }
      expect(container?.volumeMounts).toContainEqual(
        expect.objectContaining({ name: 'secrets', mountPath: '/etc/fairlead/secrets' }),
      );
      const volume = spec.template.spec.volumes.find((one) => one.name === 'secrets');
      expect(volume?.['secret']).toMatchObject({ secretName: name });
    }
  });
});

it('each service learns the address of its pod', async () => {
  const podIp = { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } };
  for (const [, { env }] of await containers([])) expect(env).toContainEqual(podIp);
});

it('no render creates a Secret', async () => {
  for (const [, values] of EXAMPLES)
    expect((await render(...values)).filter(({ kind }) => kind === 'Secret')).toEqual([]);
});

it('a number in the values reaches the service as digits', async () => {
  const found = await containers([
    { services: { identity: { settings: { OAUTH_MAX_UNUSED_CLIENTS: 1_000_000 } } } },
  ]);
  expect(found.get('identity')?.env).toContainEqual({ name: 'OAUTH_MAX_UNUSED_CLIENTS', value: '1000000' });
});

it('a service keeps its Node.js options beside further variables, unless one replaces them', async () => {
  const optionsOf = async (env: readonly object[]): Promise<readonly (string | undefined)[]> => {
    const found = await containers([{ services: { catalog: { env } } }]);
    const variables = found.get('catalog')?.env ?? [];
    return variables.flatMap(({ name, value }) => (name === 'NODE_OPTIONS' ? [value] : []));
  };
  expect(await optionsOf([{ name: 'NODE_EXTRA_CA_CERTS', value: '/ca.pem' }])).toEqual([
    '--max-semi-space-size=4',
  ]);
  expect(await optionsOf([{ name: 'NODE_OPTIONS', value: '--trace-gc' }])).toEqual(['--trace-gc']);
});
