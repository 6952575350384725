/** The pauses after consecutive failures in the contract (rows event-delivery.2 and limits.13). */
const PAUSES_MS = [1, 5, 15, 60, 360].map((minutes) => minutes * 60_000);
const DAY_MS = 24 * 60 * 60_000;
const LOST_CLAIMS = 3;

type State = 'pending' | 'delivered' | 'deadLettered' | 'held';

/** A destination's response. */
export type Answer = 'accepted' | 'unavailable' | 'refused';

interface ModelAttempt {
  readonly state: 'delivered' | 'failed' | 'deadLettered';
  readonly error: string | null;
}

interface ModelClaim {
  readonly until: number;
}

interface ModelOpen {
  dueAt: number;
  /** `extra`: a replay of a finished delivery. `early`: a replay of a scheduled step. */
  cause: 'step' | 'early' | 'extra';
  claim: ModelClaim | undefined;
  lost: number;
  /** A replay was requested while a worker had it: another attempt follows at once. */
  isReplayed: boolean;
}

interface ModelDelivery {
  readonly capturedAt: number;
  readonly destination: string;
  readonly eventId: string;
  state: State;
  /** Number of failed steps of the ladder. */
  failures: number;
  open: ModelOpen | undefined;
  readonly attempts: ModelAttempt[];
}

interface ModelDestination {
  disabledBy: 'failures' | 'owner' | undefined;
  /** Number of distinct events in a row that were dead-lettered. */
  row: Set<string>;
  /** Number of times it was enabled. */
  epoch: number;
  resumeFrom: number;
  isDeleted: boolean;
  /** Deleted, without open attempts: later ones are ended by the worker that claims them. */
  isGone: boolean;
}

/** A started request. */
export interface ModelSend {
  readonly delivery: ModelDelivery;
  readonly claim: ModelClaim;
  readonly epoch: number;
}

/** Destinations and their deliveries, in terms shared by the model and the stored documents. */
export interface Snapshot {
  readonly destinations: Readonly<
    Record<string, { readonly disabledBy: string | undefined; readonly row: readonly string[] }>
  >;
  readonly deliveries: Readonly<
    Record<
      string,
      {
        readonly state: State;
        readonly attempts: readonly ModelAttempt[];
        readonly open:
          | {
              readonly dueAt: number;
              readonly isClaimed: boolean;
              readonly lost: number;
              readonly isReplayed: boolean;
            }
          | undefined;
      }
    >
  >;
  readonly events: Readonly<Record<string, State>>;
}

/**
 * The rules for deliveries in contract and design (rows event-delivery.* and completion.triggers.*) as plain values: the reference model
 * for the storage.
 */
export class DeliveryModel {
  now: number;
  readonly maxFailures: number;
  readonly destinations = new Map<string, ModelDestination>();
  readonly deliveries = new Map<string, ModelDelivery>();

  constructor(o: {
    readonly now: number;
    readonly maxFailures: number;
    readonly destinations: readonly string[];
  }) {
    this.now = o.now;
    this.maxFailures = o.maxFailures;
    for (const id of o.destinations)
      this.destinations.set(id, {
        disabledBy: undefined,
        row: new Set(),
        epoch: 0,
        resumeFrom: -Infinity,
        isDeleted: false,
        isGone: false,
      });
  }

  /** Captures an event; its first attempts are due now. */
  capture(eventId: string, destinations: readonly string[]): void {
    for (const destination of destinations)
      this.deliveries.set(`${eventId}:${destination}`, {
        capturedAt: this.now,
        destination,
        eventId,
        state: 'pending',
        failures: 0,
        open: newOpen('step', this.now),
        attempts: [],
      });
  }

  /** Keys of claimable attempts: due, and unclaimed or claimed by a lost worker. */
  due(destination: string): readonly string[] {
    return [...this.deliveries]
      .filter(([, each]) => each.destination === destination && each.open !== undefined)
      .filter(([, { open }]) => (open?.claim?.until ?? open?.dueAt ?? Infinity) <= this.now)
      .map(([key]) => key);
  }

  /** A worker claims a delivery until then and begins its attempt; returns the sent request, if any. */
  begin(key: string, until: number): ModelSend | undefined {
    const delivery = required(this.deliveries.get(key));
    const open = required(delivery.open);
    const isTakenOver = open.claim !== undefined;
    const claim = { until };
    open.claim = claim;
    const destination = required(this.destinations.get(delivery.destination));
    const send = { delivery, claim, epoch: destination.epoch };
    if (destination.isDeleted) {
      this.#close(delivery, 'deadLettered', 'destination_deleted');
      return undefined;
    }
    if (destination.disabledBy !== undefined) {
      open.claim = undefined;
      return undefined;
    }
    if (open.cause === 'step' && !open.isReplayed && delivery.capturedAt < destination.resumeFrom) {
      delivery.state = 'held';
      delivery.open = undefined;
      return undefined;
    }
    if (open.lost >= LOST_CLAIMS) {
      this.#fail(send, 'unavailable', 'worker_lost');
      return undefined;
    }
    if (isTakenOver) open.lost += 1;
    return send;
  }

  /** A destination responds; false: another worker has taken the attempt over, and the response does not count. */
  answer(send: ModelSend, answer: Answer): boolean {
    const { delivery } = send;
    if (delivery.open === undefined || delivery.open.claim !== send.claim) return false;
    if (answer !== 'accepted') {
      this.#fail(send, answer, answer === 'refused' ? 'http_410' : 'http_503');
      return true;
    }
    const counts = delivery.open.cause !== 'extra';
    this.#close(delivery, 'delivered', null);
    const destination = required(this.destinations.get(delivery.destination));
    if (counts && isCurrent(destination, send)) destination.row.clear();
    return true;
  }

  /** An owner replays an event; false: it has no destination. */
  replay(eventId: string): boolean {
    const wanted = [...this.deliveries.values()].filter(
      (each) => each.eventId === eventId && !required(this.destinations.get(each.destination)).isDeleted,
    );
    for (const delivery of wanted) {
      const { open } = delivery;
      if (open === undefined) {
        delivery.open = newOpen('extra', this.now);
        delivery.state = 'pending';
      } else if (open.claim !== undefined) open.isReplayed = true;
      else if (open.cause === 'step' && !open.isReplayed) {
        open.cause = 'early';
        open.dueAt = Math.min(open.dueAt, this.now);
      }
    }
    return wanted.length > 0;
  }

  /** An owner enables or disables a destination. */
  enable(id: string, isEnabled: boolean): void {
    const destination = required(this.destinations.get(id));
    if (destination.isDeleted || isEnabled === (destination.disabledBy === undefined)) return;
    destination.disabledBy = isEnabled ? undefined : 'owner';
    if (!isEnabled) return;
    destination.row = new Set();
    destination.epoch += 1;
    destination.resumeFrom = this.now - DAY_MS;
  }

  /** An owner deletes a destination. */
  delete(id: string): void {
    required(this.destinations.get(id)).isDeleted = true;
  }

  /** Performs the upkeep after a deletion or an enabling. */
  keepUp(id: string): void {
    const destination = required(this.destinations.get(id));
    const { isDeleted, isGone, resumeFrom } = destination;
    if (isGone) return;
    for (const delivery of this.deliveries.values()) {
      const { open } = delivery;
      if (delivery.destination !== id || open === undefined || open.claim !== undefined) continue;
      if (isDeleted) this.#close(delivery, 'deadLettered', 'destination_deleted');
      else if (open.cause === 'step' && !open.isReplayed && delivery.capturedAt < resumeFrom) {
        delivery.state = 'held';
        delivery.open = undefined;
      }
    }
    const isOpen = (each: ModelDelivery): boolean => each.destination === id && each.open !== undefined;
    destination.isGone = isDeleted && ![...this.deliveries.values()].some(isOpen);
  }

  snapshot(): Snapshot {
    const events = Map.groupBy(this.deliveries.values(), ({ eventId }) => eventId);
    const live = [...this.destinations].filter(([, { isDeleted }]) => !isDeleted);
    return {
      destinations: Object.fromEntries(
        live.map(([id, { disabledBy, row }]) => [id, { disabledBy, row: [...row].toSorted() }]),
      ),
      deliveries: Object.fromEntries(
        [...this.deliveries].map(([key, { state, attempts, open }]) => [
          key,
          {
            state,
            attempts: [...attempts],
            open: open && {
              dueAt: open.dueAt,
              isClaimed: open.claim !== undefined,
              lost: open.lost,
              isReplayed: open.isReplayed,
            },
          },
        ]),
      ),
      events: Object.fromEntries(
        [...events].map(([id, some]) => {
          const states = some.map(({ state }) => state);
          const heaviest = (['pending', 'deadLettered', 'held'] as const).find((each) =>
            states.includes(each),
          );
          return [id, heaviest ?? 'delivered'];
        }),
      ),
    };
  }

  #close(delivery: ModelDelivery, state: 'delivered' | 'deadLettered', error: string | null): void {
    const isReplayed = delivery.open?.isReplayed === true && error !== 'destination_deleted';
    delivery.attempts.push({ state, error });
    delivery.state = isReplayed ? 'pending' : state;
    delivery.open = isReplayed ? newOpen('extra', this.now) : undefined;
  }

  #fail(send: ModelSend, answer: Exclude<Answer, 'accepted'>, error: string): void {
    const { delivery } = send;
    const { cause, isReplayed } = required(delivery.open);
    if (cause === 'step') delivery.failures += 1;
    // A replay does not use up its step: the step's pause still follows.
    const step = cause === 'early' ? Math.max(1, delivery.failures) : delivery.failures;
    const pauseMs = answer === 'unavailable' && cause !== 'extra' ? PAUSES_MS[step - 1] : undefined;
    if (pauseMs !== undefined) {
      delivery.attempts.push({ state: 'failed', error });
      delivery.open = isReplayed ? newOpen('early', this.now) : newOpen('step', this.now + pauseMs);
      return;
    }
    this.#close(delivery, 'deadLettered', error);
    const destination = required(this.destinations.get(delivery.destination));
    if (cause === 'extra' || !isCurrent(destination, send)) return;
    destination.row.add(delivery.eventId);
    if (destination.row.size >= this.maxFailures) destination.disabledBy = 'failures';
  }
}

function newOpen(cause: ModelOpen['cause'], dueAt: number): ModelOpen {
  return { dueAt, cause, claim: undefined, lost: 0, isReplayed: false };
}

/** Whether results of a request count for its destination: it was neither disabled nor enabled again since. */
function isCurrent({ disabledBy, epoch, isDeleted }: ModelDestination, send: ModelSend): boolean {
  return disabledBy === undefined && epoch === send.epoch && !isDeleted;
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The model does not have it.');
  return value;
}
