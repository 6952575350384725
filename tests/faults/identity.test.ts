import { setTimeout as delay } from 'node:timers/promises';
import { generateApiKey } from '@fairlead/access/api-key';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import {
  authorizeRoute,
  byKey,
  byToken,
  codeSteps,
  createIdentityAccount,
  credentialsRoute,
  credentialsSteps,
  newKeySteps,
  refreshSteps,
  signIn,
  whoamiRoute,
} from './support/identity-clients.ts';
import type { IdentityAccount } from './support/identity-clients.ts';
import { SLACK_MS, startCallers, tally } from './support/load.ts';
import type { Load, Outcome, Steps } from './support/load.ts';
import { failedCalls } from './support/logs.ts';
import {
  keepKilled,
  kill,
  allOf,
  processesOf,
  terminate,
  untilReplaced,
  untilServing,
} from './support/processes.ts';
import { isEverything, isHit } from './support/selection.ts';

const stack = inject('stack');

const PROGRAM = 'services/identity/src/main.ts';
const RESTARTS = 4;
const KILLS = 3;
const WARM_UP_MS = 120_000;
/** The launcher waits up to 5 s before it restarts a process that has died several times. */
const RECOVERY_LIMIT_MS = 120_000;
/**
 * Limits without identity: a gateway that may have missed a change uses its cache for 2 s, otherwise for 30 s; everything: as long as two
 * unanswered sign-in pages take.
 */
const AWAY_MS = isEverything ? 45_000 : 10_000;
const POLL_MS = 50;

/** An account whose data never changes, because a change drops cached entries. */
let calm: IdentityAccount;
let calmToken: string;
let busy: IdentityAccount;
beforeAll(async () => {
  calm = await createIdentityAccount();
  calmToken = (await signIn(calm)).tokens.access_token;
  busy = await createIdentityAccount();
});

const replicas = (): readonly number[] => processesOf(stack, PROGRAM);

/** All ways to get a credential and to call with it, one client each. */
async function startClients(): Promise<Load> {
  const callers: Steps[] = [
    (send) => send(whoamiRoute('known key', byKey(calm.apiKey))),
    (send) => send(whoamiRoute('known token', byToken(calmToken))),
    newKeySteps(busy),
    newKeySteps(busy),
    refreshSteps(busy, await signIn(busy)),
    refreshSteps(busy, await signIn(busy)),
    refreshSteps(busy, await signIn(busy)),
    credentialsSteps(busy),
    credentialsSteps(busy),
    codeSteps(busy, await signIn(busy)),
    codeSteps(busy, await signIn(busy)),
  ];
  return startCallers({
    baseUrl: stack.baseUrl,
    callers,
    kinds: [
      'GET whoami, known key',
      'GET whoami, known token',
      'GET whoami, new key',
      'GET whoami, new token',
      'POST /oauth/token, refresh_token',
      'POST /oauth/token, client_credentials',
      'POST /oauth/token, authorization_code',
    ],
    pauseMs: 10,
  });
}

const isFailed = ({ status }: Outcome): boolean => status < 200 || status >= 400;
const describeOutcome = ({ route, status, durationMs, failure, body }: Outcome): unknown => [
  `${route.name} after ${Math.round(durationMs)} ms`,
  status,
  failure ?? body,
];

it('both replicas are restarted in turn, again and again: no call of a client fails', async () => {
  const running = await allOf(stack, PROGRAM);
  expect(running).toHaveLength(2);
  await Promise.all(running.map(untilServing));
  const load = await startClients();
  try {
    await load.untilWell(WARM_UP_MS);
    for (let restart = 0; restart < RESTARTS; restart += 1) {
      // The oldest stops each time, so that both take turns.
      const [victim] = replicas();
      if (victim === undefined) throw new Error('No identity runs');
      terminate(victim);
      const running = await untilReplaced(stack, PROGRAM, victim);
      await Promise.all(running.map(untilServing));
    }
    await load.untilWell(WARM_UP_MS);
  } finally {
    await load.stop();
    console.log(`${RESTARTS} restarts`, tally(load.outcomes));
  }
  expect(failedCalls(load.outcomes)).toEqual([]);
});

it.runIf(isHit('identity'))(
  'kill -9 of one of two replicas, again and again: only POSTs that it was answering fail',
  async () => {
    const load = await startClients();
    try {
      await load.untilWell(WARM_UP_MS);
      for (let times = 0; times < KILLS; times += 1) {
        const [victim] = replicas();
        if (victim === undefined) throw new Error('No identity runs');
        kill(victim);
        const running = await untilReplaced(stack, PROGRAM, victim);
        // Meanwhile the other one gets all calls.
        await load.untilWell(WARM_UP_MS);
        await Promise.all(running.map(untilServing));
      }
    } finally {
      await load.stop();
      console.log(`${KILLS} kills`, tally(load.outcomes));
    }
    const failed = load.outcomes.filter(isFailed);
    expect(failed.filter(({ route }) => route.method === 'GET').map(describeOutcome)).toEqual([]);
    // At most one call per caller.
    expect(failed.length, JSON.stringify(failed.map(describeOutcome))).toBeLessThanOrEqual(11 * KILLS);
    // 504: documents in a killed replica's transaction stay locked until MongoDB aborts it (docs/operations.md).
    for (const { status } of failed) expect([0, 503, 504]).toContain(status);
  },
);

/** Calls that only identity can answer. */
const PROBES = {
  unknownKey: () => whoamiRoute('unknown key', byKey(generateApiKey().reveal())),
  token: () => credentialsRoute(busy),
  signInPage: () => authorizeRoute(busy, {}).route,
};

/**
 * Makes calls with known credentials, and probes, while all replicas of identity are unavailable (from `begin` until `end`) and afterwards.
 * Returns the probes that began and ended while it was unavailable.
 */
async function probeWithout(begin: () => void, end: () => Promise<void>): Promise<readonly Outcome[]> {
  const known: Steps = async (send) => {
    await send(whoamiRoute('known key', byKey(calm.apiKey)));
    await send(whoamiRoute('known token', byToken(calmToken)));
  };
  const mistypedKey = mistyped(calm.apiKey);
  const calls = startCallers({
    baseUrl: stack.baseUrl,
    // Enough calls that both gateways behind the balancer have cached the credentials.
    callers: Array.from({ length: 8 }, () => known),
    kinds: ['GET whoami, known key', 'GET whoami, known token'],
    pauseMs: 50,
  });
  const probed = [...Object.values(PROBES), () => whoamiRoute('mistyped key', byKey(mistypedKey))];
  const probes = startCallers({
    baseUrl: stack.baseUrl,
    callers: probed.map(
      (route): Steps =>
        (send) =>
          send(route()),
    ),
    kinds: ['POST /oauth/token, client_credentials', 'GET /oauth/authorize'],
    pauseMs: 100,
  });
  let from = 0;
  let until = 0;
  try {
    await calls.untilWell(WARM_UP_MS, 32);
    await probes.untilWell(WARM_UP_MS);
    begin();
    try {
      from = performance.now();
      await delay(AWAY_MS);
      const refused = (): readonly Outcome[] => probes.outcomes.filter(({ startedAt }) => startedAt >= from);
      while (new Set(refused().map(({ route }) => route.name)).size < probed.length) await delay(POLL_MS);
      until = performance.now();
    } finally {
      await end();
    }
    await probes.untilWell(RECOVERY_LIMIT_MS);
    await expect
      .poll(() => probes.outcomes.findLast(({ route }) => route.name.includes('unknown key'))?.status, {
        timeout: RECOVERY_LIMIT_MS,
      })
      .toBe(401);
  } finally {
    await Promise.all([calls.stop(), probes.stop()]);
    console.log('known', tally(calls.outcomes), 'probes', tally(probes.outcomes));
  }
  expect(calls.outcomes.filter(({ status }) => status !== 200).map(describeOutcome)).toEqual([]);
  const isMistyped = ({ route }: Outcome): boolean => route.name.includes('mistyped key');
  expect(new Set(probes.outcomes.filter(isMistyped).map(({ status }) => status))).toEqual(new Set([401]));
  const late = probes.outcomes.filter(({ durationMs, route }) => durationMs > route.deadlineMs + SLACK_MS);
  expect(late.map(describeOutcome)).toEqual([]);
  return probes.outcomes.filter(
    (it) => !isMistyped(it) && it.startedAt >= from && it.startedAt + it.durationMs <= until,
  );
}

/** A key with one changed character: its checksum is wrong. */
function mistyped(key: string): string {
  const last = key.endsWith('a') ? 'b' : 'a';
  return key.slice(0, -1) + last;
}

/** The distinct kinds and statuses of calls. */
const kindsOf = (outcomes: readonly Outcome[]): unknown[] =>
  [...new Set(outcomes.map(({ route, status }) => `${route.name}: ${status}`))].toSorted();

const REFUSED = [
  'GET /oauth/authorize: 503',
  'GET whoami, unknown key: 503',
  'POST /oauth/token, client_credentials: 503',
];

describe('while all replicas are away, known keys and tokens work, mistyped keys are 401, and what only identity can answer is 503', () => {
  it('[completion.names.2] after kill -9, and everything works again unaided', async () => {
    let killing: ReturnType<typeof keepKilled> | undefined;
    const refused = await probeWithout(
      () => {
        killing = keepKilled(stack, PROGRAM);
      },
      async () => killing?.stop(),
    );
    expect(kindsOf(refused)).toEqual(REFUSED);
  });

  it.runIf(isHit('identity'))('while they are frozen, and everything works again unaided', async () => {
    const frozen = replicas();
    const refused = await probeWithout(
      () => frozen.forEach((id) => process.kill(id, 'SIGSTOP')),
      () => {
        frozen.forEach((id) => process.kill(id, 'SIGCONT'));
        return Promise.resolve();
      },
    );
    expect(kindsOf(refused)).toEqual(REFUSED);
  });
});
