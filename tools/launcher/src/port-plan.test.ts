import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { isPortFree } from '@fairlead/local-stores/ports';
import { temporaryFolder } from '@fairlead/local-stores/testing/temporary-folder';
import { expect, onTestFinished, test } from 'vitest';
import { DEFAULT_PORT } from './arguments.ts';
import { gatewayPort, planPorts } from './port-plan.ts';
import { ONE_OF_EACH } from './replicas.ts';

async function occupy(port: number): Promise<number> {
  const server = createServer().listen(port, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

test('every listener gets its own port, and the same one at the next start', async () => {
  const file = join(await temporaryFolder(), 'ports.json');
  const plan = await planPorts(file);
  expect(new Set(Object.values(plan)).size).toBe(Object.keys(plan).length);
  expect(await planPorts(file)).toEqual(plan);
});

test('replicas get their own ports, and get them again after a start without replicas', async () => {
  const file = join(await temporaryFolder(), 'ports.json');
  const replicas = { ...ONE_OF_EACH, tools: 3 };
  const plan = await planPorts(file, replicas);
  expect(new Set(Object.values(plan)).size).toBe(Object.keys(plan).length);
  const ofReplicas = ['tools-2', 'toolsGrpc-2', 'toolsAdmin-2', 'tools-3', 'toolsGrpc-3', 'toolsAdmin-3'];
  expect(Object.keys(plan)).toEqual(expect.arrayContaining(ofReplicas));
  expect(Object.keys(await planPorts(file))).not.toContain('tools-2');
  expect(await planPorts(file, replicas)).toEqual(plan);
});

test('several gateways get their own ports, because the balancer has the port of the base URL', async () => {
  const file = join(await temporaryFolder(), 'ports.json');
  const plan = await planPorts(file, { ...ONE_OF_EACH, gateway: 2 });
  expect(Object.keys(plan)).toEqual(expect.arrayContaining(['gateway-1', 'gateway-2', 'gatewayAdmin-2']));
  expect(Object.keys(await planPorts(file)).filter((name) => name.startsWith('gateway'))).toEqual([
    'gatewayAdmin',
    'gatewayRpc',
    'gatewayGrpc',
  ]);
});

test('a port that another process took meanwhile is replaced, the others stay', async () => {
  const file = join(await temporaryFolder(), 'ports.json');
  const plan = await planPorts(file);
  await occupy(plan.mongod);
  const next = await planPorts(file);
  expect(next.mongod).not.toBe(plan.mongod);
  expect({ ...next, mongod: 0 }).toEqual({ ...plan, mongod: 0 });
});

test('a wanted port is used, or refused in one line if it is in use', async () => {
  const taken = await occupy(0);
  await expect(gatewayPort(taken, { planned: new Set(), report: () => undefined })).rejects.toThrow(
    `port ${String(taken)} is in use`,
  );
});

test('port 0 is any free port', async () => {
  const port = await gatewayPort(0, { planned: new Set(), report: () => undefined });
  expect(await isPortFree(port)).toBe(true);
});

test('by default it is the default port, or the next free one with a line that says so', async () => {
  if (await isPortFree(DEFAULT_PORT)) await occupy(DEFAULT_PORT);
  const lines: string[] = [];
  const port = await gatewayPort(undefined, { planned: new Set(), report: (line) => lines.push(line) });
  expect(port).toBeGreaterThan(DEFAULT_PORT);
  expect(lines).toEqual([`Port ${String(DEFAULT_PORT)} is in use, taking ${String(port)}`]);
});
