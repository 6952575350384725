import { beforeAll, describe, expect, inject, it } from 'vitest';
import { isFelt, startLoad, tally, violations } from './support/load.ts';
import type { Load } from './support/load.ts';
import { freeze, kill, processOf, terminate, untilReplaced } from './support/processes.ts';
import { isHit } from './support/selection.ts';
import { executeRoute, prepareConnection, readRoutes } from './support/traffic.ts';

const stack = inject('stack');

const FREEZE_MS = 10_000;
/** Measured from the restart; the process may still be starting then. */
const RECOVERY_LIMIT_MS = 120_000;

let connectionId: number;
beforeAll(async () => {
  connectionId = await prepareConnection(stack);
});

function startTraffic(): Load {
  return startLoad({
    baseUrl: stack.baseUrl,
    apiKey: stack.account.apiKey,
    routes: [...readRoutes(connectionId), executeRoute(connectionId)],
    callers: 14,
    pauseMs: 25,
  });
}

const programs = [
  { name: 'catalog', program: 'services/catalog/src/main.ts' },
  { name: 'connections', program: 'services/connections/src/main.ts' },
  { name: 'tools', program: 'services/tools/src/main.ts' },
  { name: 'gateway', program: 'services/gateway/src/main.ts' },
  { name: 'mongod', program: 'mongod\0' },
  // No request waits for it.
  { name: 'nats-server', program: 'nats-server\0' },
];

/** Makes calls while `fault` hits the oldest process of the program, and until every route succeeds again. */
async function expectCalmUnderLoad(
  name: string,
  program: string,
  fault: (victim: number) => Promise<void>,
): Promise<Load> {
  const load = startTraffic();
  try {
    await load.untilWell(RECOVERY_LIMIT_MS);
    await fault(processOf(stack, program));
    await load.untilWell(RECOVERY_LIMIT_MS);
  } finally {
    await load.stop();
    console.log(name, tally(load.outcomes));
  }
  expect(violations(load.outcomes, name === 'gateway' ? { gatewayAwayMs: FREEZE_MS } : {})).toEqual([]);
  return load;
}

describe.each(programs)('$name', ({ name, program }) => {
  const WORKS_AGAIN = 'answers or clean refusals within the deadline, and works again unaided';

  const expectReplacedAfter = async (signal: (pid: number) => void): Promise<void> => {
    await expectCalmUnderLoad(name, program, async (victim) => {
      signal(victim);
      await untilReplaced(stack, program, victim);
    });
  };

  it(`kill -9: ${WORKS_AGAIN}`, () => expectReplacedAfter(kill));

  it.runIf(isHit(name))(`a restart: ${WORKS_AGAIN}`, () => expectReplacedAfter(terminate));

  it.runIf(isHit(name))(`frozen for 10 s: ${WORKS_AGAIN}`, async () => {
    const { outcomes } = await expectCalmUnderLoad(name, program, (victim) => freeze(victim, FREEZE_MS));
    expect(isFelt(outcomes)).toBe(name !== 'nats-server');
  });
});
