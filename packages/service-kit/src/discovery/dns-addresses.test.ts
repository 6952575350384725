import { describe, expect, it, onTestFinished } from 'vitest';
import { startNameServer } from '../testing/name-server.ts';
import type { NameAnswer, NameServer } from '../testing/name-server.ts';
import { registry } from '../telemetry/service-metrics.ts';
import { captureLog } from '../testing/log-lines.ts';
import { openDnsAddresses } from './dns-addresses.ts';
import type { OpenAddresses } from './reported-addresses.ts';
import { liveAddressesSuite } from './testing/live-addresses-suite.ts';

const NAME = 'fairlead-echo.default.svc.cluster.local';
const PATIENCE = { timeout: 90_000, interval: 20 };

function open(server: NameServer, { log } = captureLog(), everyMs = 20): OpenAddresses {
  const name = { kind: 'dns', name: NAME, port: 8080, nameServer: server.address } as const;
  return openDnsAddresses(name, { service: 'echo', log, everyMs });
}

async function withAnswer(first: NameAnswer, everyMs?: number) {
  let answer = first;
  const server = await startNameServer(() => answer);
  const log = captureLog();
  const addresses = open(server, log, everyMs);
  onTestFinished(() => addresses.close());
  return { server, addresses, ...log, reply: (next: NameAnswer) => (answer = next) };
}

// The record's time to live is ignored, because replicas change sooner.
const found = (...hosts: string[]): NameAnswer => ({ addresses: hosts, ttlSeconds: 300 });

describe('live addresses', () => {
  liveAddressesSuite(async () => {
    let hosts: readonly string[] = [];
    const server = await startNameServer(() => (hosts.length === 0 ? 'missing' : found(...hosts)));
    return {
      replace(next) {
        hosts = next;
        return Promise.resolve();
      },
      open: (log) => open(server, { ...captureLog(), log }),
    };
  });
});

it('the full name is asked for, without search domains', async () => {
  const { server, addresses } = await withAnswer('missing');
  await addresses.renew();
  await expect.poll(() => server.asked.length, PATIENCE).toBeGreaterThan(2);
  expect(new Set(server.asked)).toEqual(new Set([NAME]));
});

it.each(['missing', 'failed'] as const)(
  'a look-up that ends with "%s" keeps the last known addresses, and is logged once',
  async (failure) => {
    const { server, addresses, reply, lines } = await withAnswer(found('10.9.0.1'));
    await addresses.renew();
    reply(failure);
    const before = server.asked.length;
    await expect.poll(() => server.asked.length, PATIENCE).toBeGreaterThan(before + 3);
    expect(addresses.current()).toEqual(['http://10.9.0.1:8080']);
    expect(lines().filter(({ level }) => level === 'warn')).toHaveLength(1);
    reply(found('10.9.0.2'));
    await expect.poll(addresses.current, PATIENCE).toEqual(['http://10.9.0.2:8080']);
  },
);

it('replicas with addresses of both families count once; those that have only IPv6 are known, too', async () => {
  const { addresses, reply } = await withAnswer(found('10.9.0.1', 'fd00:0:0:0:0:0:0:1'));
  await addresses.renew();
  expect(addresses.current()).toEqual(['http://10.9.0.1:8080']);
  reply(found('fd00:0:0:0:0:0:0:1'));
  await expect.poll(addresses.current, PATIENCE).toEqual(['http://[fd00::1]:8080']);
});

it('renew looks the name up, once for all who ask, and sees what has changed since the last look-up', async () => {
  const { server, addresses, reply } = await withAnswer(found('10.9.0.1'), 3_600_000);
  await addresses.renew();
  expect(addresses.current()).toEqual(['http://10.9.0.1:8080']);
  reply(found('10.9.0.2'));
  await Promise.all(Array.from({ length: 50 }, () => addresses.renew()));
  expect(addresses.current()).toEqual(['http://10.9.0.2:8080']);
  expect(server.asked.length).toBe(2);
});

it('renew waits no longer than a second for a silent name server', async () => {
  const { addresses } = await withAnswer('silent');
  await addresses.renew();
  expect(addresses.current()).toEqual([]);
});

it('the number of known addresses is a metric', async () => {
  const { addresses } = await withAnswer(found('10.9.0.1', '10.9.0.2'));
  await addresses.renew();
  expect(registry.render()).toContain('rpc_endpoints{peer="echo"} 2\n');
});
