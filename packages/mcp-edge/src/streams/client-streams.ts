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
import type { NewStream } from './local-streams.ts';
import type { Listeners } from './listeners.ts';
import type { ListNotices } from './list-notices.ts';
import { MAX_SUBSCRIPTIONS } from './session-clients.ts';
import type { SessionClientRecord, SessionClients, SessionSubscriptions } from './session-clients.ts';
import type { Session, SessionIds, SessionOwner } from './session-ids.ts';
import { NoSessionError } from './sessions.ts';
import type { Sessions } from './sessions.ts';
import type { ReservedPlace, StreamHub } from './stream-hub.ts';

/** The query parameter with the HTTP+SSE session, in the URL for messages. */
const SESSION_PARAMETER = 'sessionId';
const LAST_EVENT_HEADER = 'last-event-id';
/** Maximum length of a subscription's URI. */
const MAX_URI_BYTES = 2_000;

/** The parts of an admitted client's request that sessions need. */
interface SessionCall {
  readonly ctx: RequestContext;
  readonly owner: SessionOwner;
}

/** The response that becomes a stream, and the path for messages that an HTTP+SSE stream announces. */
interface StreamTarget extends Pick<NewStream, 'accountId' | 'isStillAdmitted' | 'response'> {
  readonly messagesPath: string;
  /** Subscribes to changes on behalf of the client. */
  readonly listen: OpenListening;
}

/** The sessions of clients, and the streams for answers and notifications. */
export interface ClientStreams {
  /** The id of a new Streamable HTTP session, whose client declared these capabilities. */
  start(owner: SessionOwner, capabilities: CapabilityBits): string;
  /**
   * The session of a message: at an address for messages, the one in the query; otherwise the one in the header.
   * Undefined: no header, so no session. Throws NoSessionError.
   */
  session(
    call: SessionCall,
    request: IncomingMessage,
    address: { readonly isForMessages: boolean },
  ): Promise<Session | undefined>;
  /** The client of a session; undefined: unknown. */
  client(ctx: RequestContext, session: Session | undefined): Promise<SessionClient | undefined>;
  /** Keeps the messages of an answer to a posted request of the session, so that its client can request them again. */
  keepAnswer(session: Session, accountId: string): ResumableAnswer;
  /** Stores further information about a session's client, visible at every replica. */
  rememberClient(ctx: RequestContext, session: Session, record: SessionClientRecord): Promise<void>;
  /**
   * Subscribes the session to a resource; notifications go to its stream, open now or later. Throws VALIDATION_ERROR
   * above the limits, and UNAVAILABLE if the stream's replica cannot be reached.
   */
  subscribe(ctx: RequestContext, session: Session, uri: string): Promise<void>;
  /** Ends a subscription, if there is one. */
  unsubscribe(ctx: RequestContext, session: Session, uri: string): Promise<void>;
  /**
   * Opens a stream: if the header names a session, its stream for notifications; otherwise an HTTP+SSE stream, whose
   * first event announces the URL for messages. Throws NoSessionError.
   */
  open(call: SessionCall, request: IncomingMessage, target: StreamTarget): Promise<void>;
  /** Ends the session in the header, and its stream. Throws NoSessionError. */
  end(call: SessionCall, request: IncomingMessage): Promise<void>;
  /** Reserves a place for an answer on the session's stream. Throws UNAVAILABLE if no reachable replica holds the stream. */
  reserve(ctx: RequestContext, session: Session): Promise<ReservedPlace>;
  /** Sends the answer of `work`, if there is one; a stop waits for it. `work` must not reject. */
  answer(place: ReservedPlace, work: () => Promise<Uint8Array | undefined>): Promise<void>;
  /** The clients that subscribe without a session. Their responses end together with the streams. */
  readonly listeners: Listeners;
  /** Called when the replica is about to stop: from then on, each stream ends between two calls of its client. */
  leave(): void;
  /** Waits for pending answers and then ends the streams, within `graceMs`. */
  drain(graceMs: number): Promise<void>;
}

/** Creates the streams of sessions. */
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

  /** Opens a session's stream, and sends its client notifications of changes. */
  async function openStream(
    { ctx, owner }: SessionCall,
    session: Session,
    { messagesPath: _path, listen, ...target }: StreamTarget,
    o: Pick<Parameters<StreamHub['open']>[0], 'isNew' | 'first' | 'isReplayable' | 'lastEventId'>,
  ): Promise<void> {
    // The context outlives the request, whose signal aborts at its end.
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
    const stream = {
      refresh: () => followed.refresh(),
      end() {
        followed.end();
        unfollow();
      },
    };
    try {
      await hub.open({ session, anonymousServerId, ...target, ...o, subscriptions: stream });
    } catch (error) {
      // If the stream is refused, its end would never be reported.
      unfollow();
      throw error;
    }
    if (!o.isNew) void followed.refresh();
    notices.opened(session);
  }

  async function openSse(call: SessionCall, request: IncomingMessage, target: StreamTarget): Promise<void> {
    const { owner } = call;
    // A client that lost its stream keeps its session if it sends the session's first event id.
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

  /** Opens a stream for the rest of an answer, if the client's event id belongs to an answer that a replica keeps. */
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

  /** The client; undefined if it cannot be read: the client then gets fewer messages. */
  async function clientRecord(
    ctx: RequestContext,
    { key }: Session,
  ): Promise<SessionClientRecord | undefined> {
    try {
      return await clients.find(ctx, key);
    } catch (error) {
      ctx.log.warn({ err: error }, 'cannot read the client of a session');
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
    start: (owner, capabilities) => sessions.start(owner, capabilities),
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
      const settled = work()
        .then(async (json) => void (await (json === undefined ? place.release() : place.send(json))))
        .then(() => void answers.delete(settled));
      answers.add(settled);
      return settled;
    },
    listeners,
    leave: () => hub.leave(),
    async drain(graceMs) {
      notices.close();
      followedServers.close();
      admissionChecks.close();
      const awaitAnswers = async (): Promise<void> => {
        while (answers.size > 0) await Promise.all(answers);
      };
      await Promise.all([
        hub.drain(graceMs),
        endsWithin(awaitAnswers(), graceMs),
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
