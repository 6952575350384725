import { createBatcher } from '@fairlead/service-kit/batch/batcher';
import type { Batcher, BatchLimits } from '@fairlead/service-kit/batch/batcher';
import type { Clock } from '@fairlead/service-kit/clock';
import { guid } from '@fairlead/service-kit/ids';
import { inSpan, startSpan } from '@fairlead/service-kit/telemetry/tracing';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { Timers } from '@fairlead/service-kit/timers';
import type { DeliveryClaim } from '../domain/delivery.ts';
import type { CapturedEvent } from '../domain/event.ts';
import type { ClaimedDelivery, DeliveryStore, DueQueue, EventContent } from '../ports/delivery-store.ts';
import type { FirstAttempts } from '../ports/first-attempts.ts';
import { performAttempt } from '../use-cases/perform-attempt.ts';
import type { AttemptEnd, PerformAttemptDeps } from '../use-cases/perform-attempt.ts';
import { attemptMetrics } from './attempt-metrics.ts';
import { AttemptQueues } from './attempt-queues.ts';
import type { AttemptLimits, Recipient } from './attempt-queues.ts';
import { RequestPace } from './request-pace.ts';

export interface AttemptWorkerOptions extends Pick<PerformAttemptDeps, 'targets' | 'send'> {
  readonly deliveries: DeliveryStore;
  readonly limits: AttemptLimits;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
}

/** The attempt worker of one process. */
export interface AttemptWorker extends FirstAttempts {
  /** Attempts may be due now. Without this call, they are found within a second. */
  wake(): void;
  /** Begins no more attempts, and releases the claims of those that have not begun. */
  stop(): void;
  /** Stops, and waits for started attempts. */
  close(): Promise<void>;
}

/** Three times the deadline of a request, so that a started attempt ends and is written during its claim. */
const LEASE_MS = 30_000;
const LOOK_EVERY_MS = 1_000;
/** Destinations whose attempts are claimed at once: each takes a few database operations. */
const CLAIMED_AT_ONCE = 8;
/** A larger body is not kept in memory while waiting: it is read when the attempt is made. */
const MAX_WAITING_BODY = 16 * 1024;
/** More than a document can have. */
const LARGEST_BODY = 16 * 1024 * 1024;
/** An event that is not stored this long after its capture never will be. */
const STORED_WITHIN_MS = 60 * 60_000;
/** Nobody waits for a result, so the results of this period are written together. */
const SETTLED_EVERY_MS = 40;
/** Bounded already: each waiting settlement has a claim. */
const UNBOUNDED = Number.MAX_SAFE_INTEGER;
const WRITES: BatchLimits = {
  itemsPerBatch: 256,
  bytesPerBatch: UNBOUNDED,
  waitingItems: UNBOUNDED,
  waitingBytes: UNBOUNDED,
  batches: 4,
  slowMs: 100,
};

interface Attempt {
  readonly claimed: ClaimedDelivery;
  /** Null: large, so it is read when the attempt is made. */
  readonly body: Uint8Array | null;
  /** Trace of the capture, for a first attempt from memory. */
  readonly traceparent?: string | undefined;
}

/** Makes due attempts; each is claimed by one of the replicas. */
export function startAttemptWorker(o: AttemptWorkerOptions): AttemptWorker {
  const worker = new Worker(o);
  return {
    claim: (event, destinationId) => worker.claimFirst(event, destinationId),
    begin: (events, claimed) => worker.begin(events, claimed),
    wake: () => worker.wake(),
    stop: () => void worker.stop(),
    close: () => worker.close(),
  };
}

class Worker {
  readonly #o: AttemptWorkerOptions;
  readonly #id = guid();
  readonly #metrics = attemptMetrics();
  readonly #queues: AttemptQueues<Attempt>;
  readonly #settling: Batcher<
    Parameters<DeliveryStore['settle']>[0][number],
    Awaited<ReturnType<DeliveryStore['settle']>>[number]
  >;
  /** Queues with more attempts than could be claimed. */
  readonly #backlog = new Map<string, DueQueue>();
  /** Destinations of queues for which there was no room at the last check. */
  readonly #full = new Map<string, Recipient>();
  readonly #claiming = new Map<string, Promise<Recipient>>();
  #stopped: Promise<void> | undefined;
  #isFailing = false;
  #isWoken = false;
  #look: Promise<void> = Promise.resolve();
  #isLooking = false;
  #nextLook: { cancel(): void } | undefined;

  constructor(o: AttemptWorkerOptions) {
    this.#o = o;
    this.#settling = createBatcher({
      timers: o.timers,
      process: async (settlements) =>
        (await o.deliveries.settle(settlements)).map((value) => ({ status: 'done', value }) as const),
      limits: { ...WRITES, rest: { ms: SETTLED_EVERY_MS, afterItems: 0 } },
    });
    // Released together, because many claims become too old at once when receivers hang.
    const releasing = createBatcher<ClaimedDelivery, undefined>({
      timers: o.timers,
      process: async (claimed) => {
        await o.deliveries.release(claimed);
        return claimed.map(() => ({ status: 'done', value: undefined }));
      },
      limits: WRITES,
    });
    const deps: PerformAttemptDeps = {
      ...o,
      deliveries: {
        ...o.deliveries,
        release: async (claimed) => void (await Promise.all(claimed.map((each) => releasing.add(each)))),
      },
      settle: (settlement) => this.#settling.add(settlement),
      metrics: this.#metrics,
      isStopping: () => this.#isStopped(),
    };
    this.#queues = new AttemptQueues({
      limits: o.limits,
      run: (item) => withTrace(item, () => this.#make(deps, item)),
      onFree: (recipient) => this.#goOn(recipient),
      ...this.#pace(),
    });
    this.wake();
  }

  #pace(): { readonly mayBegin?: (destinationId: string) => boolean } {
    const { clock, timers, limits } = this.#o;
    if (limits.perSecond === undefined) return {};
    const onNext = (destinationId: string): void => this.#queues.resume(destinationId);
    const pace = new RequestPace({ perSecond: limits.perSecond, clock, timers, onNext });
    return { mayBegin: (destinationId) => pace.take(destinationId) };
  }

  claimFirst(event: CapturedEvent, destinationId: string): DeliveryClaim | null {
    if (this.#isStopped() || event.body.length > MAX_WAITING_BODY) return null;
    const recipient = { accountId: event.accountId, destinationId };
    if (this.#queues.room(recipient, 0) === 0) return null;
    this.#queues.reserve(recipient, 1);
    const until = new Date(this.#o.clock.now().getTime() + LEASE_MS);
    return { token: guid(), by: this.#id, until };
  }

  begin(reserved: readonly (readonly [CapturedEvent, string])[], claimed: readonly ClaimedDelivery[]): void {
    for (const [{ accountId }, destinationId] of reserved)
      this.#queues.unreserve({ accountId, destinationId }, 1);
    const events = new Map(reserved.map(([event]) => [event.id, event]));
    this.#add(claimed, (id) => events.get(id));
  }

  wake(): void {
    if (this.#isStopped()) return;
    this.#isWoken = true;
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#nextLook?.cancel();
    this.#look = this.#lookWhileWoken();
  }

  /** Resolves once the claims of attempts that have not begun are released. */
  stop(): Promise<void> {
    return (this.#stopped ??= this.#giveUpWaiting());
  }

  async close(): Promise<void> {
    await this.stop();
    await this.#queues.idle();
    await this.#settling.drain();
    this.#metrics.close();
  }

  async #giveUpWaiting(): Promise<void> {
    this.#nextLook?.cancel();
    await this.#look;
    await Promise.allSettled(this.#claiming.values());
    const unbegun = this.#queues.takeWaiting().map(({ claimed }) => claimed);
    await this.#o.deliveries.release(unbegun).catch((error: unknown) => {
      // On failure the claims expire by themselves.
      this.#o.log.warn({ err: error }, 'could not release claims');
    });
  }

  #isStopped(): boolean {
    return this.#stopped !== undefined;
  }

  async #lookWhileWoken(): Promise<void> {
    while (this.#isWoken && !this.#isStopped()) {
      this.#isWoken = false;
      await this.#lookOnce();
    }
    this.#isLooking = false;
    if (this.#isStopped()) return;
    this.#nextLook = this.#o.timers.after(LOOK_EVERY_MS, () => this.wake());
  }

  async #lookOnce(): Promise<void> {
    const { deliveries, clock, log } = this.#o;
    try {
      const now = clock.now();
      const due = await deliveries.dueQueues(now);
      this.#metrics.overdue(Math.max(0, ...due.map(({ at }) => now.getTime() - at.getTime())));
      const dueKeys = new Set(due.map(keyOf));
      for (const key of this.#full.keys()) if (!dueKeys.has(key)) this.#full.delete(key);
      // Shuffled, so that two replicas rarely claim the same attempts.
      const next = shuffled(due).values();
      const claimSome = async (): Promise<void> => {
        for (const queue of next) await this.#claim(queue);
      };
      await Promise.all(Array.from({ length: CLAIMED_AT_ONCE }, claimSome));
      if (this.#isFailing) log.info('due attempts are claimed again');
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) log.warn({ err: error }, 'could not claim due attempts, and will try again');
      this.#isFailing = true;
    }
  }

  /** A permit of a destination became free: claims more of its attempts without checking all destinations. */
  #goOn(recipient: Recipient): void {
    const { destinationId } = recipient;
    for (const queue of [0, 1] as const) {
      const due = this.#backlog.get(keyOf({ destinationId, queue }));
      if (due === undefined || this.#isStopped()) continue;
      const room = this.#queues.room(recipient, queue);
      // A few attempts at a time would cost the same number of operations as many.
      if (room * 2 < this.#o.limits.perDestination) continue;
      this.#claim(due).catch((error: unknown) => {
        this.#o.log.warn({ err: error }, 'could not claim due attempts, and will try again');
      });
    }
  }

  async #claim(due: DueQueue): Promise<void> {
    const key = keyOf(due);
    if (this.#isStopped()) return;
    if (this.#claiming.has(key)) {
      // The check in progress may have read the queue before the new attempts existed.
      this.#backlog.set(key, due);
      return;
    }
    const claiming = this.#claimSome(due, key).finally(() => this.#claiming.delete(key));
    this.#claiming.set(key, claiming);
    this.#goOn(await claiming);
  }

  /** Claims attempts of a due queue, as many as there is room for; returns the queue's destination. */
  async #claimSome(due: DueQueue, key: string): Promise<Recipient> {
    const { destinationId, queue } = due;
    const full = this.#full.get(key);
    // Skips queues of accounts that have used their share: reading all their destinations in vain would delay others.
    if (full !== undefined && this.#queues.room(full, queue) === 0) {
      this.#backlog.set(key, due);
      return full;
    }
    this.#full.delete(key);
    const target = await this.#o.targets.read(destinationId);
    // Deliveries of deleted destinations only have to be ended.
    const recipient = { accountId: target?.accountId ?? '', destinationId };
    const room = target?.isEnabled === false ? 0 : this.#queues.room(recipient, queue);
    this.#backlog.delete(key);
    if (room === 0) {
      if (target?.isEnabled === false) return recipient;
      this.#backlog.set(key, due);
      this.#full.set(key, recipient);
      return recipient;
    }
    const claimed = await this.#claimUpTo(recipient, queue, room);
    if (claimed.length === room) this.#backlog.set(key, due);
    const ids = claimed.map(({ eventId }) => eventId);
    const contents = await this.#o.deliveries.findContents(ids, MAX_WAITING_BODY);
    await this.#giveUpWithout(claimed.filter(({ eventId }) => !contents.has(eventId)));
    this.#add(claimed, (id) => contents.get(id));
    return recipient;
  }

  async #claimUpTo(
    recipient: Recipient,
    queue: DueQueue['queue'],
    room: number,
  ): Promise<readonly ClaimedDelivery[]> {
    const { deliveries, clock } = this.#o;
    const { destinationId } = recipient;
    this.#queues.reserve(recipient, room);
    try {
      const now = clock.now();
      const until = new Date(now.getTime() + LEASE_MS);
      return await deliveries.claim({ destinationId, queue }, { now, until, by: this.#id, limit: room });
    } finally {
      this.#queues.unreserve(recipient, room);
    }
  }

  /** Never rejects. Without its body, the attempt's claim expires. */
  async #make(deps: PerformAttemptDeps, { claimed, body }: Attempt): Promise<AttemptEnd> {
    if (body !== null) return await performAttempt(deps, claimed, body);
    const { eventId } = claimed;
    try {
      const contents = await this.#o.deliveries.findContents([eventId], LARGEST_BODY);
      const read = contents.get(eventId)?.body;
      if (read) return await performAttempt(deps, claimed, read);
      await this.#giveUpWithout([claimed]);
    } catch (error) {
      this.#o.log.warn({ err: error, eventId }, 'could not read the body of an event for its attempt');
    }
    return { request: undefined, written: Promise.resolve() };
  }

  /** Deliveries without an event: it is not stored yet, or was deleted. */
  async #giveUpWithout(claimed: readonly ClaimedDelivery[]): Promise<void> {
    const { deliveries, clock } = this.#o;
    const lost = clock.now().getTime() - STORED_WITHIN_MS;
    const isGone = ({ capturedAt }: ClaimedDelivery): boolean => capturedAt.getTime() < lost;
    await Promise.all(claimed.filter(isGone).map((each) => deliveries.remove(each)));
    await deliveries.release(claimed.filter((each) => !isGone(each)));
  }

  #add(claimed: readonly ClaimedDelivery[], eventOf: (id: string) => EventContent | undefined): void {
    for (const each of claimed) {
      const event = eventOf(each.eventId);
      if (event === undefined) continue;
      const { body, traceparent } = event;
      this.#queues.add(each, each.open.queue, { claimed: each, body, traceparent });
    }
  }
}

/** Makes an attempt within the trace of the event's capture. */
async function withTrace<T>({ traceparent }: Attempt, make: () => Promise<T>): Promise<T> {
  if (traceparent === undefined) return make();
  const remote = (header: string): string | undefined => (header === 'traceparent' ? traceparent : undefined);
  const span = startSpan({ name: 'deliver event', kind: 'consumer', remote });
  try {
    return await inSpan(span, make);
  } finally {
    span?.end();
  }
}

function keyOf({ destinationId, queue }: Pick<DueQueue, 'destinationId' | 'queue'>): string {
  return `${destinationId} ${String(queue)}`;
}

function shuffled<T>(items: readonly T[]): readonly T[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
