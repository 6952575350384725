import type { ServerResponse } from 'node:http';
import { StreamAddressedReply_Outcome as Outcome } from '@fairlead/contracts/gateway/v1/client_streams_pb';
import type { StreamAddressed } from '@fairlead/contracts/gateway/v1/client_streams_pb';
import { ApiError, overloaded } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { EventStream } from '@fairlead/service-kit/http/event-stream';
import { registry } from '@fairlead/service-kit/telemetry/service-metrics';
import type { Timers } from '@fairlead/service-kit/timers';
import { Assembly } from './assembly.ts';
import type { SentMessage, SentMessages } from './sent-messages.ts';
import type { Session } from './session-ids.ts';
import type { StreamLimits } from './stream-limits.ts';

/** A request to the replica that holds a stream. */
export type StreamRequest = StreamAddressed['content'];

/** A response that becomes a session's stream. */
export interface NewStream {
  readonly session: Pick<Session, 'key' | 'expiresAt'>;
  readonly accountId: string;
  /** The server, for a client without a credential. */
  readonly anonymousServerId?: string | undefined;
  /** Whether the client would be admitted again. Never rejects. */
  readonly isStillAdmitted: () => Promise<boolean>;
  /** Whether notifications are kept for a short time, each with an id that a reconnecting client sends. */
  readonly isReplayable?: boolean;
  readonly response: ServerResponse;
  /** Follows the session's subscriptions; undefined: it cannot have any. */
  readonly subscriptions?: { refresh(): Promise<void>; end(): void } | undefined;
}

/** A stream of this replica. */
export interface ClientStream {
  readonly key: string;
  readonly account: Account;
  /** The server, for a client without a credential. */
  readonly anonymousServerId: string | undefined;
  readonly expiresAtMs: number;
  /** Whether its client would be admitted again. */
  readonly isStillAdmitted: () => Promise<boolean>;
  readonly isReplayable: boolean;
  readonly subscriptions: NewStream['subscriptions'];
  readonly events: EventStream;
  /** Number of reserved messages that are pending, and of all reserved messages so far. */
  awaited: number;
  reserved: number;
  /** Time of the last reservation; 0: none yet. */
  reservedAtMs: number;
  /** Whether the stream's first events were sent. */
  isBegun: boolean;
  /** Notifications that wait for the first events. */
  readonly early: Set<Uint8Array>;
  /** Resolves when all earlier messages are stored and sent, which keeps their order. */
  sending: Promise<void>;
  /** Rounds until the client's admission is checked again. */
  roundsUntilCheck: number;
  /** Whether it was removed from the table because its connection is closing. */
  isEnding: boolean;
}

interface Account {
  readonly id: string;
  streams: number;
  /** Streams by server, for clients without a credential; undefined: all other streams. */
  readonly byServer: Map<string | undefined, number>;
  /** Streams whose clients have unread data, as far as known. */
  readonly slow: Set<ClientStream>;
}

/** Interval at which each stream gets a comment to keep it alive. The ticks of a round spread the streams evenly. */
const TICK_MS = 1_000;
const TICKS = 15;
/** Rounds between two admission checks of a client: a minute. */
const CHECK_ROUNDS = 4;
/** Pause after which a client reconnects when its stream has ended. */
const RECONNECT_MS = 500;
/** Pause before reconnecting when the replica stops; short, because messages in between may get no answer. */
const MOVE_MS = 20;
/** Time after a call during which a client may call again at any moment. */
const ACTIVE_MS = 10_000;
/** Silence after an answer from which a client counts as idle between two calls. */
const QUIET_MS = 100;

/** A resolved promise, shared by all streams without pending messages. */
const SENT = Promise.resolve();

const instances = new Set<LocalStreams>();
registry.observed({
  name: 'mcp_streams',
  help: 'Streams of MCP clients that this replica holds.',
  read: () => [...instances].reduce((sum, streams) => sum + streams.size, 0),
});

interface ClientStreamsOptions {
  readonly sent: SentMessages;
  readonly limits: StreamLimits;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Called when no stream with this key is left. */
  readonly onLeft: (key: string) => void;
}

/** The clients' streams that this replica holds, by session key. */
export class LocalStreams {
  readonly #o: ClientStreamsOptions;
  readonly #byKey = new Map<string, ClientStream>();
  readonly #accounts = new Map<string, Account>();
  readonly #rounds = Array.from({ length: TICKS }, () => new Set<ClientStream>());
  readonly #assembly: Assembly;
  /** Streams whose connection is still open. */
  #count = 0;
  #opened = 0;
  #tick = 0;
  #isLeaving = false;
  #isDraining = false;
  #isClosing = false;
  readonly #none = Promise.withResolvers<void>();

  constructor(o: ClientStreamsOptions) {
    this.#o = o;
    this.#assembly = new Assembly(o.limits);
    instances.add(this);
    this.#planTick();
  }

  get size(): number {
    return this.#count;
  }

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** Whether this stream is still the current one for its key. */
  isCurrent(held: ClientStream): boolean {
    return this.#byKey.get(held.key) === held;
  }

  /**
   * Turns the response into the session's stream, and ends an older one. Throws an ApiError above the limits. During
   * a drain, the stream ends at once instead: a refused EventSource would never reconnect.
   */
  open({ session, accountId, anonymousServerId, response, ...opened }: NewStream): ClientStream {
    const { limits } = this.#o;
    const account = this.#accounts.get(accountId) ?? {
      id: accountId,
      streams: 0,
      byServer: new Map<string | undefined, number>(),
      slow: new Set<ClientStream>(),
    };
    const alike = account.byServer.get(anonymousServerId) ?? 0;
    if (anonymousServerId !== undefined && alike >= limits.anonymousStreamsPerServer)
      throw overloaded('The server has as many open streams of clients without a credential as it may have.');
    if (anonymousServerId === undefined && alike >= limits.streamsPerAccount)
      throw overloaded('The account has as many open streams as it may have.');
    if (this.#count >= limits.streams)
      throw new ApiError('UNAVAILABLE', 'No stream can be opened here at the moment. Try again shortly.', {
        retryAfterSeconds: 1,
      });
    const former = this.#byKey.get(session.key);
    if (former !== undefined) this.#end(former);
    this.#accounts.set(accountId, account);
    account.streams += 1;
    account.byServer.set(anonymousServerId, (account.byServer.get(anonymousServerId) ?? 0) + 1);
    this.#count += 1;
    const round = this.#rounds[this.#opened % TICKS];
    this.#opened += 1;
    const held: ClientStream = {
      key: session.key,
      account,
      anonymousServerId,
      expiresAtMs: session.expiresAt.getTime(),
      isStillAdmitted: opened.isStillAdmitted,
      isReplayable: opened.isReplayable === true,
      subscriptions: opened.subscriptions,
      events: new EventStream(response, {
        retryMs: RECONNECT_MS,
        // A stopping replica closes these connections last, because a request that the client has sent on such a
        // connection would be lost.
        isLast: true,
        onClose: () => {
          round?.delete(held);
          this.#closed(held);
        },
      }),
      awaited: 0,
      reserved: 0,
      reservedAtMs: 0,
      isBegun: false,
      early: new Set(),
      sending: SENT,
      roundsUntilCheck: CHECK_ROUNDS,
      isEnding: false,
    };
    round?.add(held);
    this.#byKey.set(session.key, held);
    if (this.#isDraining) this.#move(held);
    return held;
  }

  /** Executes a request to the stream with this key; undefined: this replica does not hold it. */
  take(key: string, request: StreamRequest): Outcome | undefined {
    const held = this.#byKey.get(key);
    if (held === undefined) return undefined;
    switch (request.case) {
      case 'reservation':
        // A stream that is about to end accepts no more messages; its client may soon have another stream elsewhere.
        if (this.#isClosing) return Outcome.BUSY;
        held.awaited += 1;
        held.reserved += 1;
        held.reservedAtMs = this.#o.clock.now().getTime();
        return Outcome.DONE;
      case 'release':
        this.#settle(held);
        return Outcome.DONE;
      case 'end':
        this.#end(held);
        return Outcome.DONE;
      case 'subscriptionsChanged':
        void held.subscriptions?.refresh();
        return Outcome.DONE;
      case 'piece':
        return this.#piece(held, request.value);
      default:
        return Outcome.REFUSED;
    }
  }

  /** Called when the stream's first events were sent. Sends the missed messages, then those that waited. */
  begin(held: ClientStream, missed: readonly SentMessage[] = []): void {
    held.isBegun = true;
    for (const { json, id } of missed) if (this.isCurrent(held)) this.#send(held, json, id);
    for (const json of held.early) if (this.isCurrent(held)) this.#tell(held, json);
    held.early.clear();
  }

  /** Sends a message to each stream that the predicate accepts; the same message only once if a stream has not begun. */
  notify(isConcerned: (key: string, accountId: string) => boolean, json: Uint8Array): void {
    for (const held of this.#byKey.values())
      if (isConcerned(held.key, held.account.id)) this.#tell(held, json);
  }

  /** Sends a message to the stream with this key, in the same way. */
  tell(key: string, json: Uint8Array): void {
    const held = this.#byKey.get(key);
    if (held !== undefined) this.#tell(held, json);
  }

  /** Ends an account's streams whose clients are no longer admitted, one after the other to avoid a burst of look-ups. */
  async checkAccount(accountId: string): Promise<void> {
    for (const held of this.#byKey.values())
      if (held.account.id === accountId) await this.#checkAdmission(held);
  }

  /**
   * From now on, ends each stream that has carried an answer as soon as its client is between two calls; the client
   * then connects to another replica. New streams are still accepted.
   */
  leave(): void {
    this.#isLeaving = true;
  }

  /**
   * Ends the streams of idle clients, and accepts no more. The other streams end between two calls, as in `leave`;
   * after half of `graceMs`, they end when their reserved messages are sent; after `graceMs`, they are cut.
   */
  async drain(graceMs: number): Promise<void> {
    this.#isDraining = true;
    const activeFromMs = this.#o.clock.now().getTime() - ACTIVE_MS;
    for (const held of this.#byKey.values())
      if (held.awaited === 0 && held.reservedAtMs < activeFromMs) this.#move(held);
    if (this.#count === 0) this.#none.resolve();
    const closing = this.#o.timers.after(graceMs / 2, () => {
      this.#isClosing = true;
      for (const held of this.#byKey.values()) if (held.awaited === 0) this.#move(held);
    });
    const limit = this.#o.timers.after(graceMs, () => {
      for (const held of this.#rounds.flatMap((round) => [...round])) held.events.cut();
    });
    await this.#none.promise;
    closing.cancel();
    limit.cancel();
    instances.delete(this);
  }

  #tell(held: ClientStream, json: Uint8Array): void {
    if (!held.isBegun) held.early.add(json);
    else if (held.isReplayable) held.sending = this.#sendStored(held, json, held.sending);
    else this.#send(held, json);
  }

  /** Sends a message when it is stored and `before` has resolved. */
  async #sendStored(held: ClientStream, json: Uint8Array, before: Promise<void>): Promise<void> {
    const [id] = await Promise.all([this.#o.sent.add(held.key, json), before]);
    if (this.isCurrent(held)) this.#send(held, json, id);
  }

  #piece(held: ClientStream, piece: Extract<StreamRequest, { case: 'piece' }>['value']): Outcome {
    const assembled = this.#assembly.add(piece, this.#o.clock.now().getTime());
    if (assembled === 'more') return Outcome.DONE;
    if (assembled === 'busy') return Outcome.BUSY;
    const isSent = assembled !== 'refused' && this.#send(held, assembled);
    if (piece.isReserved) this.#settle(held);
    return isSent ? Outcome.DONE : Outcome.REFUSED;
  }

  #send(held: ClientStream, json: Uint8Array, id?: string): boolean {
    const { bufferedBytes, bufferedBytesPerAccount } = this.#o.limits;
    const { slow } = held.account;
    let untaken = 0;
    let slowest = held;
    for (const one of slow) {
      const bytes = one.events.bufferedBytes;
      if (bytes === 0) slow.delete(one);
      untaken += bytes;
      if (bytes > slowest.events.bufferedBytes) slowest = one;
    }
    if (untaken > bufferedBytesPerAccount) slowest.events.cut();
    if (held.events.bufferedBytes > bufferedBytes) held.events.cut();
    if (!held.events.isOpen) return false;
    held.events.sendJson('message', json, id);
    if (held.events.bufferedBytes > 0) slow.add(held);
    return true;
  }

  /** Called when a reserved message was sent, or is given up. */
  #settle(held: ClientStream): void {
    held.awaited = Math.max(0, held.awaited - 1);
    if (held.awaited > 0) return;
    if (this.#isClosing) this.#move(held);
    else if (this.#isDraining || this.#isLeaving) this.#moveOnceQuiet(held);
  }

  #moveOnceQuiet(held: ClientStream): void {
    const { reserved } = held;
    this.#o.timers.after(QUIET_MS, () => {
      if (held.reserved === reserved && held.awaited === 0) this.#move(held);
    });
  }

  /** Ends the stream, so that its client connects to another replica. */
  #move(held: ClientStream): void {
    this.#end(held, MOVE_MS);
  }

  /** Removes the stream from the table and ends its response. */
  #end(held: ClientStream, retryMs?: number): void {
    if (held.isEnding) return;
    this.#leave(held);
    held.events.end(retryMs);
  }

  #leave(held: ClientStream): void {
    held.isEnding = true;
    if (this.#byKey.get(held.key) !== held) return;
    this.#byKey.delete(held.key);
    this.#o.onLeft(held.key);
  }

  #closed(held: ClientStream): void {
    this.#leave(held);
    held.subscriptions?.end();
    const { account } = held;
    account.slow.delete(held);
    account.streams -= 1;
    const alike = (account.byServer.get(held.anonymousServerId) ?? 0) - 1;
    if (alike > 0) account.byServer.set(held.anonymousServerId, alike);
    else account.byServer.delete(held.anonymousServerId);
    if (account.streams === 0) this.#accounts.delete(account.id);
    this.#count -= 1;
    if (this.#isDraining && this.#count === 0) this.#none.resolve();
  }

  async #checkAdmission(held: ClientStream): Promise<void> {
    held.roundsUntilCheck = CHECK_ROUNDS;
    if (!(await held.isStillAdmitted())) this.#end(held);
  }

  #planTick(): void {
    this.#o.timers.after(TICK_MS, () => {
      const nowMs = this.#o.clock.now().getTime();
      this.#tick += 1;
      for (const held of this.#rounds[this.#tick % TICKS] ?? []) {
        // Waits a whole round, so that the client can read the data sent before the end.
        if (held.isEnding) held.events.cut();
        else if (held.expiresAtMs <= nowMs && held.awaited === 0) this.#end(held);
        else {
          held.events.keepAlive();
          held.roundsUntilCheck -= 1;
          if (held.roundsUntilCheck === 0) void this.#checkAdmission(held);
        }
      }
      this.#assembly.sweep(nowMs);
      if (instances.has(this)) this.#planTick();
    });
  }
}
