import { describe, expect, it, onTestFinished } from 'vitest';
import { captureLog } from '../testing/log-lines.ts';
import { podApiServer } from './api-server.ts';
import { openKubernetesAddresses } from './kubernetes-addresses.ts';
import { startKubernetesDouble } from './testing/kubernetes-double.ts';
import { useRealCluster } from './testing/real-cluster.ts';
import { liveAddressesSuite } from './testing/live-addresses-suite.ts';

const SETTING = { kind: 'kubernetes', service: 'echo', namespace: 'default', port: 8080 } as const;
const PATIENCE = { timeout: 90_000, interval: 20 };

/** A slice in which each host is an endpoint without conditions. */
const slice = (name: string, ...hosts: string[]) => ({
  metadata: { name },
  addressType: 'IPv4',
  endpoints: hosts.map((host) => ({ addresses: [host] })),
});

async function start() {
  const double = await startKubernetesDouble();
  const log = captureLog();
  const addresses = openKubernetesAddresses(SETTING, { service: 'echo', log: log.log, api: double.api });
  onTestFinished(() => addresses.close());
  const expectHosts = (...hosts: string[]) =>
    expect
      .poll(() => addresses.current().toSorted(), PATIENCE)
      .toEqual(hosts.map((host) => `http://${host}:8080`));
  const lists = () => double.requests.filter((url) => !url.includes('watch=')).length;
  const watches = () => double.requests.filter((url) => url.includes('watch=')).length;
  return { double, addresses, expectHosts, lists, watches, ...log };
}

describe('live addresses', () => {
  liveAddressesSuite(async () => {
    const double = await startKubernetesDouble();
    return {
      replace(hosts) {
        double.put('echo', slice('echo-1', ...hosts));
        return Promise.resolve();
      },
      open: (log) => openKubernetesAddresses(SETTING, { service: 'echo', log, api: double.api }),
    };
  });
});

// The test creates a namespace and deletes it afterwards, so KUBECONFIG alone does not enable it.
describe.runIf(process.env['TEST_CLUSTER'] === '1')('live addresses in the cluster of KUBECONFIG', () => {
  liveAddressesSuite(async () => {
    const { api, namespace, put } = await useRealCluster();
    return {
      replace: (hosts) => put('echo', hosts),
      open: (log) => openKubernetesAddresses({ ...SETTING, namespace }, { service: 'echo', log, api }),
    };
  });
});

describe('endpoints', () => {
  it('of all slices of the service count, each once, and of no other service', async () => {
    const { double, expectHosts } = await start();
    double.put('echo', slice('echo-1', '10.9.0.1', '10.9.0.2'));
    double.put('echo', slice('echo-2', '10.9.0.2', '10.9.0.3'));
    double.put('other', slice('other-1', '10.9.0.4'));
    await expectHosts('10.9.0.1', '10.9.0.2', '10.9.0.3');
    double.remove('echo', 'echo-1');
    await expectHosts('10.9.0.2', '10.9.0.3');
    double.put('echo', { ...slice('echo-2'), endpoints: null });
    await expectHosts();
  });

  it('that are not ready or terminate are left out', async () => {
    const { double, expectHosts } = await start();
    double.put('echo', {
      ...slice('echo-1'),
      endpoints: [
        { addresses: ['10.9.0.1'], conditions: { ready: true } },
        { addresses: ['10.9.0.2'], conditions: { ready: false, serving: false } },
        { addresses: ['10.9.0.3'], conditions: { ready: true, serving: true, terminating: true } },
        { addresses: ['10.9.0.4', '10.9.0.5'], conditions: {} },
      ],
    });
    await expectHosts('10.9.0.1', '10.9.0.4');
  });

  it('that terminate and still serve are used if no other is left', async () => {
    const { double, expectHosts } = await start();
    double.put('echo', {
      ...slice('echo-1'),
      endpoints: [
        { addresses: ['10.9.0.1'], conditions: { ready: false, serving: true, terminating: true } },
        { addresses: ['10.9.0.2'], conditions: { ready: false, serving: false, terminating: true } },
      ],
    });
    await expectHosts('10.9.0.1');
  });

  it('of a service with both families count once, by IPv4', async () => {
    const { double, expectHosts } = await start();
    double.put('echo', { ...slice('echo-6', 'fd00::1'), addressType: 'IPv6' });
    await expectHosts('[fd00::1]');
    double.put('echo', slice('echo-4', '10.9.0.1'));
    await expectHosts('10.9.0.1');
  });
});

describe('a watch', () => {
  it('that ends is continued from the last version, which a bookmark renews', async () => {
    const { double, expectHosts, lists, watches } = await start();
    await expect.poll(watches, PATIENCE).toBe(1);
    double.put('echo', slice('echo-1', '10.9.0.1'));
    await expectHosts('10.9.0.1');
    double.put('other', slice('other-1', '10.9.0.9'));
    double.bookmark();
    const before = watches();
    // Without the bookmark, the version of the watch would be too old.
    double.compact();
    double.endWatches('end');
    await expect.poll(watches, PATIENCE).toBeGreaterThan(before);
    double.put('echo', slice('echo-1', '10.9.0.2'));
    await expectHosts('10.9.0.2');
    expect(lists()).toBe(1);
  });

  it('whose version is too old (410) begins again with a list', async () => {
    const { double, expectHosts, lists, watches, lines } = await start();
    await expect.poll(watches, PATIENCE).toBe(1);
    double.put('echo', slice('echo-1', '10.9.0.1'));
    await expectHosts('10.9.0.1');
    double.put('other', slice('other-1', '10.9.0.9'));
    double.compact();
    double.endWatches('end');
    await expect.poll(lists, PATIENCE).toBe(2);
    double.put('echo', slice('echo-1', '10.9.0.2'));
    await expectHosts('10.9.0.2');
    expect(lines().filter(({ level }) => level === 'warn')).toHaveLength(1);
  });

  it('that breaks while replicas change catches up', async () => {
    const { double, expectHosts, watches } = await start();
    await expect.poll(watches, PATIENCE).toBe(1);
    double.put('echo', slice('echo-1', '10.9.0.1'));
    await expectHosts('10.9.0.1');
    double.answerWith(503);
    double.endWatches('cut');
    double.put('echo', slice('echo-1', '10.9.0.2'));
    double.answerWith(200);
    await expectHosts('10.9.0.2');
  });
});

it('while the API server is away, the last known addresses stay; one line says so, and one that it is back', async () => {
  const { double, addresses, expectHosts, lists, watches, lines } = await start();
  await expect.poll(watches, PATIENCE).toBe(1);
  double.put('echo', slice('echo-1', '10.9.0.1'));
  await expectHosts('10.9.0.1');
  double.answerWith(503);
  double.endWatches('cut');
  await expect.poll(lists, PATIENCE).toBeGreaterThan(3);
  expect(addresses.current()).toEqual(['http://10.9.0.1:8080']);
  expect(lines().filter(({ level }) => level === 'warn')).toHaveLength(1);
  double.answerWith(200);
  await expect
    .poll(() => lines().map(({ msg }) => msg), PATIENCE)
    .toContain('the addresses of a service are watched again');
});

it('the token is read again for each request, because it is replaced', async () => {
  const { double, expectHosts, watches } = await start();
  await expect.poll(watches, PATIENCE).toBe(1);
  double.rotateToken('second');
  double.endWatches('cut');
  double.put('echo', slice('echo-1', '10.9.0.1'));
  await expectHosts('10.9.0.1');
});

it('outside a cluster, the error names the variable that is missing', () => {
  expect(() => podApiServer({})).toThrow('KUBERNETES_SERVICE_HOST is not set');
  const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '6443' };
  expect(podApiServer(env).url).toBe('https://[fd00::1]:6443');
});
