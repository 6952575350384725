import type { IncomingMessage } from 'node:http';
import { ApiError, validationError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { endsWithin } from '@fairlead/service-kit/http/open';
import type { Timers } from '@fairlead/service-kit/timers';
import type { CapabilityBits } from '../interaction/client-capabilities.ts';
import type { ResumableAnswer } from '../interaction/resumable-answer.ts';
import type { ResumableAnswers } from '../interaction/resumable-answers.ts';
import type { SessionClient } from '../interaction/interactive-requests.ts';
import type { AdmissionChecks } from './admission-checks.ts';
import { FollowedResources } from './followed-resources.ts';
import type { FollowedServers } from './followed-servers.ts';
import type { OpenListening } from './followed-resources.ts';
import type { OpenedStream } from './held-streams.ts';
import type { Listeners } from './listeners.ts';
import type { ListNotices } from './list-notices.ts';
import { MAX_SUBSCRIPTIONS } from './session-clients.ts';
import type { SessionClientRecord, SessionClients, SessionSubscriptions } from './session-clients.ts';
import type { Session, SessionIds, SessionOwner } from './session-ids.ts';
import { NoSessionError } from './sessions.ts';
import type { Sessions } from './sessions.ts';
import type { ReservedPlace, StreamHub } from './stream-hub.ts';

/** The query parameter that names the session of HTTP+SSE in the address for messages. */
const SESSION_PARAMETER = 'sessionId';
const LAST_EVENT_HEADER = 'last-event-id';
/** Longest URI of a subscription. */
const MAX_URI_BYTES = 2_000;

/** An admitted client's request, as far as sessions are concerned. */
interface SessionCall {
  readonly ctx: RequestContext;
  readonly owner: SessionOwner;
}

/** The response that becomes a stream, and the path for messages that a stream of HTTP+SSE names. */
interface StreamTarget extends Pick<OpenedStream, 'accountId' | 'isStillAdmitted' | 'response'> {
  readonly messagesPath: string;
  /** Listens to changes on behalf of the client. */
  readonly listen: OpenListening;
}

/** Sessions of clients, and the streams that answers and notifications come on. */
export interface ClientStreams {
  /** The id of a new session of Streamable HTTP, whose client declared these capabilities. */
  begin(owner: SessionOwner, capabilities: CapabilityBits): string;
  /**
   * The session of a message. At an address for messages the query names it, otherwise a header; undefined: there is no header, and the
   * client has no session. Throws NoSessionError.
   */
  session(
    call: SessionCall,
    request: IncomingMessage,
    address: { readonly isForMessages: boolean },
  ): Promise<Session | undefined>;
  /** The client of a session; undefined: none. */
  client(ctx: RequestContext, session: Session | undefined): Promise<SessionClient | undefined>;
  /** Keeps the messages of an answer to a posted request of the session, whose client may ask for them again. */
  keepAnswer(session: Session, accountId: string): ResumableAnswer;
  /** Adds to what is known of the client of a session, on every replica. */
  rememberClient(ctx: RequestContext, session: Session, record: SessionClientRecord): Promise<void>;
  /**
   * Subscribes the session to a resource, for the stream that it has or opens later. Throws VALIDATION_ERROR beyond the bounds, and
   * UNAVAILABLE if the stream cannot be reached.
   */
  subscribe(ctx: RequestContext, session: Session, uri: string): Promise<void>;
  /** Ends a subscription, if there is one. */
  unsubscribe(ctx: RequestContext, session: Session, uri: string): Promise<void>;
  /**
   * Opens a stream: the session's, for notifications, where a header names one; otherwise one of HTTP+SSE, whose first event names the
   * address for messages. Throws NoSessionError.
   */
  open(call: SessionCall, request: IncomingMessage, target: StreamTarget): Promise<void>;
  /** Ends the session that the header names, and its stream. Throws NoSessionError. */
  end(call: SessionCall, request: IncomingMessage): Promise<void>;
  /** A place for an answer on the session's stream. Throws UNAVAILABLE if no replica that can be reached holds the stream. */
  reserve(ctx: RequestContext, session: Session): Promise<ReservedPlace>;
  /** Sends the answer that `work` resolves to, if there is one; a stop waits for it. `work` never rejects. */
  answer(place: ReservedPlace, work: () => Promise<Uint8Array | undefined>): Promise<void>;
  /** The clients that listen to changes without a session; their answers end with the streams. */
  readonly listeners: Listeners;
  /** The replica is about to stop: from now on each stream ends between two calls of its client. */
  leave(): void;
  /** Waits for the answers that are under way and ends the streams, within `graceMs`. */
  drain(graceMs: number): Promise<void>;
}

/** Streams that belong to sessions. */
export function createClientStreams(o: {
  readonly ids: SessionIds;
  readonly sessions: Sessions;
  readonly clients: SessionClients;
  readonly subscriptions: SessionSubscriptions;
  readonly timers: Timers;
  readonly resumable: ResumableAnswers;
  readonly hub: StreamHub;
  readonly notices: ListNotices;
  readonly followedServers: FollowedServers;
  readonly admissionChecks: AdmissionChecks;
  readonly listeners: Listeners;
}): ClientStreams {
  const {
    ids,
    sessions,
    clients,
    subscriptions,
    timers,
    resumable,
    hub,
    notices,
    followedServers,
    admissionChecks,
    listeners,
  } = o;
  const answers = new Set<Promise<void>>();

  /** Opens the stream of a session, and tells its client of changes. */
  async function openStream(
    { ctx, owner }: SessionCall,
    session: Session,
    { messagesPath: _path, listen, ...target }: StreamTarget,
    o: Pick<Parameters<StreamHub['open']>[0], 'isNew' | 'first' | 'isReplayable' | 'lastEventId'>,
  ): Promise<void> {
    // It lasts longer than the request, whose signal aborts at its end.
    const lasting = { ...ctx, signal: NEVER, deadline: undefined };
    const followed = new FollowedResources({
      read: () => subscriptions.find(lasting, session.key),
      open: listen,
      hasMissed: !o.isNew,
      send: (json) => hub.tell(session.key, json),
      timers,
      log: ctx.log,
    });
    const anonymousServerId = anonymousServer(owner);
    const unfollow = followedServers.opened(target.accountId, owner.serverId);
    const held = {
      refresh: () => followed.refresh(),
      end() {
        followed.end();
        unfollow();
      },
    };
    try {
      await hub.open({ session, anonymousServerId, ...target, ...o, subscriptions: held });
    } catch (error) {
      // A stream that was refused never ends.
      unfollow();
      throw error;
    }
    if (!o.isNew) void followed.refresh();
    notices.opened(session);
  }

  async function openSse(call: SessionCall, request: IncomingMessage, target: StreamTarget): Promise<void> {
    const { owner } = call;
    // A client that lost its stream keeps its session if it names the event with the id.
    const last = lastEventIdOf(request);
    const former = last === undefined ? undefined : ids.verify(last, owner, 'sse');
    const session = former ?? ids.issue(owner, 'sse');
    const first = {
      event: 'endpoint',
      data: `${target.messagesPath}?${SESSION_PARAMETER}=${session.id}`,
      id: session.id,
    };
    await openStream(call, session, target, { isNew: former === undefined, first });
  }

  /** Opens a stream for the rest of an answer, if the client names an event of one that a replica has. */
  async function resumeAnswer(
    session: Session,
    owner: SessionOwner,
    { headers }: IncomingMessage,
    { messagesPath: _path, listen: _listen, ...target }: StreamTarget,
  ): Promise<boolean> {
    const place = resumable.placeOf(lastEventIdOf({ headers }));
    if (place === undefined || !(await resumable.resume(session, place))) return false;
    const { expiresAt } = session;
    const stream = { key: resumable.streamKey(session, place), expiresAt };
    await hub.open({ ...target, session: stream, anonymousServerId: anonymousServer(owner), isNew: false });
    return true;
  }

  /** Undefined if it cannot be read: the client is then sent less. */
  async function clientRecord(
    ctx: RequestContext,
    { key }: Session,
  ): Promise<SessionClientRecord | undefined> {
    try {
      return await clients.find(ctx, key);
    } catch (error) {
      ctx.log.warn({ err: error }, 'the client of a session cannot be read');
      return undefined;
    }
  }

  function sseSession(owner: SessionOwner, { url = '' }: IncomingMessage): Session {
    const id = new URLSearchParams(url.slice(url.indexOf('?') + 1)).get(SESSION_PARAMETER);
    if (id === null)
      throw validationError({ field: SESSION_PARAMETER, issue: 'must be the one that the stream named' });
    const session = ids.verify(id, owner, 'sse');
    if (session === undefined) throw new NoSessionError();
    return session;
  }

  return {
    begin: (owner, capabilities) => sessions.begin(owner, capabilities),
    session: async ({ ctx, owner }, request, { isForMessages }) =>
      isForMessages ? sseSession(owner, request) : sessions.find(ctx, request, owner),
    async client(ctx, session) {
      if (session === undefined) return undefined;
      const { capabilities = session.capabilities, logLevel = '' } = (await clientRecord(ctx, session)) ?? {};
      return { capabilities, logLevel };
    },
    keepAnswer: (session, accountId) => resumable.open(session, accountId),
    rememberClient: (ctx, session, record) => clients.add(ctx, session, record),
    async subscribe(ctx, session, uri) {
      if (Buffer.byteLength(uri) > MAX_URI_BYTES)
        throw validationError({ field: 'params.uri', issue: `must have at most ${MAX_URI_BYTES} bytes` });
      if (!(await subscriptions.add(ctx, session, uri)))
        throw validationError({
          field: 'params.uri',
          issue: `is one too many: a session has at most ${MAX_SUBSCRIPTIONS} subscriptions`,
        });
      await hub.refreshSubscriptions(session.key);
    },
    async unsubscribe(ctx, { key }, uri) {
      await subscriptions.remove(ctx, key, uri);
      await hub.refreshSubscriptions(key);
    },
    async open(call, request, target) {
      const { ctx, owner } = call;
      const session = await sessions.find(ctx, request, owner);
      if (session === undefined) return openSse(call, request, target);
      if (await resumeAnswer(session, owner, request, target)) return;
      const lastEventId = lastEventIdOf(request);
      await openStream(call, session, target, { isNew: false, isReplayable: true, lastEventId });
    },
    async end({ ctx, owner }, request) {
      const { key } = await sessions.end(ctx, request, owner);
      await hub.end(key);
    },
    async reserve(ctx, { key }) {
      const place = await hub.reserve(key, ctx.signal);
      if (place !== undefined) return place;
      throw new ApiError(
        'UNAVAILABLE',
        'The stream of the session cannot be reached, so nothing was done. Connect again and send the message again.',
        { retryAfterSeconds: 1 },
      );
    },
    answer(place, work) {
      const answered = work()
        .then(async (json) => void (await (json === undefined ? place.release() : place.send(json))))
        .then(() => void answers.delete(answered));
      answers.add(answered);
      return answered;
    },
    listeners,
    leave: () => hub.leave(),
    async drain(graceMs) {
      notices.close();
      followedServers.close();
      admissionChecks.close();
      const answered = async (): Promise<void> => {
        while (answers.size > 0) await Promise.all(answers);
      };
      await Promise.all([
        hub.drain(graceMs),
        endsWithin(answered(), graceMs),
        endsWithin(listeners.drain(), graceMs),
      ]);
    },
  };
}

function lastEventIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  const last = headers[LAST_EVENT_HEADER];
  return typeof last === 'string' ? last : undefined;
}

function anonymousServer({ serverId, userId }: SessionOwner): string | undefined {
  return userId === undefined ? serverId : undefined;
}

const NEVER = new AbortController().signal;
