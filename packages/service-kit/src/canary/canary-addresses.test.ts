import { expect, it, onTestFinished, vi } from 'vitest';
import { startNameServer } from '../testing/name-server.ts';
import { captureLog } from '../testing/log-lines.ts';
import { canarySetting, openCanaryAddresses } from './canary-addresses.ts';
import { createConfigurableCanaries } from './canaries.ts';
import type { CanaryRule } from './rules.ts';

const LIMIT = { timeout: 90_000 };
const rule: CanaryRule = { mode: 'gateway', weight: 10, accounts: [], headers: [], salt: 'f' };

it('the addresses of a canary follow from those of its service', () => {
  const dns = {
    kind: 'dns',
    name: 'f-tools.ns.svc.cluster.local',
    port: 8080,
    nameServer: undefined,
  } as const;
  expect(canarySetting(dns)).toEqual({ ...dns, name: 'f-tools-canary.ns.svc.cluster.local' });
  const kubernetes = { kind: 'kubernetes', service: 'f-tools', namespace: 'ns', port: 8080 } as const;
  expect(canarySetting(kubernetes)).toEqual({ ...kubernetes, service: 'f-tools-canary' });
  expect(canarySetting(['http://tools:8080'])).toBeUndefined();
});

it('they are looked up while there are rules, and there are none as soon as no replica has one', async () => {
  let hosts: readonly string[] = ['10.0.0.1'];
  const server = await startNameServer(() =>
    hosts.length === 0 ? 'missing' : { addresses: hosts, ttlSeconds: 30 },
  );
  const setting = { kind: 'dns', name: 'tools-canary.test', port: 80, nameServer: server.address } as const;
  const canaries = createConfigurableCanaries();
  const { log } = captureLog();
  const addresses = openCanaryAddresses(setting, { service: 'tools', canaries, log, everyMs: 20 });
  onTestFinished(() => addresses.close());
  const known = async (expected: readonly string[]): Promise<void> => {
    await vi.waitFor(() => expect(addresses.current()).toEqual(expected), LIMIT);
    expect(canaries.endpoints().get('tools')).toBe(expected.length);
  };
  await addresses.renew();
  expect(server.asked).toEqual([]);
  canaries.setRules(new Map([['tools', rule]]));
  await known(['http://10.0.0.1:80']);
  hosts = [];
  await known([]);
  hosts = ['10.0.0.2'];
  await known(['http://10.0.0.2:80']);
  canaries.setRules(new Map());
  await known([]);
});
