import { expect, onTestFinished, test } from 'vitest';
import { startKubernetesDouble } from '../discovery/testing/kubernetes-double.ts';
import { captureLog } from '../testing/log-lines.ts';
import { followCanaryRoutes } from './follow-routes.ts';
import { CONTROLLER_NAME } from './route-object.ts';
import { memoryChanges } from './testing/memory-changes.ts';

const PATH = '/apis/gateway.networking.k8s.io/v1/namespaces/default/grpcroutes';
const PATIENCE = { timeout: 90_000, interval: 20 };

const rules = (image: string) =>
  JSON.stringify({
    services: {
      tools: {
        mode: 'route',
        weight: 5,
        salt: 's',
        image,
        route: {
          apiVersion: 'gateway.networking.k8s.io/v1',
          kind: 'GRPCRoute',
          namespace: 'default',
          name: 'f-tools',
        },
      },
    },
  });

const route = (weight: number, generation: number, uid = 'one') => ({
  metadata: { name: 'f-tools', uid, generation },
  spec: {
    parentRefs: [{ group: '', kind: 'Service', name: 'f-tools' }],
    rules: [
      {
        backendRefs: [
          { name: 'f-tools', weight: 100 - weight },
          { name: 'f-tools-canary', weight },
        ],
      },
    ],
  },
});

async function start(replicas = 1) {
  const double = await startKubernetesDouble();
  const memory = memoryChanges(rules('v2'));
  const log = captureLog();
  for (let count = 0; count < replicas; count += 1) {
    const routes = followCanaryRoutes({ ...memory, api: () => double.api, log: log.log });
    onTestFinished(() => routes.close());
  }
  const put = (weight: number, generation: number, uid?: string): void =>
    double.putObject(PATH, { ...statusOf(), ...route(weight, generation, uid) });
  // Like the API server, keeps the status when the spec changes.
  const statusOf = () => {
    const { status } = (double.object(PATH, 'f-tools') ?? {}) as { status?: object };
    return status === undefined ? {} : { status };
  };
  const expectChange = (change: object) =>
    expect.poll(() => memory.newest('tools'), PATIENCE).toMatchObject(change);
  const patches = () => double.requests.filter((request) => request.startsWith('PATCH')).length;
  return { double, memory, put, statusOf, expectChange, patches, ...log };
}

test('the weight of a route becomes a change, and the route says that it is accepted', async () => {
  const { put, expectChange, statusOf } = await start();
  put(10, 1);
  await expectChange({ weight: 10, isAborted: false, by: 'route', routeGeneration: 1, routeUid: 'one' });
  put(25, 2);
  await expectChange({ weight: 25, routeGeneration: 2 });
  const accepted = { type: 'Accepted', status: 'True', observedGeneration: 2 };
  await expect.poll(statusOf, PATIENCE).toMatchObject({
    status: {
      parents: [
        {
          controllerName: CONTROLLER_NAME,
          conditions: [accepted, { type: 'ResolvedRefs', status: 'True', observedGeneration: 2 }],
        },
      ],
    },
  });
});

test('several gateways write one change and one status', async () => {
  const { put, expectChange, statusOf, memory, double } = await start(3);
  put(10, 1);
  await expectChange({ weight: 10 });
  await expect.poll(() => JSON.stringify(statusOf()), PATIENCE).toContain('Accepted');
  put(20, 2);
  await expectChange({ weight: 20 });
  await expect.poll(() => JSON.stringify(statusOf()), PATIENCE).toContain('"observedGeneration":2');
  expect(memory.writes()).toBe(2);
  expect(double.object(PATH, 'f-tools')).toMatchObject({ status: { parents: [{}] } });
});

test('an operator’s weight stays until the route changes; an abort until the route has sent all to stable', async () => {
  const { put, expectChange, memory, patches } = await start();
  put(10, 1);
  await expectChange({ weight: 10 });
  await expect.poll(patches, PATIENCE).toBe(1);
  memory.set('tools', { weight: 50, isAborted: false, by: 'operator' });
  put(20, 2);
  await expectChange({ weight: 20, by: 'route' });
  memory.set('tools', { weight: 20, isAborted: true, by: 'analysis' });
  put(30, 3);
  await expectChange({ weight: 30, isAborted: true, routeGeneration: 3 });
  put(0, 4);
  await expectChange({ weight: 0, isAborted: false });
  put(10, 5);
  await expectChange({ weight: 10, isAborted: false });
});

test('a new rule and a recreated route are obeyed, and a route that is gone sends nothing', async () => {
  const { put, expectChange, memory, double } = await start();
  put(10, 7);
  await expectChange({ weight: 10 });
  const before = memory.newest('tools')?.of;
  memory.setRules(rules('v3'));
  await expect.poll(() => memory.newest('tools')?.of, PATIENCE).not.toBe(before);
  await expectChange({ weight: 10, routeGeneration: 7 });
  double.removeObject(PATH, 'f-tools');
  await expectChange({ weight: 0 });
  put(30, 1, 'two');
  await expectChange({ weight: 30, routeGeneration: 1, routeUid: 'two' });
});

test('the last weight stays while the API server is away and after 410, and the next one is obeyed', async () => {
  const { double, put, expectChange, lines } = await start();
  put(10, 1);
  await expectChange({ weight: 10 });
  double.answerWith(503);
  double.endWatches('cut');
  await expect.poll(() => lines().some(({ level }) => level === 'warn'), PATIENCE).toBe(true);
  await expectChange({ weight: 10 });
  put(20, 2);
  double.compact();
  double.answerWith(200);
  await expectChange({ weight: 20 });
  double.endWatches('end');
  put(30, 3);
  await expectChange({ weight: 30 });
});

test('a change that NATS does not take is written later', async () => {
  const { put, expectChange, memory } = await start();
  memory.refuse(true);
  put(10, 1);
  await expect.poll(() => memory.refusals(), PATIENCE).toBeGreaterThan(1);
  memory.refuse(false);
  await expectChange({ weight: 10 });
});
