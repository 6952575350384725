import { expect } from 'vitest';
import type { EventSink, SinkEntry } from './event-sink.ts';
import type { Firings } from './firings.ts';
import { attemptKey } from './ledger.ts';
import type { Ledger, LedgerAttempt, LedgerDelivery } from './ledger.ts';

/** Time for a killed process's claim to expire, and for the next attempt, on a busy machine. */
const ARRIVAL = { timeout: 240_000, interval: 500 };

const MINUTE_MS = 60_000;
/** The pauses after consecutive failures in the contract (rows event-delivery.2 and limits.13). */
const PAUSES_MS = [1, 5, 15, 60, 360].map((minutes) => minutes * MINUTE_MS);

/** Firings at one destination, and the faults meanwhile. */
export interface Case {
  readonly sink: EventSink;
  readonly path: string;
  readonly destinationId: string;
  readonly firings: Firings;
  /** For each fault that may have killed a process: the attempts claimed at that time. An attempt may be listed several times. */
  readonly inFlight: readonly string[];
  /** Events that may have been replayed; by default none. */
  readonly isReplayed?: (eventId: string) => boolean;
}

/** The result for the firings at one destination. */
export interface Fate {
  readonly acknowledged: number;
  readonly lost: number;
  /** Number of repeated requests of an attempt, and of attempts after an accepted one. */
  readonly duplicates: number;
  /** Duplicates that no fault explains: the repeated request, and its time. */
  readonly unexplained: readonly string[];
  /** Attempts during whose requests a fault happened. */
  readonly inFlight: number;
  readonly isDisabled: boolean;
}

/**
 * Waits until every delivery to the destination has ended, then checks them against the receiver's log and the acknowledgements. An event
 * has the same bytes each time, and belongs to one call. Attempts are numbered without gaps; an attempt has a status if and only if the log
 * has one for its number, and is delivered if the status is 2xx. Except for replays, no attempt is earlier than the ladder allows. No claim
 * and no bulk replay is left. Failures have disabled the destination if and only if enough distinct events were dead-lettered in a row.
 */
export async function judge(ledger: Ledger, o: Case): Promise<Fate> {
  const { firings, destinationId, isReplayed = () => false } = o;
  const entriesNow = (): readonly SinkEntry[] => o.sink.entries().filter(({ path }) => path === o.path);
  const isDisabled = async (): Promise<boolean> =>
    (await ledger.destination(destinationId)).disabledReason !== null;
  /** Acknowledged events that are missing from the ledger, or ended without a request. */
  const lostIn = (deliveries: readonly LedgerDelivery[]): number => {
    const arrived = new Set(entriesNow().map(({ eventId }) => eventId));
    const waiting = new Set(deliveries.flatMap(({ eventId, open }) => (open === undefined ? [] : [eventId])));
    return [...firings.acknowledged.keys()].filter((id) => !arrived.has(id) && !waiting.has(id)).length;
  };
  const leftNow = async () => {
    const deliveries = await ledger.deliveriesTo(destinationId);
    const open = deliveries.flatMap((each) => (each.open === undefined ? [] : [each.open]));
    return {
      lost: lostIn(deliveries),
      // Deliveries of a disabled destination wait until it is enabled.
      open: (await isDisabled()) ? 0 : open.length,
      claims: open.filter(({ claim }) => claim !== null && claim.until.getTime() > Date.now()).length,
      replays: await ledger.replaysLeft(),
    };
  };
  await expect.poll(leftNow, ARRIVAL).toEqual({ lost: 0, open: 0, claims: 0, replays: 0 });

  const entries = entriesNow();
  const deliveries = await ledger.deliveriesTo(destinationId);
  judgeCauses(entries, await ledger.eventsOf(firings.triggerId), firings);
  const requests = Map.groupBy(entries, ({ eventId, attempt }) => attemptKey(eventId, attempt));
  for (const delivery of deliveries) judgeAttempts(delivery, requests, isReplayed(delivery.eventId));
  // While the destination is disabled, the started attempt of a dead process waits for its end.
  const attempts = new Set([
    ...deliveries.flatMap((each) => each.attempts.map(({ attempt }) => attemptKey(each.eventId, attempt))),
    ...o.inFlight,
  ]);
  expect([...requests.keys()].filter((key) => !attempts.has(key))).toEqual([]);
  await judgeFailures(ledger, destinationId, deliveries, entries);
  const { again, unexplained } = repetitions(requests, o.inFlight);
  const late = deliveries.filter(({ eventId }) => !isReplayed(eventId)).flatMap(attemptsAfterDelivery);
  return {
    acknowledged: firings.acknowledged.size,
    lost: lostIn(deliveries),
    duplicates: again + late.length,
    unexplained: [
      ...unexplained,
      ...late.map(({ attempt }) => `attempt ${attempt} after one that was accepted`),
    ],
    inFlight: new Set(o.inFlight.filter((key) => requests.has(key))).size,
    isDisabled: await isDisabled(),
  };
}

/** Every event has one cause, identical bytes each time, and its caller's number. */
function judgeCauses(
  entries: readonly SinkEntry[],
  stored: ReadonlyMap<string, number>,
  firings: Firings,
): void {
  for (const [id, some] of Map.groupBy(entries, ({ eventId }) => eventId)) {
    expect(new Set(some.map(({ bodyHash }) => bodyHash)).size, id).toBe(1);
    expect(some[0]?.number, id).toBe(stored.get(id));
  }
  for (const [id, number] of stored) {
    expect(number, id).toBeLessThan(firings.sent());
    expect(firings.acknowledged.get(id) ?? number, id).toBe(number);
  }
  const made = Map.groupBy(stored.values(), (number) => number);
  const twice = [...made].filter(([, events]) => events.length > 1).map(([number]) => number);
  expect(twice, 'calls that made two events').toEqual([]);
}

/** A delivery's attempts are those in the log, in order and no earlier than the ladder allows. */
function judgeAttempts(
  { eventId, state, open, attempts }: LedgerDelivery,
  requests: ReadonlyMap<string, readonly SinkEntry[]>,
  mayBeReplayed: boolean,
): void {
  expect(
    attempts.map(({ attempt }) => attempt),
    eventId,
  ).toEqual(attempts.map((_, at) => at + 1));
  if (open === undefined) expect(attempts.at(-1)?.state, eventId).toBe(state);
  let earlier: number | undefined;
  for (const [at, attempt] of attempts.entries()) {
    const made = requests.get(attemptKey(eventId, attempt.attempt)) ?? [];
    expect(isRecorded(attempt, made), `${eventId} ${JSON.stringify(attempt)}`).toBe(true);
    const first = made[0]?.receivedAtMs;
    if (!mayBeReplayed && earlier !== undefined && first !== undefined)
      expect(first - earlier, `the pause before ${eventId} ${attempt.attempt}`).toBeGreaterThanOrEqual(
        PAUSES_MS[at - 1] ?? Infinity,
      );
    earlier = first;
  }
}

/** Whether an attempt in the ledger matches the receiver's requests with its number. */
function isRecorded({ state, statusCode }: LedgerAttempt, made: readonly SinkEntry[]): boolean {
  // No response in time, although the request may have arrived.
  if (statusCode === null) return state !== 'delivered';
  const isAccepted = statusCode >= 200 && statusCode < 300;
  return isAccepted === (state === 'delivered') && made.some(({ status }) => status === statusCode);
}

/** Attempts of a delivery after an accepted one. */
function attemptsAfterDelivery({ attempts }: LedgerDelivery): readonly LedgerAttempt[] {
  const at = attempts.findIndex(({ state }) => state === 'delivered');
  return at === -1 ? [] : attempts.slice(at + 1);
}

/** The number of repeated requests, and the attempts with more repetitions than faults during their claims. */
function repetitions(
  requests: ReadonlyMap<string, readonly SinkEntry[]>,
  inFlight: readonly string[],
): { readonly again: number; readonly unexplained: readonly string[] } {
  let again = 0;
  const unexplained: string[] = [];
  const met = Map.groupBy(inFlight, (key) => key);
  for (const [key, made] of requests) {
    const most = 1 + (met.get(key)?.length ?? 0);
    again += made.length - 1;
    if (made.length <= most) continue;
    const times = made.map(({ receivedAtMs }) => new Date(receivedAtMs).toISOString());
    unexplained.push(`${key} came at ${times.join(', ')}, and was claimed at ${most - 1} faults`);
  }
  return { again, unexplained };
}

/** The destination was disabled after the right number of distinct dead-lettered events in a row, or there were too few. */
async function judgeFailures(
  ledger: Ledger,
  destinationId: string,
  deliveries: readonly LedgerDelivery[],
  entries: readonly SinkEntry[],
): Promise<void> {
  const { disabledReason, deadStreak, maxConsecutiveFailures } = await ledger.destination(destinationId);
  const isDead = ({ attempts }: LedgerDelivery): boolean =>
    attempts.some(({ state }) => state === 'deadLettered');
  const dead = deliveries.filter(isDead).map(({ eventId }) => eventId);
  expect(new Set(deadStreak).size).toBe(deadStreak.length);
  expect(deadStreak.filter((id) => !dead.includes(id))).toEqual([]);
  expect(disabledReason).toBe(deadStreak.length >= maxConsecutiveFailures ? 'consecutiveFailures' : null);
  // Nothing was accepted, so every dead letter was part of the row.
  if (entries.every(({ status }) => status >= 300))
    expect(deadStreak.length).toBe(Math.min(dead.length, maxConsecutiveFailures));
}
