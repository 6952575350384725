import { ApiError } from '@fairlead/errors/api-error';
import { ERROR_CATALOGUE } from '@fairlead/errors/catalogue';
import type { Clock } from '@fairlead/service-kit/clock';
import { errorEnvelope, withRequestId } from '@fairlead/service-kit/http/envelope';
import type { Exchange } from '@fairlead/service-kit/http/exchange';
import { asApiError, sendText, textOf } from '@fairlead/service-kit/http/reply';
import type { AccountCpu } from '@fairlead/service-kit/telemetry/account-cpu';
import type { Request, Response } from 'express';
import type { AuditLog } from '@fairlead/audit-log/audit-log';
import { isKeptError } from './idempotency/domain/call.ts';
import type { StoredResponse } from './idempotency/domain/call.ts';
import type { Idempotency } from './idempotency/idempotency.ts';
import { keyOwnerOf } from './idempotency/key-owner.ts';
import { isAllowed } from '@fairlead/access/permissions';
import { isRestrictedKey } from '@fairlead/access/principal';
import type { Principal } from '@fairlead/access/principal';
import { accountIn, answerOf, performed, sendAnswer } from './answer.ts';
import type { Answer, HandlerResult } from './answer.ts';
import { createAuditHook } from './audit-hook.ts';
import type { AuditedCall } from './audit-hook.ts';
import type { ByteRelay } from './byte-relay.ts';
import { callerOf } from './caller-of.ts';
import { checkMediaType, parseBody, readBody } from './body.ts';
import { MAX_BYTES_IN_PLACE } from './large-body/body-thread.ts';
import type { BodyThread } from './large-body/body-thread.ts';
import type { Challenges } from './challenge.ts';
import { IDEMPOTENCY_REPLAYED, readIdempotencyKey } from './idempotency-key.ts';
import type { LargeAnswers } from './large-answers.ts';
import { listEnvelope, withoutLazyItems } from './list.ts';
import { queryString } from './parameters.ts';
import { parseCall, parseParams } from './parse-call.ts';
import { isIdempotent } from './route.ts';
import type { ParsedCall, Route, Upload } from './route.ts';
import { mayBeLarge } from './large-bodies.ts';
import type { LargeBodies, LargeBodyPlace } from './large-bodies.ts';
import { openStream } from './stream.ts';

const FIRST_REFUSAL = 400;
/** Share of a call's time for which its body may wait for a place in memory; well below the server's limit for a request. */
const WAIT_SHARE = 0.5;
const MAX_WAIT_MS = 20_000;

/** A runnable route. */
export interface Operation {
  readonly route: Route;
  /** Time limit in milliseconds for the response, or for the first byte of a stream. */
  timeoutOf(request: Request): number;
  /**
   * Responds to the request, or throws an error that the edge turns into an envelope. For a stream, it returns the
   * function that sends the rest, without a deadline.
   */
  run(
    exchange: Exchange,
    principal: Principal | undefined,
    request: Request,
    reply: Response,
  ): Promise<(() => Promise<void>) | undefined>;
}
export interface OperationOptions<V extends object> {
  /** The services; each route gets only those that it names. */
  readonly services: V;
  readonly idempotency: Idempotency;
  readonly audit: AuditLog;
  readonly challenges: Challenges;
  readonly largeBodies: LargeBodies;
  readonly largeAnswers: Pick<LargeAnswers, 'take' | 'hasLarge' | 'inTurn'>;
  readonly bodyThread: Pick<BodyThread, 'parse'>;
  /** The connection to the service that receives and sends files. */
  readonly relay: ByteRelay;
  readonly accountCpu: Pick<AccountCpu, 'measure'>;
  readonly clock: Clock;
  /** Time limit of routes that call an application. */
  readonly timeoutMs: number;
  /** Time limit of calls that may make many calls to applications. */
  readonly longTimeoutMs: number;
  /** Time limit of all other routes. */
  readonly dataTimeoutMs: number;
  /** Whether an undeclared response becomes INTERNAL; otherwise it is only logged. */
  readonly isStrict: boolean;
  /** This service's name in calls to others without a principal. */
  readonly service: string;
}

/** A request to an operation, after the credential and budget checks. */
interface IncomingCall {
  readonly exchange: Exchange;
  readonly principal: Principal | undefined;
  readonly request: Request;
  readonly reply: Response;
  /** The memory place for a large JSON body; operator and anonymous calls need none. */
  readonly place: LargeBodyPlace | undefined;
}

/** The bytes of a request's body; if another service has received the body, the bytes by which calls are compared. */
interface ReceivedBody {
  readonly bytes: Buffer;
  readonly uploaded: Upload | undefined;
}

/**
 * Creates the operation, which runs all steps after the credential and budget checks: it checks the Idempotency-Key's
 * syntax, permission, body size, media type and JSON syntax, validates path, query and body by the route's schemas,
 * runs the handler, and checks that the route declares the response. With an Idempotency-Key, the body is read first,
 * because its bytes are compared; the other steps then run once.
 */
export function createOperation<V extends object>(route: Route<V>, o: OperationOptions<V>): Operation {
  const response = route.page === undefined ? route.response : route.response && listEnvelope(route.response);
  const declared = new Set<string>(route.errors);
  const takesKey = isIdempotent(route);
  const hook = createAuditHook(route, o.audit);
  const services = servicesOf(route, o.services);

  function timeoutOf(request: Request): number {
    if (!route.callsApplication) return o.dataTimeoutMs;
    const isLong =
      route.longWith !== undefined && new URLSearchParams(queryString(request.url)).has(route.longWith);
    return isLong ? o.longTimeoutMs : o.timeoutMs;
  }

  /** The options of a call's wait for a place in memory. */
  function waitOf(exchange: Exchange, principal: Principal, request: Request) {
    const { accountId } = principal;
    const { signal, deadline } = exchange.contextFor(callerOf(principal, o.service));
    const leftMs = deadline === undefined ? timeoutOf(request) : deadline.getTime() - Date.now();
    return { accountId, signal, waitMs: Math.min(leftMs * WAIT_SHARE, MAX_WAIT_MS) };
  }

  function placeFor(
    exchange: Exchange,
    principal: Principal | undefined,
    request: Request,
  ): LargeBodyPlace | undefined {
    if (principal === undefined || !mayBeLarge(request) || route.bytes !== undefined) return undefined;
    const wait = waitOf(exchange, principal, request);
    const place = o.largeBodies.placeFor(wait);
    // The work may continue after its deadline, but its result is ignored.
    wait.signal.addEventListener('abort', () => place.release(), { once: true });
    return place;
  }

  function measured<T>(principal: Principal | undefined, work: () => T): T {
    return principal === undefined ? work() : o.accountCpu.measure(principal.accountId, work);
  }

  /** The error for a caller without the permission, or whose key is confined to another toolset; undefined: permitted. */
  function permissionRefusal({ principal, request, reply }: IncomingCall): ApiError | undefined {
    const { permission } = route;
    const toolsetId = principal?.toolsetId ?? null;
    if (toolsetId !== null && !isWithin(toolsetId, request))
      return new ApiError('FORBIDDEN', 'The API key is confined to a toolset, and this is outside of it.');
    if (permission === undefined || (principal !== undefined && isAllowed(permission, principal)))
      return undefined;
    if (principal !== undefined && isRestrictedKey(principal))
      return new ApiError('FORBIDDEN', `The API key does not allow ${permission}.`);
    if (principal?.credentialType !== 'bearer' || principal.scopes?.includes(permission) === true)
      return new ApiError('FORBIDDEN', `Your role does not allow ${permission}.`);
    reply.setHeader('www-authenticate', o.challenges.insufficientScope(permission));
    return new ApiError('FORBIDDEN', `The token lacks the scope ${permission}.`);
  }

  /** Whether the route admits a key that is confined to this toolset. */
  function isWithin(toolsetId: string, request: Request): boolean {
    if (route.toolsetKeys === undefined) return false;
    if (route.toolsetKeys === 'ownToolset' && request.params['id'] !== toolsetId) return false;
    const sent = new URLSearchParams(queryString(request.url)).getAll('toolsetId');
    return sent.every((id) => id === toolsetId);
  }

  /** The parsed body, or the result of the service that received it. */
  async function receive({ exchange, principal, request, place }: IncomingCall): Promise<ReceivedBody> {
    if (route.bytes !== 'request') return { bytes: await readBody(exchange, place), uploaded: undefined };
    const uploaded = await o.relay.upload(
      exchange,
      exchange.contextFor(callerOf(principal, o.service)),
      request,
    );
    return { bytes: Buffer.from(uploaded.digest), uploaded };
  }

  /** The call, for the handler and for the audit log. */
  async function prepare(
    { exchange, principal, request }: IncomingCall,
    { bytes, uploaded }: ReceivedBody,
  ): Promise<{ readonly call: ParsedCall<V>; readonly audited: AuditedCall }> {
    if (bytes.length > 0 && uploaded === undefined) checkMediaType(request);
    const large =
      route.body !== undefined && principal !== undefined && bytes.length > MAX_BYTES_IN_PLACE
        ? await o.bodyThread.parse(principal.accountId, bytes, route)
        : undefined;
    const parse = () => {
      const sent = large ?? (route.body === undefined ? {} : parseBody(bytes, route));
      return { body: sent, parsed: parseCall(route, request, sent) };
    };
    const { body, parsed } = measured(principal, parse);
    const ctx = exchange.contextFor(callerOf(principal, o.service), { isOpenEnded: route.streams });
    const audited: AuditedCall = { exchange, principal, params: parsed.params, body };
    const nameRecord = (id: string): void => {
      audited.recordId = id;
    };
    return { call: { ...parsed, uploaded, ctx, principal, services, nameRecord }, audited };
  }

  /** Runs `work`; reports failures to the audit log. */
  async function orReportFailure<T>(audited: AuditedCall, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (thrown) {
      await hook.failed(audited, asApiError(thrown).code);
      throw thrown;
    }
  }

  async function perform(incoming: IncomingCall, received: ReceivedBody): Promise<HandlerResult> {
    const { call, audited } = await prepare(incoming, received);
    await hook.begin(audited);
    const result = await orReportFailure(audited, () =>
      // The synchronous part of the handler; most of it encodes the call for another service.
      measured(incoming.principal, () => route.handle(call)),
    );
    const answer = performed(result, call.page);
    await hook.succeeded(audited, answer.body);
    checkResponse(incoming.exchange, answer.body);
    return answer;
  }

  /** The call's answer. A large answer to a GET has a place by then. */
  async function answerWithin(incoming: IncomingCall, received: ReceivedBody): Promise<Answer> {
    const { exchange, principal, request, reply } = incoming;
    const readNow = async (): Promise<Answer> => answerOf(await perform(incoming, received));
    if (principal === undefined || route.method !== 'get') return await readNow();
    // Small pages do not wait, unless the account is being sent large ones, because the next page may be large too.
    const read = (): Promise<Answer> =>
      route.page !== undefined && o.largeAnswers.hasLarge(principal.accountId)
        ? o.largeAnswers.inTurn(waitOf(exchange, principal, request), 'page', readNow)
        : readNow();
    let answer: Answer | undefined = await read();
    if (!answer.isLarge) return answer;
    const closed = new Promise<void>((resolve) => void reply.once('close', resolve));
    const wait = o.largeAnswers.take(waitOf(exchange, principal, request), closed);
    if (wait === undefined) return answer;
    // Calls that wait hold no answer in memory; it is read again afterwards.
    answer = undefined;
    await wait;
    return await read();
  }

  async function stream(incoming: IncomingCall, received: ReceivedBody): Promise<() => Promise<void>> {
    const { call, audited } = await prepare(incoming, received);
    await hook.begin(audited);
    const rest = await orReportFailure(audited, async () => {
      // The handler of a streaming route returns pieces (RouteDeclaration).
      const pieces = (await route.handle(call)) as AsyncIterable<string | Uint8Array>;
      return openStream(incoming.request, incoming.reply, {
        status: route.status,
        pieces,
        stallMs: timeoutOf(incoming.request),
      });
    });
    return async () => {
      const isWhole = await orReportFailure(audited, rest);
      await (isWhole ? hook.succeeded(audited, undefined) : hook.failed(audited, undefined));
    };
  }

  /** Passes the service's response on; it begins before this resolves. */
  async function passOn(incoming: IncomingCall, received: ReceivedBody): Promise<() => Promise<void>> {
    await perform(incoming, received);
    const { exchange, principal, request, reply } = incoming;
    const origin = { from: route.bytesFrom ?? 'files', caller: callerOf(principal, o.service) };
    const rest = await o.relay.download(exchange, request, reply, origin);
    // From now on, only a client that stops reading is disconnected.
    reply.setTimeout(timeoutOf(request), () => reply.destroy());
    return rest;
  }

  /** Handles a call with an Idempotency-Key. Error responses are stored too, even for a missing permission. */
  async function answerOnce(incoming: IncomingCall, key: string): Promise<void> {
    const { exchange, principal, request, reply } = incoming;
    const forbidden = permissionRefusal(incoming);
    // Refuse before the upload is received.
    if (forbidden !== undefined && route.bytes === 'request') throw forbidden;
    const received = await receive(incoming);
    // If the client disconnects, the call continues, because a repeated call with the key gets its result.
    exchange.outliveClient();
    const { answer, isReplayed } = await o.idempotency.run(
      {
        owner: principal === undefined ? 'operator' : keyOwnerOf(principal),
        key,
        target: request.originalUrl,
        body: received.bytes,
        timeoutMs: timeoutOf(request),
      },
      async (): Promise<StoredResponse> => {
        try {
          if (forbidden !== undefined) throw forbidden;
          const { body } = await perform(incoming, received);
          return {
            status: route.status,
            text: textOf(body),
            ...(principal === undefined && { accountId: accountIn(body) }),
          };
        } catch (thrown) {
          const error = asApiError(thrown);
          if (!isKeptError(error.code)) throw thrown;
          checkError(exchange, thrown);
          const envelope = errorEnvelope(error, exchange.requestId, o.clock.now());
          return { status: ERROR_CATALOGUE[error.code].http, text: JSON.stringify(envelope) };
        }
      },
    );
    // A caller who has lost the permission must not get a stored response that requires it.
    if (forbidden !== undefined && answer.status !== ERROR_CATALOGUE.FORBIDDEN.http) throw forbidden;
    const isRefusal = answer.status >= FIRST_REFUSAL;
    if (isReplayed && !isRefusal) {
      const call = { exchange, principal, params: parseParams(route, request), body: undefined };
      await hook.replayed(call, answer.text === '' ? undefined : JSON.parse(answer.text));
    }
    if (isReplayed) reply.setHeader(IDEMPOTENCY_REPLAYED, 'true');
    sendText(
      reply,
      answer.status,
      isReplayed && isRefusal ? withRequestId(answer.text, exchange.requestId) : answer.text,
    );
  }

  function checkResponse(exchange: Exchange, body: unknown): void {
    const result = response === undefined ? undefined : response.safeParse(withoutLazyItems(body));
    if (result === undefined ? body === undefined : result.success) return;
    const issues = result?.error?.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
    exchange.log.error(
      { operationId: route.operationId, issues },
      'the response is not what its route declares',
    );
    if (o.isStrict) throw new Error(`${route.operationId} returned a response that it does not declare.`);
  }

  function checkError(exchange: Exchange, thrown: unknown): void {
    const { code } = asApiError(thrown);
    if (declared.has(code)) return;
    exchange.log.error(
      { operationId: route.operationId, errorCode: code },
      'the error is not one that its route declares',
    );
    if (o.isStrict) throw new Error(`${route.operationId} does not declare ${code}.`, { cause: thrown });
  }

  return {
    route,
    timeoutOf,
    async run(exchange, principal, request, reply) {
      const incoming: IncomingCall = {
        exchange,
        principal,
        request,
        reply,
        place: placeFor(exchange, principal, request),
      };
      try {
        const key = takesKey ? readIdempotencyKey(request) : undefined;
        if (key !== undefined) {
          await answerOnce(incoming, key);
          return undefined;
        }
        const forbidden = permissionRefusal(incoming);
        if (forbidden !== undefined) throw forbidden;
        const received = await receive(incoming);
        if (route.streams) return await stream(incoming, received);
        if (route.bytes === 'response') return await passOn(incoming, received);
        return await sendAnswer(incoming, await answerWithin(incoming, received), {
          status: route.status,
          stallMs: timeoutOf(request),
          check: (page) => checkResponse(exchange, page),
          inTurn: (read) =>
            principal === undefined
              ? read()
              : o.largeAnswers.inTurn(waitOf(exchange, principal, request), 'part', read),
        });
      } catch (error) {
        checkError(exchange, error);
        throw error;
      } finally {
        incoming.place?.release();
      }
    },
  };
}

function servicesOf<V extends object>(route: Route<V>, services: V): V {
  // The handler's type has only the services that the route names.
  return Object.fromEntries(route.services.map((name) => [name, services[name]])) as V;
}
