import { connectionsConfig } from '@fairlead-services/connections/config';
import { expect, it } from 'vitest';
import { chartFile } from './chart/chart-folder.ts';
import { DEPLOYED_SERVICES, serviceFacts } from './chart/service-facts.ts';
import { componentOf, componentOfPeer, podsOf, policiesOf, workloadsOf } from './support/kinds.ts';
import type { Container } from './support/kinds.ts';
import { render } from './support/render.ts';
import type { Values } from './support/render.ts';

const COMPONENT = 'sandbox-crm';
const HOST = 'test-sandbox-crm.apps.svc.cluster.local:4010';
const OFF: Values = { evaluation: { sandboxCrm: { enabled: false } } };

async function containerOf(component: string, values: Values = {}): Promise<Container> {
  const workload = workloadsOf(await render(values)).find(
    (one) => one.kind === 'Deployment' && one.component === component,
  );
  const [container] = workload?.spec.template.spec.containers ?? [];
  if (container === undefined) throw new Error(`${component} has no Deployment`);
  return container;
}

async function variableOf(
  component: string,
  name: string,
  values?: Values,
): Promise<Container['env'][number] | undefined> {
  return (await containerOf(component, values)).env.find((variable) => variable.name === name);
}

it('an evaluation has the sample vendor, from the image of the services', async () => {
  const container = await containerOf(COMPONENT);
  expect(container['image']).toBe((await containerOf('tools'))['image']);
  expect(container.env).toContainEqual({ name: 'SERVICE', value: COMPONENT });
  expect(container.env).toContainEqual({ name: 'PUBLIC_URL', value: `http://${HOST}` });
  expect(container['envFrom']).toEqual([{ secretRef: { name: 'test-sandbox-crm' } }]);
  const services = (await render()).filter(({ kind }) => kind === 'Service');
  expect(services.map(({ metadata }) => metadata.name)).toContain('test-sandbox-crm');
});

it('the Job makes its Secret, with a client for the address of the gateway', async () => {
  const setup = async (values: Values) =>
    JSON.stringify((await render(values)).filter((object) => componentOf(object) === 'setup'));
  const made = await setup({ publicUrl: 'http://crm.example.com' });
  expect(made).toContain('--sandbox-crm=http://crm.example.com');
  expect(made).toContain('"test-sandbox-crm"');
  expect(await setup(OFF)).not.toContain(COMPONENT);
});

it('the catalog aims its connector there, and its other settings stay', async () => {
  const settings = { CONNECTOR_SETTINGS: '{"other":{"a":"b"}}' };
  const given = await variableOf('catalog', 'CONNECTOR_SETTINGS', { services: { catalog: { settings } } });
  expect(JSON.parse(given?.value ?? '')).toEqual({
    'sandbox-crm': { baseUrl: `http://${HOST}` },
    other: { a: 'b' },
  });
  const chosen = { CONNECTOR_SETTINGS: '{"sandbox-crm":{"baseUrl":"http://elsewhere"}}' };
  const values = { services: { catalog: { settings: chosen } } };
  expect((await variableOf('catalog', 'CONNECTOR_SETTINGS', values))?.value).toBe(chosen.CONNECTOR_SETTINGS);
});

it('services that call applications may call it, besides what values allow them, and nobody else may', async () => {
  const callers = DEPLOYED_SERVICES.filter((name) => serviceFacts(name).callsOut).toSorted();
  const own = { settings: { EGRESS_ALLOW: '10.0.0.0/8' } };
  for (const name of callers) {
    expect((await variableOf(name, 'EGRESS_ALLOW'))?.value, name).toBe(HOST);
    const both = await variableOf(name, 'EGRESS_ALLOW', { services: { [name]: own } });
    expect(both?.value, name).toBe(`10.0.0.0/8,${HOST}`);
  }
  const all = policiesOf(await render());
  const reaching = all.filter(({ spec }) =>
    spec.egress.some(({ to = [], ports }) => {
      const isPort = ports.length === 1 && ports[0]?.port === 4010;
      return isPort && to.map(componentOfPeer).includes(COMPONENT);
    }),
  );
  expect(reaching.map(({ component }) => component).toSorted()).toEqual(callers);
  const admitted = all.find(({ component }) => component === COMPONENT)?.spec.ingress ?? [];
  expect(admitted.map(({ ports }) => ports.map(({ port }) => port))).toEqual([[4010]]);
  const admittedPods = admitted.flatMap(({ from = [] }) => from.map((peer) => componentOfPeer(peer) ?? ''));
  expect(admittedPods.toSorted()).toEqual(callers);
});

it('connections takes its OAuth client from the Secret, which may lack it', async () => {
  expect('CONNECTOR_OAUTH_CLIENTS' in connectionsConfig.shape).toBe(true);
  const key = { name: 'test-connections', key: 'CONNECTOR_OAUTH_CLIENTS', optional: true };
  expect(await variableOf('connections', 'CONNECTOR_OAUTH_CLIENTS')).toMatchObject({
    valueFrom: { secretKeyRef: key },
  });
  const listed = { services: { connections: { secretVariables: ['CONNECTOR_OAUTH_CLIENTS'] } } };
  expect(await variableOf('connections', 'CONNECTOR_OAUTH_CLIENTS', listed)).toBeUndefined();
});

it('is nowhere in a production, in a release without tools, or if it is off', async () => {
  for (const values of [
    chartFile('ci/production-values.yaml'),
    { defaults: { enabled: false }, services: { catalog: { enabled: true } } },
    OFF,
  ])
    expect(JSON.stringify(await render(values))).not.toContain(COMPONENT);
  expect(podsOf(await render()).some(([name]) => name.includes(COMPONENT))).toBe(true);
});
