import { setTimeout as delay } from 'node:timers/promises';
import { generateApiKey } from '@fairlead/access/api-key';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { isFelt, startLoad, tally, violations } from './support/load.ts';
import type { Outcome } from './support/load.ts';
import type { LinkState } from '@fairlead/service-kit/testing/network';
import { isHit } from './support/selection.ts';
import { prepareConnection, readRoutes } from './support/traffic.ts';
import { startTwinGateway } from './support/twin.ts';
import type { GatewayLinks, TwinGateway } from './support/twin.ts';

const stack = inject('stack');

const RECOVERY_LIMIT_MS = 120_000;
const FELT = { timeout: 120_000, interval: 100 };

let gateway: TwinGateway;
let connectionId: number;
beforeAll(async () => {
  connectionId = await prepareConnection(stack);
  gateway = await startTwinGateway(stack);
});
afterAll(() => gateway.close());

async function isReady(): Promise<boolean> {
  return (await fetch(`${gateway.baseUrl}/readyz`)).ok;
}

/** Whether the gateway can look up an uncached key: identity reports that it does not exist. */
async function looksUpKeys(): Promise<boolean> {
  const headers = { 'x-api-key': generateApiKey().reveal() };
  return (await fetch(`${gateway.baseUrl}/v1/auth/whoami`, { headers })).status === 401;
}

/** Whether the gateway can read its own database. */
async function readsAuditLog(): Promise<boolean> {
  const headers = { 'x-api-key': stack.account.apiKey };
  return (await fetch(`${gateway.baseUrl}/admin/v1/audit?top=1`, { headers })).ok;
}

/**
 * Calls that fail without a dependency that the load itself does not need: the load was authenticated before, and its budgets are leased.
 */
const NEEDED_BY: Partial<Record<keyof GatewayLinks, () => Promise<boolean>>> = {
  identity: looksUpKeys,
  mongod: readsAuditLog,
};

/** Whether one of these calls has failed or waited, or a call that needs the dependency fails now. */
async function isMissed(name: keyof GatewayLinks, outcomes: readonly Outcome[]): Promise<boolean> {
  return isFelt(outcomes) || (await NEEDED_BY[name]?.()) === false;
}

const names: readonly (keyof GatewayLinks)[] = [
  'identity',
  'catalog',
  'connections',
  'tools',
  'mongod',
  'nats',
];

describe.each(names.filter(isHit))('the link from the gateway to %s', (name) => {
  it.each<{ how: string; state: LinkState; forMs: number }>([
    { how: 'refused', state: { kind: 'refuse' }, forMs: 1_000 },
    { how: 'reset', state: { kind: 'reset' }, forMs: 1_000 },
    { how: 'slow', state: { kind: 'pass', delayMs: 200 }, forMs: 1_000 },
    // Above the deadline, so that only the gateway's own clock ends these calls.
    { how: 'a black hole', state: { kind: 'blackHole' }, forMs: 9_000 },
  ])(
    '$how: clean refusals within the deadline, and answers once it is whole',
    async ({ how, state, forMs }) => {
      const load = startLoad({
        baseUrl: gateway.baseUrl,
        apiKey: stack.account.apiKey,
        routes: readRoutes(connectionId),
        callers: 12,
        pauseMs: 25,
      });
      let wasReady = false;
      try {
        await load.untilWell(RECOVERY_LIMIT_MS);
        const from = load.outcomes.length;
        await gateway.links[name].set(state);
        await delay(forMs);
        wasReady = await isReady();
        // Nothing depends on messages.
        const isQuiet = how === 'slow' || name === 'nats';
        await expect
          .poll(async () => isQuiet || (await isMissed(name, load.outcomes.slice(from))), FELT)
          .toBe(true);
        await gateway.links[name].set({ kind: 'pass' });
        await load.untilWell(RECOVERY_LIMIT_MS);
      } finally {
        await load.stop();
        console.log(name, state, tally(load.outcomes));
      }
      expect(violations(load.outcomes)).toEqual([]);
      // The cut-off replica stays ready and answers 503 itself; other replicas could do no better.
      expect(wasReady).toBe(true);
    },
  );
});
