import {
  assert,
  asyncModelRun,
  asyncProperty,
  boolean,
  commands,
  constantFrom,
  nat,
  oneof,
  record,
} from 'fast-check';
import type { AsyncCommand } from 'fast-check';
import { systemTimers } from '@fairlead/service-kit/timers';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { outcomeOfStatus } from './domain/outcome.ts';
import type { AttemptOutcome } from './domain/outcome.ts';
import { deliveryCollection } from './storage/delivery.collection.ts';
import { destinationCollection } from './storage/destination.collection.ts';
import { eventCollection } from './storage/event.collection.ts';
import { performAttempt } from './use-cases/perform-attempt.ts';
import type { ClaimedDelivery } from './ports/delivery-store.ts';
import { keptSince } from './domain/event.ts';
import { DeliveryModel } from './testing/delivery-model.ts';
import type { Answer, ModelSend, Snapshot } from './testing/delivery-model.ts';
import { openTestLedger } from './testing/ledger.ts';
import type { TestLedger } from './testing/ledger.ts';

/** `MODEL_SEED=…` selects other runs, `MODEL_RUNS=…` their number. */
const SEED = Number(process.env['MODEL_SEED'] ?? 1);
const GIVEN_RUNS = process.env['MODEL_RUNS'];
const RUNS = Number(GIVEN_RUNS ?? 40);
/** On a busy machine, no run begins after this time, unless the number of runs is given. */
const TIME_MS = GIVEN_RUNS === undefined ? 20_000 : Infinity;
const COMMANDS = 60;

const LEASE_MS = 30_000;
const MAX_FAILURES = 3;
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await openTestLedger(inject('mongodbUri'));
});
afterAll(() => ledger.close());

/** The model with its sends and events; its destinations 0 and 1 are indexes of the real ones. */
interface ModelState {
  readonly model: DeliveryModel;
  readonly sends: ModelSend[];
  readonly events: string[];
}

/** The storage, with workers whose requests are answered in the order of the model's `sends`. */
class Ledger {
  readonly accountId: string;
  readonly destinationIds: readonly string[];
  readonly sends: { readonly answer: (outcome: AttemptOutcome) => Promise<void> }[] = [];
  readonly #errors: unknown[] = [];

  constructor(accountId: string, destinationIds: readonly string[]) {
    this.accountId = accountId;
    this.destinationIds = destinationIds;
  }

  /** Begins a claimed attempt; resolves when its request is sent, or when it ends without one. */
  async begin(claimed: ClaimedDelivery): Promise<void> {
    const sent = Promise.withResolvers<void>();
    const outcome = Promise.withResolvers<AttemptOutcome>();
    const deps = {
      ...ledger,
      timers: systemTimers,
      targets: ledger.targets,
      isStopping: () => false,
      metrics: { began: () => undefined, ended: () => undefined },
      settle: async (settlement: Parameters<TestLedger['deliveries']['settle']>[0][number]) => {
        const [result] = await ledger.deliveries.settle([settlement]).catch((error: unknown) => {
          this.#errors.push(error);
          throw error;
        });
        if (result === undefined) throw new Error('A settlement has no result.');
        return result;
      },
      send: () => {
        this.sends.push({
          async answer(given) {
            outcome.resolve(given);
            await done;
          },
        });
        sent.resolve();
        return outcome.promise;
      },
    };
    const create = async (): Promise<void> => {
      const { written } = await performAttempt(deps, claimed, Buffer.from('{}'));
      await written;
    };
    const done = create();
    await Promise.race([done, sent.promise]);
  }

  /** The stored documents in the model's terms. */
  async snapshot(): Promise<Snapshot> {
    if (this.#errors.length > 0) throw new AggregateError(this.#errors, 'An attempt was not written.');
    const { accountId } = this;
    const { store } = ledger;
    const destinations = await store.collection(destinationCollection).find({ accountId }).toArray();
    const deliveries = await store.collection(deliveryCollection).find({ accountId }).toArray();
    const events = await store.collection(eventCollection).find({ accountId }).toArray();
    const stateOf = new Map(deliveries.map(({ eventId, state }) => [eventId, state]));
    return {
      destinations: Object.fromEntries(
        destinations
          .filter(({ isDeleted }) => !isDeleted)
          .map(({ _id, disabledReason, deadStreak }) => [
            _id,
            {
              disabledBy:
                disabledReason === 'consecutiveFailures' ? 'failures' : (disabledReason ?? undefined),
              row: deadStreak.toSorted(),
            },
          ]),
      ),
      deliveries: Object.fromEntries(
        deliveries.map(({ _id, state, attempts, open }) => [
          _id,
          {
            state,
            attempts: attempts.map(({ state: how, error }) => ({ state: how, error })),
            open: open && {
              dueAt: open.dueAt.getTime(),
              isClaimed: open.claim !== null,
              lost: open.lostClaims,
              isReplayed: open.replayAfter !== undefined,
            },
          },
        ]),
      ),
      events: Object.fromEntries(
        events.map(({ _id, delivery }) => [
          _id,
          (delivery ?? stateOf.get(_id)) as Snapshot['events'][string],
        ]),
      ),
    };
  }
}

type Command = AsyncCommand<ModelState, Ledger>;

/** Runs a command on model and storage, if the model allows it, and compares the two. */
function command(
  name: string,
  run: (expected: ModelState, real: Ledger) => Promise<void>,
  isPossible: (expected: ModelState) => boolean = () => true,
): Command {
  return {
    check: isPossible,
    async run(expected, real) {
      await run(expected, real);
      expect(await real.snapshot()).toEqual(expected.model.snapshot());
    },
    toString: () => name,
  };
}

/** Begins in both the attempts that the storage has claimed; they must be due in the model. */
async function startAttempts(
  { model, sends }: ModelState,
  real: Ledger,
  claimed: readonly ClaimedDelivery[],
): Promise<void> {
  for (const each of claimed) {
    const send = model.begin(`${each.eventId}:${each.destinationId}`, each.open.claim.until.getTime());
    if (send !== undefined) sends.push(send);
    await real.begin(each);
    expect(real.sends).toHaveLength(sends.length);
  }
}

const capture = ({
  targets,
  isBornClaimed,
}: {
  targets: readonly number[];
  isBornClaimed: boolean;
}): Command =>
  command(`capture for ${targets.join()}${isBornClaimed ? ', claimed' : ''}`, async (expected, real) => {
    const ids = targets.map((at) => real.destinationIds[at] ?? '');
    const event = ledger.event(real.accountId, ids);
    const until = new Date(ledger.clock.now().getTime() + LEASE_MS);
    let claims = 0;
    const claimFor = () =>
      isBornClaimed ? { token: `${event.id} ${(claims += 1)}`, by: 'capturing', until } : null;
    const claimed = await ledger.deliveries.insert([event], claimFor);
    // Recording the same event again changes nothing.
    expect(await ledger.deliveries.insert([event], claimFor)).toEqual([]);
    expected.model.capture(event.id, ids);
    expected.events.push(event.id);
    await startAttempts(expected, real, claimed);
  });

const work = ({ at, limit }: { at: number; limit: number }): Command =>
  command(`a worker claims ${limit} for ${at}`, async (expected, real) => {
    const id = real.destinationIds[at] ?? '';
    // Workers ignore attempts that are due to a disabled destination.
    if (expected.model.destinations.get(id)?.disabledBy !== undefined) return;
    const now = ledger.clock.now();
    const until = new Date(now.getTime() + LEASE_MS);
    const due = expected.model.due(id);
    const claimed: ClaimedDelivery[] = [];
    for (const queue of [0, 1] as const)
      claimed.push(
        ...(await ledger.deliveries.claim({ destinationId: id, queue }, { now, until, by: 'worker', limit })),
      );
    const keys = claimed.map(({ eventId }) => `${eventId}:${id}`);
    expect(keys.filter((key) => !due.includes(key))).toEqual([]);
    expect(claimed.length).toBeGreaterThanOrEqual(Math.min(limit, due.length));
    await startAttempts(expected, real, claimed);
  });

const STATUS: Readonly<Record<Answer, number>> = { accepted: 204, unavailable: 503, refused: 410 };

const answer = ({ at, how }: { at: number; how: Answer }): Command =>
  command(
    `request ${at} is ${how}`,
    async ({ model, sends }, real) => {
      const place = at % sends.length;
      const [send] = sends.splice(place, 1);
      const [request] = real.sends.splice(place, 1);
      if (send !== undefined) model.answer(send, how);
      await request?.answer(outcomeOfStatus(STATUS[how], 1));
    },
    ({ sends }) => sends.length > 0,
  );

const replay = (at: number): Command =>
  command(
    `event ${at} is replayed`,
    async ({ model, events }, real) => {
      const eventId = events[at % events.length] ?? '';
      const now = ledger.clock.now();
      const outcome = await ledger.replays.replay(real.accountId, {
        eventId,
        otherwise: [],
        now,
        since: keptSince(now),
      });
      expect(outcome).toBe(model.replay(eventId) ? 'queued' : 'noDestination');
    },
    ({ events }) => events.length > 0,
  );

const enable = ({ at, isEnabled }: { at: number; isEnabled: boolean }): Command =>
  command(`${at} is ${isEnabled ? 'enabled' : 'disabled'}`, async ({ model }, real) => {
    const id = real.destinationIds[at] ?? '';
    await ledger.destinations.update(ledger.ctx, real.accountId, id, { isEnabled }, ledger.clock.now());
    model.enable(id, isEnabled);
  });

const remove = (at: number): Command =>
  command(`${at} is deleted`, async ({ model }, real) => {
    const id = real.destinationIds[at] ?? '';
    await ledger.destinations.delete(ledger.ctx, real.accountId, id, ledger.clock.now());
    model.delete(id);
  });

const keepUp = (at: number): Command =>
  command(`the upkeep of ${at} is done`, async ({ model }, real) => {
    const id = real.destinationIds[at] ?? '';
    await ledger.keepUp(id);
    model.keepUp(id);
  });

const pass = (ms: number): Command =>
  command(`${ms / SECOND_MS} s pass`, async ({ model }) => {
    ledger.clock.advance(ms);
    model.now = ledger.clock.now().getTime();
    await Promise.resolve();
  });

const place = nat(1);
const which = nat(20);
const answers = record({ at: which, how: constantFrom<Answer[]>('accepted', 'unavailable', 'refused') }).map(
  answer,
);
const works = record({ at: place, limit: constantFrom(1, 2, 10) }).map(work);
const passes = constantFrom(
  SECOND_MS,
  LEASE_MS,
  MINUTE_MS - 1,
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  HOUR_MS,
  6 * HOUR_MS,
  24 * HOUR_MS,
).map(pass);

const COMMANDS_OF_A_RUN = commands(
  [
    record({ targets: constantFrom([0], [1], [0, 1]), isBornClaimed: boolean() }).map(capture),
    works,
    works,
    answers,
    answers,
    which.map(replay),
    record({ at: place, isEnabled: boolean() }).map(enable),
    // Rarely, because no command follows it.
    oneof({ weight: 1, arbitrary: place.map(remove) }, { weight: 9, arbitrary: passes }),
    place.map(keepUp),
    passes,
  ],
  { maxCommands: COMMANDS, size: 'max' },
);

test(
  'whatever is captured, claimed, answered, lost, replayed, switched and deleted in whatever order: the ledger is what the contract says, and everything ends',
  { timeout: 240_000 + RUNS * 10_000 },
  async () => {
    const startedAt = performance.now();
    let runs = 0;
    const property = asyncProperty(COMMANDS_OF_A_RUN, async (given) => {
      if (performance.now() - startedAt > TIME_MS) return;
      runs += 1;
      const first = await ledger.destination({ maxConsecutiveFailures: MAX_FAILURES });
      const second = await ledger.destination({
        maxConsecutiveFailures: MAX_FAILURES,
        accountId: first.accountId,
      });
      const real = new Ledger(first.accountId, [first.id, second.id]);
      const model = new DeliveryModel({
        now: ledger.clock.now().getTime(),
        maxFailures: MAX_FAILURES,
        destinations: real.destinationIds,
      });
      const expected: ModelState = { model, sends: [], events: [] };
      await asyncModelRun(() => ({ model: expected, real }), given);
      await endAll(expected, real);
      for (const { state, open } of Object.values((await real.snapshot()).deliveries))
        expect([state, open]).toEqual([expect.not.stringMatching('pending'), undefined]);
    });
    // Shrinking a failed run would take longer than the test's timeout.
    await assert(property, { numRuns: RUNS, seed: SEED, endOnFailure: true });
    console.log(`${runs} runs of the model`);
  },
);

/** Enables all destinations, accepts every request, and lets workers run for a whole retry ladder. */
async function endAll(expected: ModelState, real: Ledger): Promise<void> {
  const steps = [0, 1].flatMap((at) => [
    enable({ at, isEnabled: true }),
    work({ at, limit: 100 }),
    keepUp(at),
  ]);
  for (let round = 0; round < 4; round += 1) {
    for (const step of [...steps, pass(6 * HOUR_MS)]) await step.run(expected, real);
    while (expected.sends.length > 0) await answer({ at: 0, how: 'accepted' }).run(expected, real);
  }
}
