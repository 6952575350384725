import { BlockList, isIP } from 'node:net';
import { SERVICES, SERVICE_NAMES } from '@fairlead/service-list/services';
import { describe, expect, it } from 'vitest';
import { chartFile } from './chart/chart-folder.ts';
import { CONFIGS, DEPLOYED_SERVICES } from './chart/service-facts.ts';
import { HTTP_ROUTE } from './support/canaries.ts';
import { componentOfPeer, policiesOf, workloadsOf } from './support/kinds.ts';
import type { Policy, PolicyPeer } from './support/kinds.ts';
import { render } from './support/render.ts';
import type { Values } from './support/render.ts';

/** Calls between services as `caller>callee`, from the list by which the launcher starts them. */
const GRAPH: readonly string[] = [
  ...SERVICES.flatMap(({ name, calls }) => calls.map((callee) => `${name}>${callee}`)),
  ...SERVICE_NAMES.map((name) => `gateway>${name}`),
  // The gateway counts the steps of workflows.
  'tools>gateway',
  // Results are sent to the replica that waits for them.
  'agents>agents',
].toSorted();

/** Services that call addresses chosen by accounts. */
const CALLS_OUT = DEPLOYED_SERVICES.filter((name) => 'EGRESS_ALLOW' in CONFIGS[name].shape);

/** One address of each range that is not public. */
const INTERNAL =
  '0.0.0.0 10.1.2.3 100.100.100.200 127.0.0.1 168.63.129.16 169.254.169.254 172.31.0.1 192.0.0.192 192.168.1.1 198.19.0.1 224.0.0.1 240.0.0.1 255.255.255.255 ::1 fd00:ec2::254 fe80::1 ff02::1'.split(
    ' ',
  );

/** The calls if each service has pods of both tracks: every track calls every track. */
const GRAPH_OF_TRACKS: readonly string[] = GRAPH.flatMap((edge) => {
  const [caller = '', callee = ''] = edge.split('>');
  return ['', '-canary'].flatMap((from) => ['', '-canary'].map((to) => `${caller}${from}>${callee}${to}`));
}).toSorted();

const isService = (name: string | undefined): boolean =>
  DEPLOYED_SERVICES.some((known) => known === name?.replace(/-canary$/, ''));

async function policies(values: Values | string = {}): Promise<readonly Policy[]> {
  return policiesOf(await render(values));
}

function policyOf(all: readonly Policy[], component: string): Policy['spec'] {
  const policy = all.find((one) => one.component === component);
  if (policy === undefined) throw new Error(`${component} has no NetworkPolicy`);
  return policy.spec;
}

function edges(all: readonly Policy[], direction: 'ingress' | 'egress'): readonly string[] {
  return all
    .filter(({ component }) => isService(component))
    .flatMap(({ component, spec }) =>
      (direction === 'ingress'
        ? spec.ingress.flatMap(({ from = [] }) => from.map((peer) => [componentOfPeer(peer), component]))
        : spec.egress.flatMap(({ to = [] }) => to.map((peer) => [component, componentOfPeer(peer)]))
      ).filter((edge) => edge.every((end) => isService(end))),
    )
    .map((edge) => edge.join('>'))
    .toSorted();
}

const ports = (
  rules: readonly { readonly ports: readonly { readonly port: number }[] }[],
): readonly number[] => rules.flatMap((rule) => rule.ports.map(({ port }) => port)).toSorted((a, b) => a - b);

describe.each([
  ['dns', {}],
  ['kubernetes', { discovery: 'kubernetes' }],
  ['gRPC', { rpcTransport: 'grpc' }],
])('with %s', (_name, values) => {
  it.each(['ingress', 'egress'] as const)('the edges of %s are the calls in the code', async (direction) => {
    expect(edges(await policies(values), direction)).toEqual(GRAPH);
  });
});

it.each(['ingress', 'egress'] as const)('the edges of %s are the same for both tracks', async (direction) => {
  const all = await policies({ defaults: { canary: { mode: 'gateway' } }, ...HTTP_ROUTE });
  expect(edges(all, direction)).toEqual(GRAPH_OF_TRACKS);
});

it('every pod is under a policy of both directions, and the release denies what no other policy allows', async () => {
  const objects = await render();
  const all = policiesOf(objects);
  for (const { component } of workloadsOf(objects))
    expect(policyOf(all, component).policyTypes).toEqual(['Ingress', 'Egress']);
  const [everything] = all.filter(({ component }) => component === '');
  expect(everything?.spec).toMatchObject({ policyTypes: ['Ingress', 'Egress'], ingress: [], egress: [] });
});

it('a caller reaches the ports of RPCs, and of the gateway only the internal ones', async () => {
  const all = await policies();
  for (const { component, spec } of all)
    for (const { to = [], ports: allowed } of spec.egress) {
      const callee = to.map(componentOfPeer).find(isService);
      if (!isService(component) || callee === undefined) continue;
      expect(ports([{ ports: allowed }])).toEqual(callee === 'gateway' ? [8081, 8082] : [8080, 8081]);
    }
});

it('every service asks the DNS of the cluster, and only services that watch reach the API server', async () => {
  for (const [discovery, watchers] of [
    ['dns', []],
    ['kubernetes', ['agents', 'connections', 'gateway', 'mcp', 'tools', 'triggers']],
  ] as const) {
    const all = await policies({ discovery });
    for (const name of DEPLOYED_SERVICES) {
      const { egress } = policyOf(all, name);
      expect(ports(egress.filter((rule) => rule.ports.some(({ port }) => port === 53)))).toEqual([53, 53]);
    }
    const reaching = DEPLOYED_SERVICES.filter((name) =>
      policyOf(all, name).egress.some((rule) => rule.ports.some(({ port }) => port === 6443)),
    );
    expect(reaching.toSorted()).toEqual(watchers);
  }
});

it('only services that call applications reach public addresses, and none reaches a private range', async () => {
  const all = await policies();
  const blocks = (name: string): readonly PolicyPeer[] =>
    policyOf(all, name).egress.flatMap(({ to = [] }) => to.filter(({ ipBlock }) => ipBlock !== undefined));
  expect(DEPLOYED_SERVICES.filter((name) => blocks(name).length > 0)).toEqual(CALLS_OUT);
  expect(CALLS_OUT.toSorted()).toEqual(['connections', 'delivery', 'identity', 'tools']);
  for (const name of CALLS_OUT) {
    const excepted = blocks(name).flatMap(({ ipBlock }) => ipBlock?.except ?? []);
    const ranges = new BlockList();
    for (const range of excepted) {
      const [network = '', bits] = range.split('/');
      ranges.addSubnet(network, Number(bits), isIP(network) === 4 ? 'ipv4' : 'ipv6');
    }
    for (const address of INTERNAL)
      expect(ranges.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6'), address).toBe(true);
    for (const address of ['1.1.1.1', '2606:4700::1111', '192.0.1.1', '198.17.0.1'])
      expect(ranges.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6'), address).toBe(false);
  }
});

it('the stores of an evaluation are reached by the services only', async () => {
  const all = await policies();
  for (const [store, port, others] of [
    ['mongodb', 27_017, ['setup']],
    ['nats', 4222, []],
  ] as const) {
    const { ingress } = policyOf(all, store);
    expect(ports(ingress)).toEqual([port]);
    const callers = ingress
      .flatMap(({ from = [] }) => from.map((peer) => componentOfPeer(peer) ?? ''))
      .toSorted();
    expect(callers).toEqual([...DEPLOYED_SERVICES, ...others].toSorted());
    for (const name of DEPLOYED_SERVICES)
      expect(
        policyOf(all, name).egress.some(
          (rule) => rule.to?.some((peer) => componentOfPeer(peer) === store) && ports([rule]).includes(port),
        ),
      ).toBe(true);
  }
});

it('the stores of a production are reached where the values say', async () => {
  const { egress } = policyOf(await policies(chartFile('ci/production-values.yaml')), 'catalog');
  expect(egress).toContainEqual(
    expect.objectContaining({ to: [{ ipBlock: { cidr: '198.51.100.0/24', except: [] } }] }),
  );
});

it('the pod of `helm test` reaches the gateway, whoever else may', async () => {
  const from = [{ namespaceSelector: {} }];
  for (const values of [{}, { services: { gateway: { networkPolicy: { from } } } }]) {
    const all = await policies(values);
    const reached = policyOf(all, 'test').egress.flatMap(({ to = [] }) => to.map(componentOfPeer));
    expect(reached).toContain('gateway');
    const admits = policyOf(all, 'gateway').ingress.filter((rule) => ports([rule]).includes(8080));
    expect(
      admits.some((rule) => rule.from?.some((peer) => componentOfPeer(peer) === 'test') ?? true),
      JSON.stringify(values),
    ).toBe(true);
  }
});

it('a cluster whose DNS listens on another port names it', async () => {
  const all = await policies({ networkPolicy: { dnsPorts: [5353] } });
  for (const name of [...DEPLOYED_SERVICES, 'setup', 'test', 'mongodb'])
    expect(
      ports(policyOf(all, name).egress).filter((port) => [53, 5353].includes(port)),
      name,
    ).toEqual([5353, 5353]);
});

it('values admit callers from outside: at the gateway’s public port, and at the gRPC port of a service', async () => {
  const from = [{ namespaceSelector: { matchLabels: { team: 'ai' } } }];
  const all = await policies({
    services: { gateway: { networkPolicy: { from } }, catalog: { networkPolicy: { from } } },
  });
  const admitted = (name: string): readonly number[] =>
    ports(policyOf(all, name).ingress.filter((rule) => JSON.stringify(rule.from) === JSON.stringify(from)));
  expect(admitted('gateway')).toEqual([8080]);
  expect(admitted('catalog')).toEqual([8081]);
  expect(admitted('tools')).toEqual([]);
  const open = policyOf(await policies(), 'gateway').ingress.filter((rule) => rule.from === undefined);
  expect(ports(open)).toEqual([8080]);
});
