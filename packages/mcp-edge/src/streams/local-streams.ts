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
  isCurrent(stream: ClientStream): boolean {
    return this.#byKey.get(stream.key) === stream;
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
      throw overloaded(
        'The server has reached its maximum number of open streams of clients without a credential.',
      );
    if (anonymousServerId === undefined && alike >= limits.streamsPerAccount)
      throw overloaded('The account has reached its maximum number of open streams.');
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
    const stream: ClientStream = {
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
          round?.delete(stream);
          this.#closed(stream);
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
    round?.add(stream);
    this.#byKey.set(session.key, stream);
    if (this.#isDraining) this.#move(stream);
    return stream;
  }

  /** Executes a request to the stream with this key; undefined: this replica does not hold it. */
  take(key: string, request: StreamRequest): Outcome | undefined {
    const stream = this.#byKey.get(key);
    if (stream === undefined) return undefined;
    switch (request.case) {
      case 'reservation':
        // A stream that is about to end accepts no more messages; its client may soon have another stream elsewhere.
        if (this.#isClosing) return Outcome.BUSY;
        stream.awaited += 1;
        stream.reserved += 1;
        stream.reservedAtMs = this.#o.clock.now().getTime();
        return Outcome.DONE;
      case 'release':
        this.#settle(stream);
        return Outcome.DONE;
      case 'end':
        this.#end(stream);
        return Outcome.DONE;
      case 'subscriptionsChanged':
        void stream.subscriptions?.refresh();
        return Outcome.DONE;
      case 'piece':
        return this.#piece(stream, request.value);
      default:
        return Outcome.REFUSED;
    }
  }

  /** Called when the stream's first events were sent. Sends the missed messages, then those that waited. */
  begin(stream: ClientStream, missed: readonly SentMessage[] = []): void {
    stream.isBegun = true;
    for (const { json, id } of missed) if (this.isCurrent(stream)) this.#send(stream, json, id);
    for (const json of stream.early) if (this.isCurrent(stream)) this.#tell(stream, json);
    stream.early.clear();
  }

  /** Sends a message to each stream that the predicate accepts; the same message only once if a stream has not begun. */
  notify(isConcerned: (key: string, accountId: string) => boolean, json: Uint8Array): void {
    for (const stream of this.#byKey.values())
      if (isConcerned(stream.key, stream.account.id)) this.#tell(stream, json);
  }

  /** Sends a message to the stream with this key, in the same way. */
  tell(key: string, json: Uint8Array): void {
    const stream = this.#byKey.get(key);
    if (stream !== undefined) this.#tell(stream, json);
  }

  /** Ends an account's streams whose clients are no longer admitted, one after the other to avoid a burst of look-ups. */
  async checkAccount(accountId: string): Promise<void> {
    for (const stream of this.#byKey.values())
      if (stream.account.id === accountId) await this.#checkAdmission(stream);
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
    for (const stream of this.#byKey.values())
      if (stream.awaited === 0 && stream.reservedAtMs < activeFromMs) this.#move(stream);
    if (this.#count === 0) this.#none.resolve();
    const closing = this.#o.timers.after(graceMs / 2, () => {
      this.#isClosing = true;
      for (const stream of this.#byKey.values()) if (stream.awaited === 0) this.#move(stream);
    });
    const limit = this.#o.timers.after(graceMs, () => {
      for (const stream of this.#rounds.flatMap((round) => [...round])) stream.events.cut();
    });
    await this.#none.promise;
    closing.cancel();
    limit.cancel();
    instances.delete(this);
  }

  #tell(stream: ClientStream, json: Uint8Array): void {
    if (!stream.isBegun) stream.early.add(json);
    else if (stream.isReplayable) stream.sending = this.#sendStored(stream, json, stream.sending);
    else this.#send(stream, json);
  }

  /** Sends a message when it is stored and `before` has resolved. */
  async #sendStored(stream: ClientStream, json: Uint8Array, before: Promise<void>): Promise<void> {
    const [id] = await Promise.all([this.#o.sent.add(stream.key, json), before]);
    if (this.isCurrent(stream)) this.#send(stream, json, id);
  }

  #piece(stream: ClientStream, piece: Extract<StreamRequest, { case: 'piece' }>['value']): Outcome {
    const assembled = this.#assembly.add(piece, this.#o.clock.now().getTime());
    if (assembled === 'more') return Outcome.DONE;
    if (assembled === 'busy') return Outcome.BUSY;
    const isSent = assembled !== 'refused' && this.#send(stream, assembled);
    if (piece.isReserved) this.#settle(stream);
    return isSent ? Outcome.DONE : Outcome.REFUSED;
  }

  #send(stream: ClientStream, json: Uint8Array, id?: string): boolean {
    const { bufferedBytes, bufferedBytesPerAccount } = this.#o.limits;
    const { slow } = stream.account;
    let untaken = 0;
    let slowest = stream;
    for (const one of slow) {
      const bytes = one.events.bufferedBytes;
      if (bytes === 0) slow.delete(one);
      untaken += bytes;
      if (bytes > slowest.events.bufferedBytes) slowest = one;
    }
    if (untaken > bufferedBytesPerAccount) slowest.events.cut();
    if (stream.events.bufferedBytes > bufferedBytes) stream.events.cut();
    if (!stream.events.isOpen) return false;
    stream.events.sendJson('message', json, id);
    if (stream.events.bufferedBytes > 0) slow.add(stream);
    return true;
  }

  /** Called when a reserved message was sent, or is given up. */
  #settle(stream: ClientStream): void {
    stream.awaited = Math.max(0, stream.awaited - 1);
    if (stream.awaited > 0) return;
    if (this.#isClosing) this.#move(stream);
    else if (this.#isDraining || this.#isLeaving) this.#moveOnceQuiet(stream);
  }

  #moveOnceQuiet(stream: ClientStream): void {
    const { reserved } = stream;
    this.#o.timers.after(QUIET_MS, () => {
      if (stream.reserved === reserved && stream.awaited === 0) this.#move(stream);
    });
  }

  /** Ends the stream, so that its client connects to another replica. */
  #move(stream: ClientStream): void {
    this.#end(stream, MOVE_MS);
  }

  /** Removes the stream from the table and ends its response. */
  #end(stream: ClientStream, retryMs?: number): void {
    if (stream.isEnding) return;
    this.#leave(stream);
    stream.events.end(retryMs);
  }

  #leave(stream: ClientStream): void {
    stream.isEnding = true;
    if (this.#byKey.get(stream.key) !== stream) return;
    this.#byKey.delete(stream.key);
    this.#o.onLeft(stream.key);
  }

  #closed(stream: ClientStream): void {
    this.#leave(stream);
    stream.subscriptions?.end();
    const { account } = stream;
    account.slow.delete(stream);
    account.streams -= 1;
    const alike = (account.byServer.get(stream.anonymousServerId) ?? 0) - 1;
    if (alike > 0) account.byServer.set(stream.anonymousServerId, alike);
    else account.byServer.delete(stream.anonymousServerId);
    if (account.streams === 0) this.#accounts.delete(account.id);
    this.#count -= 1;
    if (this.#isDraining && this.#count === 0) this.#none.resolve();
  }

  async #checkAdmission(stream: ClientStream): Promise<void> {
    stream.roundsUntilCheck = CHECK_ROUNDS;
    if (!(await stream.isStillAdmitted())) this.#end(stream);
  }

  #planTick(): void {
    this.#o.timers.after(TICK_MS, () => {
      const nowMs = this.#o.clock.now().getTime();
      this.#tick += 1;
      for (const stream of this.#rounds[this.#tick % TICKS] ?? []) {
        // Waits a whole round, so that the client can read the data sent before the end.
        if (stream.isEnding) stream.events.cut();
        else if (stream.expiresAtMs <= nowMs && stream.awaited === 0) this.#end(stream);
        else {
          stream.events.keepAlive();
          stream.roundsUntilCheck -= 1;
          if (stream.roundsUntilCheck === 0) void this.#checkAdmission(stream);
        }
      }
      this.#assembly.sweep(nowMs);
      if (instances.has(this)) this.#planTick();
    });
  }
}
