import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { verifyWebhook } from '@fairlead/sdk';
import { streamManager } from '@fairlead/service-kit/testing/nats';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { post } from './support/api.ts';
import { streamsFolder } from './support/backup.ts';
import { startEventSink } from './support/event-sink.ts';
import type { SinkOptions } from './support/event-sink.ts';
import { createDestination, createFirings } from './support/firings.ts';
import type { Firings } from './support/firings.ts';
import { judge } from './support/judge.ts';
import type { Case } from './support/judge.ts';
import { openLedger } from './support/ledger.ts';
import type { Ledger } from './support/ledger.ts';
import {
  freeze,
  keepKilled,
  kill,
  killAtRandom,
  processOf,
  allOf,
  terminate,
  untilReplaced,
  untilServing,
} from './support/processes.ts';
import { isEverything } from './support/selection.ts';

const stack = inject('stack');

const DELIVERY = 'services/delivery/src/main.ts';
const NATS = 'nats-server\0';
/** Duration of a claim. */
const LEASE_MS = 30_000;
const LONG = { timeout: 1_800_000 };

let ledger: Ledger;
beforeAll(async () => {
  ledger = await openLedger();
});
afterAll(() => ledger.close());

/** Firings under each fault. They are judged after all faults, so that all claims expire together. */
const opened: (Case & { readonly name: string; readonly inFlight: string[] })[] = [];

/** A trigger with one destination at its own receiver, which stays open until the end. */
async function open(
  name: string,
  {
    path = '/200/faults',
    members,
    ...o
  }: SinkOptions & { readonly path?: string; readonly members?: object } = {},
) {
  const sink = await startEventSink(o);
  const destinationId = await createDestination(sink.url + path, members);
  const inFlight: string[] = [];
  const one = { name, sink, path, destinationId, firings: await createFirings([destinationId]), inFlight };
  opened.push(one);
  return one;
}

/**
 * Call this after each fault that may kill a process, and before one that makes the store unavailable. It applies to everything opened so
 * far, because earlier firings may still be in delivery.
 */
async function noteInFlight(): Promise<void> {
  const note = async ({ destinationId, inFlight }: (typeof opened)[number]): Promise<void> =>
    void inFlight.push(...(await ledger.claimed(destinationId)));
  await Promise.all(opened.map(note));
}

/** Acknowledged calls before each fault, and after the last one. */
const BETWEEN_FAULTS = 100;
/** Limit of calls during a fault, so that a long fault leaves no backlog. */
const PAUSE_DURING_FAULT_MS = 500;

/** Fires sequentially during a fault; returns the number of calls. */
async function fireAndBreak(
  firings: Firings,
  breaks: readonly (() => Promise<unknown> | void)[],
): Promise<number> {
  const left = breaks.values();
  let fault = left.next();
  let isBroken = false;
  let from = 0;
  let broken = 0;
  const hasFired = (): boolean => !isBroken && firings.acknowledged.size >= from + BETWEEN_FAULTS;
  const next = async (): Promise<void> => {
    if (isBroken) await delay(PAUSE_DURING_FAULT_MS);
    if (!hasFired() || fault.done === true) return;
    isBroken = true;
    try {
      await fault.value();
      broken += 1;
    } finally {
      fault = left.next();
      from = firings.acknowledged.size;
      isBroken = false;
    }
  };
  await firings.fireUntil(() => hasFired() && fault.done === true, next);
  return broken;
}

/** Restarts the oldest replica of a service gracefully, and waits until all of them serve. */
async function restartOldest(program: string): Promise<void> {
  const [victim] = await allOf(stack, program);
  if (victim === undefined) throw new Error(`${program} has no process`);
  terminate(victim);
  const running = await untilReplaced(stack, program, victim);
  // For a gateway, the launcher itself waits until it is ready.
  if (!program.includes('gateway')) await Promise.all(running.map(untilServing));
}

/** Restarts a service's replicas gracefully, one after another. */
async function restart(program: string): Promise<void> {
  for (const _ of await allOf(stack, program)) await restartOldest(program);
}

it(
  'kill -9 of triggers and delivery at random: every event that was acknowledged arrives, each time with the same bytes',
  LONG,
  async () => {
    // Some are refused once, so that they reach the second step of the ladder.
    const { firings } = await open('kill -9', {
      statusOf: ({ attempt, number }) => (attempt === 1 && number % 25 === 7 ? 503 : undefined),
    });
    const count = isEverything ? 5_000 : 240;
    const done = (): number => firings.acknowledged.size;
    const kills = [
      killAtRandom(stack, 'services/triggers/src/main.ts', { per: isEverything ? 200 : 60, done }),
      killAtRandom(stack, DELIVERY, { per: isEverything ? 25 : 60, done, onKill: noteInFlight }),
    ];
    onTestFinished(async () => void (await Promise.all(kills.map((each) => each.stop()))));
    await firings.fireUntil(
      () => done() >= count,
      () => Promise.all(kills.map((each) => each.next())),
    );
    const killed = await Promise.all(kills.map((each) => each.stop()));
    console.log(`killed ${killed.join(' and ')} times`);
    expect(Math.min(...killed)).toBeGreaterThan(0);
  },
);

it(
  'SIGTERM of replicas of delivery while a sink takes 9 s: sends that have begun are finished',
  LONG,
  async () => {
    const { firings, sink } = await open('SIGTERM', { delayMs: 9_000 });
    for (let restart = 0; restart < (isEverything ? 9 : 1); restart += 1) {
      const before = sink.entries().length;
      for (let count = 0; count < 8; count += 1) await firings.fire();
      await expect.poll(() => sink.entries().length, { timeout: 120_000 }).toBeGreaterThan(before);
      await restartOldest(DELIVERY);
    }
  },
);

it('the stream is deleted and nats-server killed while events are captured', LONG, async () => {
  const { firings } = await open('stream deleted, nats-server killed');
  const { streams } = await streamManager(stack.natsUrl);
  const faults = [() => streams.delete('TRIGGER_EVENTS'), () => kill(processOf(stack, NATS))];
  expect(await fireAndBreak(firings, faults)).toBe(faults.length);
});

it(
  'failures in a row disable a destination whose replicas are killed, as if nothing had happened',
  LONG,
  async () => {
    const members = { maxConsecutiveFailures: 30 };
    const { firings, destinationId } = await open('refusals', { path: '/410/faults', members });
    const isDisabled = async (): Promise<boolean> =>
      (await ledger.destination(destinationId)).disabledReason !== null;
    let kills = 0;
    await firings.fireUntil(
      () => firings.acknowledged.size >= 60,
      async () => {
        if (firings.acknowledged.size < 10 * (kills + 1) || kills === 2) return;
        kills += 1;
        kill(processOf(stack, DELIVERY));
        await noteInFlight();
      },
    );
    await expect.poll(isDisabled, { timeout: 120_000, interval: 200 }).toBe(true);
  },
);

it.runIf(isEverything)('every service is restarted in order, one replica after the other', LONG, async () => {
  const { firings } = await open('rolling restart');
  const services = ['delivery', 'triggers', 'identity', 'catalog', 'connections', 'tools', 'gateway'];
  const restarts = services.map((name) => () => restart(`services/${name}/src/main.ts`));
  expect(await fireAndBreak(firings, restarts)).toBe(restarts.length);
});

it.runIf(isEverything)(
  'the stream is full, the ledger is behind, and nats-server has lost its data',
  LONG,
  async () => {
    const { firings } = await open('stream full, behind, wiped');
    const { streams } = await streamManager(stack.natsUrl);
    const published = async (): Promise<number> => (await streams.info('TRIGGER_EVENTS')).state.last_seq;
    const isFull = async (): Promise<void> => {
      await streams.update('TRIGGER_EVENTS', { max_msgs: 1 });
      await noteInFlight();
      await keepAway(DELIVERY, 20_000);
      await streams.update('TRIGGER_EVENTS', { max_msgs: -1 });
    };
    const isBehind = async (): Promise<void> => {
      const replicas = await allOf(stack, DELIVERY);
      await noteInFlight();
      const [before, acknowledged] = [await published(), firings.acknowledged.size];
      await Promise.all(replicas.map((id) => freeze(id, LEASE_MS + 40_000)));
      // Nothing is republished just because the ledger is behind. Just captured events may still arrive.
      const fired = firings.acknowledged.size - acknowledged;
      expect((await published()) - before).toBeLessThanOrEqual(fired + BETWEEN_FAULTS);
    };
    const isWiped = async (): Promise<void> => {
      const folder = streamsFolder();
      const away = keepKilled(stack, NATS);
      await delay(2_000);
      rmSync(folder, { recursive: true });
      await away.stop();
    };
    const faults = [isFull, isBehind, isWiped];
    expect(await fireAndBreak(firings, faults)).toBe(faults.length);
  },
);

it('the same call, made a hundred times at once, is captured once', LONG, async () => {
  const sink = await startEventSink();
  onTestFinished(() => sink.close());
  const firings = await createFirings([await createDestination(`${sink.url}/200/same`)]);
  const headers = { 'content-type': 'application/json', 'idempotency-key': 'at-once' };
  const body = JSON.stringify({ number: -1 });
  const answers = await Promise.all(
    Array.from({ length: 100 }, async () => {
      const answer = await fetch(firings.inboundUrl, { method: 'POST', headers, body });
      return { status: answer.status, body: await answer.text() };
    }),
  );
  const captured = answers.filter(({ status }) => status === 202);
  expect(captured.length).toBeGreaterThan(0);
  expect(new Set(captured.map((each) => each.body)).size).toBe(1);
  // Only calls beyond the second's budget are refused.
  expect(answers.filter(({ status }) => ![202, 429].includes(status))).toEqual([]);
  await expect.poll(() => sink.entries().length, { timeout: 120_000, interval: 200 }).toBe(1);
  expect([...(await ledger.eventsOf(firings.triggerId)).values()]).toEqual([-1]);
});

/** Keeps the program from running for `ms`, so that connections to it are refused. */
async function keepAway(program: string, ms: number): Promise<void> {
  const away = keepKilled(stack, program);
  try {
    await delay(ms);
  } finally {
    await away.stop();
  }
}

it.runIf(isEverything)(
  'mongod and nats-server are killed, frozen, stepped down and kept away',
  LONG,
  async () => {
    const { firings } = await open('mongod and nats-server');
    const stepDown = async (): Promise<void> => {
      const mongo = await MongoClient.connect(stack.mongodbUri);
      await mongo.db('admin').command({ replSetStepDown: 5, force: true });
      await mongo.close();
    };
    const mongod = () => processOf(stack, 'mongod\0');
    const onFault = async (fault: () => Promise<unknown> | void): Promise<void> => {
      await noteInFlight();
      await fault();
      await noteInFlight();
    };
    const faults = [
      () => onFault(() => kill(mongod())),
      () => onFault(() => freeze(mongod(), 30_000)),
      () => onFault(stepDown),
      () => onFault(() => freeze(processOf(stack, NATS), 90_000)),
      () => onFault(() => keepAway(NATS, 90_000)),
    ];
    expect(await fireAndBreak(firings, faults)).toBe(faults.length);
  },
);

it.runIf(isEverything)('a replica of delivery is stopped until 40 s after its claims', LONG, async () => {
  const { firings } = await open('frozen replica', { delayMs: 50 });
  const freezeOne = async (): Promise<void> => {
    const frozen = freeze(processOf(stack, DELIVERY), LEASE_MS + 40_000);
    await noteInFlight();
    await frozen;
  };
  expect(await fireAndBreak(firings, [freezeOne])).toBe(1);
});

const rotated = z.object({ signingSecret: z.string() });

it(
  'once a rotation is answered, no replica begins a request that is signed with the former secret',
  LONG,
  async () => {
    const seen: { readonly sentAtMs: number; readonly header: string; readonly body: Buffer }[] = [];
    const { firings, destinationId } = await open('rotations', {
      onRequest: (headers, body) =>
        void seen.push({
          sentAtMs: Number(headers['webhook-timestamp']) * 1_000,
          header: String(headers['fairlead-signature']),
          body,
        }),
    });
    // The previous test has killed some.
    await Promise.all((await allOf(stack, DELIVERY)).map(untilServing));
    const path = `/v1/triggers/destinations/${destinationId}/rotate-secret`;
    const secrets: { readonly answeredAtMs: number; readonly secret: string }[] = [];
    const rotate = async (): Promise<void> => {
      const { signingSecret } = rotated.parse((await post(path, {})).body);
      secrets.push({ answeredAtMs: Date.now(), secret: signingSecret });
    };
    await rotate();
    const rotations = isEverything ? 20 : 3;
    const pause = () => delay(10);
    const firing = firings.fireUntil(() => secrets.length > rotations, pause);
    while (secrets.length <= rotations) {
      const { answeredAtMs = 0 } = secrets.at(-1) ?? {};
      await expect
        .poll(() => seen.some(({ sentAtMs }) => sentAtMs >= answeredAtMs), { timeout: 120_000 })
        .toBe(true);
      await rotate();
    }
    await firing;
    for (const { sentAtMs, header, body } of seen) {
      const latest = secrets.findLastIndex(({ answeredAtMs }) => answeredAtMs <= sentAtMs);
      const possible = secrets.slice(Math.max(0, latest));
      expect(possible.some(({ secret }) => isSignedWith(secret, header, body))).toBe(true);
    }
  },
);

it(
  'no acknowledged event is lost under any of these faults, and only sends in flight are repeated',
  LONG,
  async () => {
    const fates = await Promise.all(
      opened.map(async ({ name, ...one }) => ({ name, ...(await judge(ledger, one)) })),
    );
    console.table(fates);
    for (const { sink } of opened) sink.close();
    expect(fates.filter(({ lost }) => lost > 0)).toEqual([]);
    expect(fates.flatMap(({ unexplained }) => unexplained)).toEqual([]);
    expect(fates.filter(({ duplicates, inFlight }) => duplicates > inFlight)).toEqual([]);
    expect(fates.filter(({ isDisabled }) => isDisabled).map(({ name }) => name)).toEqual(
      opened.map(({ name }) => name).filter((name) => name === 'refusals'),
    );
  },
);

function isSignedWith(secret: string, header: string, body: Buffer): boolean {
  try {
    verifyWebhook(body, header, secret, { toleranceSeconds: 3_600 });
    return true;
  } catch {
    return false;
  }
}
