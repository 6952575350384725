import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import type { Client, RequestOptions, Transport } from '@modelcontextprotocol/client';
import type { JsonObject } from '@fairlead/connector-model/json';
import { EgressError } from '@fairlead/egress/error';
import { createTimedSignal } from '@fairlead/service-kit/timed-signal';
import { startDeadline } from '../deadline.ts';
import type { Deadline } from '../deadline.ts';
import { CallFailure } from '../failure.ts';
import type { HandlerCall } from '../handler.ts';
import { authorize } from '../http/authorization.ts';
import { challengeParameter } from '../mcp-oauth/challenge-parameter.ts';
import { limitedForMs } from '../http/vendor-limit.ts';
import { StaleSessionError, withPooledSession } from '../sessions/session-pool.ts';
import type { PooledSession, SessionKind } from '../sessions/session-pool.ts';
import { Conversation, LOG_LEVELS } from './conversation.ts';
import { FormerWire } from './former-wire.ts';
import { createAsideRequests } from './aside-requests.ts';
import type { SendAside } from './aside-requests.ts';
import { serverUrl } from './server-url.ts';
import { createSessionClient } from './session-client.ts';
import { createSessionFetch } from './session-fetch.ts';
import { createSessionMessages } from './session-messages.ts';
import type { SessionMessages } from './session-messages.ts';
import { SseTransport } from './sse-transport.ts';

/** Maximum time to end a session at the server, which would otherwise let it expire. */
const END_SESSION_TIMEOUT_MS = 2000;
/** Maximum wait for the response headers of a stream: a server may send them together with its first message. */
const LISTEN_LIMIT_MS = 1000;

const NOT_AN_MCP_SERVER = 'The address does not respond as an MCP server.';

/** An open session and the request options that carry the call's deadline. */
export interface McpSession {
  readonly client: Client;
  readonly options: RequestOptions;
  /** SessionMessages.setAsideContent. */
  readonly setAsideContent: () => () => JsonObject | undefined;
  readonly sendAside: SendAside;
  /** The conversation with the call's client; undefined: there is no client. */
  readonly conversation: Conversation | undefined;
}

const SESSIONS: SessionKind = { name: 'mcp', idleMs: 60_000, idlePerConnection: 5 };
/** Statuses with which servers refuse an unknown session. Source: MCP, "Transports"; the reference SDK answers 400. */
const UNKNOWN_SESSION: ReadonlySet<number> = new Set([400, 404]);
/** Source: RFC 6749, section 3.3. */
const SCOPES = /^[\x21\x23-\x5B\x5D-\x7E ]{1,300}$/;
/** The key is the connection's id, which is unique within the worker's account. */
const formerWire = new FormerWire();

/**
 * Runs `use` in a session with the connection's MCP server: in a kept session if the call has a session key, else in
 * a new one that is ended afterwards. If the server refuses a kept session before it accepts the request, a new
 * session is opened. The transport is Streamable HTTP, or HTTP+SSE (2024-11-05) if the server refuses that; a server
 * that used HTTP+SSE before is tried with it first. Throws CallFailure or EgressError for failures of the server and
 * the network.
 */
export async function withMcpSession<T>(
  call: HandlerCall,
  use: (session: McpSession) => Promise<T>,
): Promise<T> {
  const deadline = startDeadline(call);
  try {
    return await withPooledSession(call.sessions, {
      kind: SESSIONS,
      key: call.sessionKey,
      signal: deadline.signal,
      open: () => openMcpSession(call, deadline),
      work: async (session, isReused) => {
        await call.beforeSend?.(isReused);
        return await session.run(call, { deadline, isReused, use });
      },
    });
  } finally {
    deadline.end();
  }
}

/** A client, its transport, and the counters of its messages. It serves one call at a time. */
class PooledMcpSession implements PooledSession {
  readonly #opened: OpenSession;
  readonly #messages: SessionMessages;
  readonly #unsound = new AbortController();
  readonly lost: AbortSignal;
  #logLevel: string | undefined;

  constructor(opened: OpenSession, messages: SessionMessages) {
    this.#opened = opened;
    this.#messages = messages;
    this.lost = AbortSignal.any([messages.broken, this.#unsound.signal]);
  }

  async run<T>(
    { client: caller }: HandlerCall,
    {
      deadline,
      isReused,
      use,
    }: {
      readonly deadline: Deadline;
      readonly isReused: boolean;
      readonly use: (session: McpSession) => Promise<T>;
    },
  ): Promise<T> {
    if (isReused) this.#messages.startCall();
    const conversation = caller && new Conversation(caller);
    this.#messages.converse(conversation);
    const options = optionsOf(deadline, this.#messages);
    try {
      if (caller?.logLevel !== undefined) await this.#setLogLevel(caller.logLevel, options);
      const setAsideContent = () => this.#messages.setAsideContent();
      const sendAside = createAsideRequests(this.#opened, this.#messages, options);
      return await use({ client: this.#opened.client, options, conversation, setAsideContent, sendAside });
    } catch (error) {
      // The session can be reused only if the server followed the protocol.
      if (!(error instanceof CallFailure || error instanceof ProtocolError)) this.#unsound.abort();
      if (isReused && error instanceof SdkHttpError && UNKNOWN_SESSION.has(error.status ?? 0))
        throw new StaleSessionError('', { cause: error });
      throw failureOf(error, deadline, this.#messages);
    } finally {
      this.#messages.converse(undefined);
    }
  }

  /** Sets the server's log level, as versions before 2026-07-28 require. If the server refuses, it sends no log messages. */
  async #setLogLevel(level: string, options: RequestOptions): Promise<void> {
    const { client } = this.#opened;
    const known = LOG_LEVELS.find((name) => name === level);
    const isSettable =
      client.getProtocolEra() === 'legacy' && client.getServerCapabilities()?.logging !== undefined;
    if (known === undefined || !isSettable || level === this.#logLevel) return;
    await client.setLoggingLevel(known, options).catch((error: unknown) => {
      if (!(error instanceof ProtocolError)) throw error;
    });
    this.#logLevel = level;
  }

  async reset(): Promise<void> {
    this.#messages.endCall();
  }

  close(): void {
    // Not awaited, because the call's deadline may have passed.
    void endSession(this.#opened);
  }
}

/** Opens a session. Throws CallFailure or EgressError. */
async function openMcpSession(call: HandlerCall, deadline: Deadline): Promise<PooledMcpSession> {
  const target = authorize(call.method.scheme, call.credential, { url: serverUrl(call), headers: {} });
  const fetch = failingWhenRefused(call.egress.createFetch(call.accountId));
  const messages = createSessionMessages(call.client && new Conversation(call.client));
  const capabilities = call.client?.capabilities;
  const listening = Promise.withResolvers<void>();
  const headers = { ...target.headers };
  const connection = call.sessionKey?.connection;
  const streamable = (): StreamableHTTPClientTransport =>
    new StreamableHTTPClientTransport(target.url, {
      fetch: createSessionFetch(fetch, messages, listening.resolve),
      requestInit: { headers },
      reconnectionOptions: {
        maxRetries: 0,
        initialReconnectionDelay: 1000,
        maxReconnectionDelay: 1000,
        reconnectionDelayGrowFactor: 1,
      },
    });
  const options = (): RequestOptions => optionsOf(deadline, messages);
  const connect = (transport: Transport, mode: 'auto' | 'legacy'): Promise<OpenSession> =>
    openSession({ client: createSessionClient(mode, messages, capabilities), transport }, options());
  const openEvents = (): Promise<OpenSession> =>
    connect(new SseTransport({ url: target.url, headers, fetch, session: messages }), 'legacy');
  const isOver = (): boolean => deadline.signal.aborted || messages.broken.aborted;
  const openEither = (): Promise<OpenSession> =>
    connect(streamable(), 'auto').catch(async (refusal: unknown) => {
      if (!mayServeEvents(refusal) || isOver()) throw refusal;
      // If a server refuses both transports, its first refusal explains more, unless it opened a stream.
      const opened = await openEvents().catch((error: unknown) => {
        throw error instanceof SdkHttpError && error.status !== 401 ? refusal : error;
      });
      if (connection !== undefined) formerWire.note(connection);
      return opened;
    });
  const open = async (): Promise<OpenSession> => {
    if (connection === undefined || !formerWire.isSpoken(connection)) return await openEither();
    return await openEvents().catch((error: unknown) => {
      formerWire.forget(connection);
      if (!mayServeEvents(error) || isOver()) throw error;
      return openEither();
    });
  };
  try {
    const opened = await open();
    if (messages.isOpenToServer && opened.client.getProtocolEra() === 'legacy')
      await untilListening(opened, listening.promise, deadline);
    return new PooledMcpSession(opened, messages);
  } catch (error) {
    throw failureOf(error, deadline, messages);
  }
}

/**
 * A fetch that turns a 429 into a failure with its wait, and a 403 for a missing scope into a failure that names the
 * scope. Used by both transports.
 */
function failingWhenRefused(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const challenge = response.status === 403 ? (response.headers.get('www-authenticate') ?? '') : '';
    if (challengeParameter(challenge, 'error') === 'insufficient_scope') {
      await response.body?.cancel().catch(() => undefined);
      throw new CallFailure(missingScope(challengeParameter(challenge, 'scope')));
    }
    if (response.status !== 429) return response;
    await response.body?.cancel().catch(() => undefined);
    const headers = { 'retry-after': response.headers.get('retry-after') ?? '' };
    const forMs = limitedForMs({ status: 429, headers }, null, new Date());
    throw new CallFailure('The MCP server responded with HTTP status 429.', { limitedForMs: forMs });
  };
}

/** Asks the person to sign in again, because a call cannot request more scopes (MCP, "Step-Up Authorization Flow"). */
function missingScope(scope: string | undefined): string {
  const named = scope !== undefined && SCOPES.test(scope) ? ` (${scope})` : '';
  return `The MCP server requires a scope that the credential does not have${named}. Sign in again to grant it.`;
}

function optionsOf(deadline: Deadline, { broken }: SessionMessages): RequestOptions {
  return { signal: AbortSignal.any([deadline.signal, broken]), timeout: deadline.remainingMs() };
}

function failureOf(error: unknown, deadline: Deadline, { broken }: SessionMessages): unknown {
  if (broken.aborted) return asCallFailure(broken.reason);
  if (deadline.signal.aborted && error === deadline.signal.reason) return timedOut(error);
  return asCallFailure(error);
}

/** A client and its transport. */
interface OpenSession {
  readonly client: Client;
  readonly transport: Transport;
}

/** Connects a client. If that fails, ends the session. */
async function openSession(opened: OpenSession, options: RequestOptions): Promise<OpenSession> {
  try {
    await unlessAborted(opened.client.connect(opened.transport, options), options.signal);
  } catch (error) {
    void endSession(opened);
    throw error;
  }
  return opened;
}

/**
 * Waits until the standalone stream is open, because an earlier message would be lost, but no longer than the limit.
 * Ends the session and throws if the call's deadline passes.
 */
async function untilListening(
  opened: OpenSession,
  listening: Promise<void>,
  deadline: Deadline,
): Promise<void> {
  const { transport } = opened;
  if (!(transport instanceof StreamableHTTPClientTransport) || transport.sessionId === undefined) return;
  const limit = createTimedSignal(deadline.signal, LISTEN_LIMIT_MS);
  try {
    await unlessAborted(listening, limit.signal);
  } catch (error) {
    if (limit.isTimedOut()) return;
    void endSession(opened);
    throw error;
  } finally {
    limit.end();
  }
}

/** Whether a refusal is typical of a server that only supports HTTP+SSE. Source: MCP, "Transports", backwards compatibility. */
function mayServeEvents(refusal: unknown): boolean {
  return refusal instanceof SdkHttpError && [400, 404, 405].includes(refusal.status);
}

/** The SDK ignores the signal while it negotiates the version, so the session is ended to end its request. */
async function unlessAborted(opening: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    await Promise.race([opening, aborted.promise]);
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

/** Never rejects. A server may refuse to end a session, or be gone; neither matters. */
async function endSession({ client, transport }: OpenSession): Promise<void> {
  const timer = setTimeout(() => {
    transport.close().catch(() => undefined);
  }, END_SESSION_TIMEOUT_MS);
  if (transport instanceof StreamableHTTPClientTransport)
    await transport.terminateSession().catch(() => undefined);
  clearTimeout(timer);
  await client.close().catch(() => undefined);
  await transport.close().catch(() => undefined);
}

/** The expected failure behind an error of the SDK or the egress; other errors unchanged. */
function asCallFailure(error: unknown): unknown {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof CallFailure || cause instanceof EgressError) return cause;
  }
  if (error instanceof UnauthorizedError) return unauthorized(error);
  if (error instanceof SdkHttpError) {
    if (error.status === 401) return unauthorized(error);
    return new CallFailure(`The MCP server responded with HTTP status ${error.status}.`, { cause: error });
  }
  if (error instanceof ProtocolError) {
    return new CallFailure(`The MCP server returned an error: ${error.message}`, { cause: error });
  }
  if (error instanceof SdkError) {
    if (error.code === SdkErrorCode.RequestTimeout) return timedOut(error);
    if (error.code === SdkErrorCode.CapabilityNotSupported)
      return new CallFailure('The tool asks for input that this call cannot give.', { cause: error });
    return new CallFailure(NOT_AN_MCP_SERVER, { cause: error });
  }
  // Errors of the SDK's parsers; the class of the second one is not exported.
  if (error instanceof SyntaxError || (error instanceof Error && error.name === 'ZodError')) {
    return new CallFailure(NOT_AN_MCP_SERVER, { cause: error });
  }
  return error;
}

/**
 * The SDK's timer may fire just before the call's deadline. It is reported as an egress timeout, which reads the same
 * to the caller.
 */
function timedOut(cause: unknown): EgressError {
  return new EgressError('timeout', 'The MCP server did not respond in time.', cause);
}

function unauthorized(cause: Error): CallFailure {
  return new CallFailure('The MCP server refused the credential.', { isUnauthorized: true, cause });
}
