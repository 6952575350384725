import type { Connector } from '@fairlead/connector-model/model';
import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { describe, expect, it } from 'vitest';
import { testConnector } from '../testing/connectors.ts';
import type { PlatformStore } from '../ports/platform-store.ts';
import { loadPlatform } from './load-platform.ts';

/** Loads the platform repeatedly on one store in memory. */
function setUp() {
  const clock = new ManualClock(new Date('2026-01-05T00:00:00.000Z'));
  const stored = new Map<string, { hash: string; createdAt: Date; updatedAt: Date }>();
  const store: PlatformStore = {
    recordAll(hashes, now) {
      for (const [slug, hash] of hashes) {
        const known = stored.get(slug);
        if (known?.hash === hash) continue;
        stored.set(slug, { hash, createdAt: known?.createdAt ?? now, updatedAt: now });
      }
      return Promise.resolve(stored);
    },
  };
  const load = (connectors: readonly Connector[], settings: Parameters<typeof loadPlatform>[2] = {}) => {
    clock.advance(1_000);
    return loadPlatform({ store, clock, log: testContext().log }, connectors, settings);
  };
  return { load, clock };
}

const hosted = testConnector('hosted', { settings: ['baseUrl'], baseUrl: '{{setting.baseUrl}}' });

describe('loadPlatform', () => {
  it('fills in the operator’s settings and omits a connector that lacks one', async () => {
    const { load } = setUp();
    const { applications } = await load([testConnector('crm'), hosted], { hosted: { baseUrl: 'http://h' } });
    expect(applications.map(({ connector }) => connector.baseUrl)).toEqual([
      'https://api.example.com',
      'http://h',
    ]);
    const without = await load([testConnector('crm'), hosted]);
    expect(without.applications.map(({ connector }) => connector.slug)).toEqual(['crm']);
  });

  it('reports whether an application is new or has changed since the last load', async () => {
    const { load } = setUp();
    expect((await load([testConnector('crm')])).isChanged).toBe(true);
    expect((await load([testConnector('crm')])).isChanged).toBe(false);
    expect((await load([testConnector('crm', { name: 'New' })])).isChanged).toBe(true);
    expect((await load([])).isChanged).toBe(false);
  });

  it('does not treat a different address of the same application as a change', async () => {
    const { load, clock } = setUp();
    await load([hosted], { hosted: { baseUrl: 'http://one' } });
    const first = clock.now();
    const { applications, isChanged } = await load([hosted], { hosted: { baseUrl: 'http://two' } });
    expect(isChanged).toBe(false);
    expect(applications).toMatchObject([{ connector: { baseUrl: 'http://two' }, updatedAt: first }]);
  });
});
