import { expect, it, onTestFinished } from 'vitest';
import { captureLog } from '../../testing/log-lines.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { OpenAddresses } from '../reported-addresses.ts';

/** The discovery of one service's replicas, initially none. */
export interface ReplicaPlace {
  /** Sets the IPv4 addresses of the replicas. */
  replace(hosts: readonly string[]): Promise<void>;
  /** Opens the addresses, with port 8080. */
  open(log: Logger): OpenAddresses;
}

/** Time limit of a look-up in a running cluster. */
const PATIENCE = { timeout: 90_000, interval: 20 };

/** The test suite of every source of live addresses. `start` creates a new service. */
export function liveAddressesSuite(start: () => Promise<ReplicaPlace>): void {
  async function openAddresses() {
    const place = await start();
    const { log, lines } = captureLog();
    const addresses = place.open(log);
    onTestFinished(() => addresses.close());
    const expectHosts = (...hosts: string[]) =>
      expect
        .poll(() => addresses.current().toSorted(), PATIENCE)
        .toEqual(hosts.map((host) => `http://${host}:8080`));
    return { place, addresses, expectHosts, lines };
  }

  it('addresses are known soon after the open, without a call', async () => {
    const place = await start();
    await place.replace(['10.9.0.1', '10.9.0.2']);
    const addresses = place.open(captureLog().log);
    onTestFinished(() => addresses.close());
    // In a cluster, this takes longer than a call waits.
    await expect
      .poll(async () => {
        await addresses.renew();
        return addresses.current();
      }, PATIENCE)
      .toHaveLength(2);
    expect(addresses.current().toSorted()).toEqual(['http://10.9.0.1:8080', 'http://10.9.0.2:8080']);
  });

  it('a service without replicas has no address until the first appears', async () => {
    const { place, addresses, expectHosts } = await openAddresses();
    await addresses.renew();
    expect(addresses.current()).toEqual([]);
    await place.replace(['10.9.0.1']);
    await expectHosts('10.9.0.1');
  });

  it('each change is told once and logged with its addresses', async () => {
    const { place, addresses, expectHosts, lines } = await openAddresses();
    await place.replace(['10.9.0.1', '10.9.0.2']);
    await expectHosts('10.9.0.1', '10.9.0.2');
    let changes = 0;
    const unsubscribe = addresses.subscribe(() => (changes += 1));
    await place.replace(['10.9.0.2', '10.9.0.3']);
    await expectHosts('10.9.0.2', '10.9.0.3');
    expect(changes).toBe(1);
    unsubscribe();
    await place.replace(['10.9.0.2']);
    await expectHosts('10.9.0.2');
    expect(changes).toBe(1);
    expect(lines()).toContainEqual(
      expect.objectContaining({
        msg: 'the addresses of a service have changed',
        peer: 'echo',
        added: ['http://10.9.0.3:8080'],
        removed: ['http://10.9.0.1:8080'],
        known: 2,
      }),
    );
  });
}
