import type { ServiceImpl } from '@connectrpc/connect';
import { changingAddresses } from '@fairlead/connect-fast/testing/changing-addresses';
import { EchoService } from '@fairlead/connect-fast/testing/echo-service';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../clock.ts';
import { openDnsAddresses } from '../discovery/dns-addresses.ts';
import { startNameServer } from '../testing/name-server.ts';
import { testContext } from '../testing/context.ts';
import { captureLog } from '../testing/log-lines.ts';
import { addressFor, testPeerAt } from '../testing/peer.ts';
import { startEchoServer, testCallerKeys } from '../testing/rpc.ts';
import type { RpcPeer } from './peer.ts';
import { createRpcClient } from './client.ts';
import type { RpcServer } from './server.ts';

type Echo = ServiceImpl<typeof EchoService>;

async function start(
  say: Echo['say'],
  o: { repeat?: Echo['repeat']; host?: string; port?: number; grpcPort?: number } = {},
): Promise<RpcServer> {
  const server = await startEchoServer(say, o);
  onTestFinished(() => server.close());
  return server;
}

const named = (value: string): Promise<RpcServer> => start(() => ({ value }));

function clientOf(peer: RpcPeer) {
  onTestFinished(() => peer.close());
  const client = createRpcClient(EchoService, { peer, callerKeys: testCallerKeys, clock: systemClock });
  const say = async (): Promise<string> => (await client.say(testContext(), { value: 'x' })).value;
  const sayMany = async () => new Set(await Promise.all(Array.from({ length: 30 }, say)));
  return { client, say, sayMany };
}

it('a replica that appears gets calls, and a removed one gets none', async () => {
  const [a, b, c] = await Promise.all(['a', 'b', 'c'].map(named));
  if (a === undefined || b === undefined || c === undefined) throw new Error('A server is missing.');
  const addresses = changingAddresses([a, b].map(addressFor));
  const { sayMany } = clientOf(testPeerAt('echo', addresses));
  expect(await sayMany()).toEqual(new Set(['a', 'b']));
  addresses.replace([b, c].map(addressFor));
  expect(await sayMany()).toEqual(new Set(['b', 'c']));
});

it('no replica yet: UNAVAILABLE, until the first appears', async () => {
  const addresses = changingAddresses([]);
  const { say } = clientOf(testPeerAt('echo', addresses));
  await expect(say()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  addresses.replace([addressFor(await named('a'))]);
  expect(await say()).toBe('a');
});

it('if all known replicas are gone, a call finds those that have taken their place', async () => {
  const gone = await named('gone');
  await gone.close();
  const next = await named('next');
  const addresses = changingAddresses([addressFor(gone)], () => [addressFor(next)]);
  const { sayMany } = clientOf(testPeerAt('echo', addresses));
  expect(await sayMany()).toEqual(new Set(['next']));
});

it('calls and streams in flight at a removed replica end', async () => {
  const arrived = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const old = await start(
    async () => {
      arrived.resolve();
      await goOn.promise;
      return { value: 'old' };
    },
    {
      async *repeat() {
        yield { value: '1' };
        await goOn.promise;
        yield { value: '2' };
      },
    },
  );
  const addresses = changingAddresses([addressFor(old)]);
  const { client, say } = clientOf(testPeerAt('echo', addresses));
  const call = say();
  await arrived.promise;
  const stream = client.repeat(testContext(), {})[Symbol.asyncIterator]();
  expect(await stream.next()).toMatchObject({ value: { value: '1' } });
  addresses.replace([addressFor(await named('new'))]);
  expect(await say()).toBe('new');
  goOn.resolve();
  expect(await call).toBe('old');
  expect(await stream.next()).toMatchObject({ value: { value: '2' } });
  expect(await stream.next()).toMatchObject({ done: true });
});

it('replicas are found by name, at new addresses with the same port', async () => {
  const first = await named('a');
  const ports = { port: Number(new URL(first.httpUrl).port), grpcPort: Number(new URL(first.grpcUrl).port) };
  // On Linux, all of 127.0.0.0/8 is on the loopback interface.
  await start(() => ({ value: 'b' }), { ...ports, host: '127.0.0.2' });
  let hosts = ['127.0.0.1'];
  const server = await startNameServer(() => ({ addresses: hosts, ttlSeconds: 30 }));
  const name = { kind: 'dns', name: 'echo.test', nameServer: server.address } as const;
  const addresses = openDnsAddresses(
    { ...name, port: Number(new URL(addressFor(first)).port) },
    { service: 'echo', log: captureLog().log, everyMs: 20 },
  );
  onTestFinished(() => addresses.close());
  const { say, sayMany } = clientOf(testPeerAt('echo', addresses));
  // The first look-up is still under way.
  expect(await say()).toBe('a');
  hosts = ['127.0.0.1', '127.0.0.2'];
  await expect.poll(sayMany).toEqual(new Set(['a', 'b']));
  hosts = ['127.0.0.2'];
  await expect.poll(sayMany).toEqual(new Set(['b']));
});
