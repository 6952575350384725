import { ApiError } from '@fairlead/errors/api-error';
import { ERROR_CATALOGUE } from '@fairlead/errors/catalogue';
import type { Clock } from '@fairlead/service-kit/clock';
import type { Caller } from '@fairlead/service-kit/context/caller';
import type { RequestContext } from '@fairlead/service-kit/context/context';
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
import type { Answer, Performed } from './answer.ts';
import { createAuditHook } from './audit-hook.ts';
import type { AuditedCall } from './audit-hook.ts';
import { callerOf } from './caller-of.ts';
import { checkMediaType, parseBody, readBody } from './body.ts';
import { MAX_BYTES_IN_PLACE } from './large-body/body-thread.ts';
import type { BodyThread } from './large-body/body-thread.ts';
import type { Challenges } from './challenge.ts';
import { IDEMPOTENCY_REPLAYED, readIdempotencyKey } from './idempotency-key.ts';
import type { LargeAnswers } from './large-answers.ts';
import { listEnvelope } from './list.ts';
import { queryString } from './parameters.ts';
import { parseCall, parseParams } from './parse-call.ts';
import { isIdempotent } from './route.ts';
import type { BytesSource, ParsedCall, Route, Uploaded } from './route.ts';
import { mayBeLarge } from './large-bodies.ts';
import type { LargeBodies, LargeBodyPlace } from './large-bodies.ts';
import { openStream } from './stream.ts';

const FIRST_REFUSAL = 400;
/** How much of the time of a call its body may wait for a place in memory; well below the server's limit for a request. */
const WAIT_SHARE = 0.5;
const MAX_WAIT_MS = 20_000;

/** A route that can be run. */
export interface Operation {
  readonly route: Route;
  /** Longest time until the response to a request, or until the first byte of a stream, in milliseconds. */
  timeoutOf(request: Request): number;
  /**
   * Responds to the request, or throws an error that the edge turns into an envelope. For a stream it returns the
   * function that sends the rest; no deadline applies to that.
   */
  run(
    exchange: Exchange,
    principal: Principal | undefined,
    request: Request,
    reply: Response,
  ): Promise<(() => Promise<void>) | undefined>;
}
export interface OperationOptions<V extends object> {
  /** A route gets only the services that it names. */
  readonly services: V;
  readonly idempotency: Idempotency;
  readonly audit: AuditLog;
  readonly challenges: Challenges;
  readonly largeBodies: LargeBodies;
  readonly largeAnswers: Pick<LargeAnswers, 'take' | 'hasLarge' | 'inTurn'>;
  readonly bodyThread: Pick<BodyThread, 'parse'>;
  /** To the service that receives and sends the bytes of files. */
  readonly relay: ByteRelay;
  readonly accountCpu: Pick<AccountCpu, 'measure'>;
  readonly clock: Clock;
  /** Longest time that a route which calls an application may take. */
  readonly timeoutMs: number;
  /** The same for a call that may be one of many applications. */
  readonly longTimeoutMs: number;
  /** Longest time that any other route may take. */
  readonly dataTimeoutMs: number;
  /** Whether a response that its route does not declare becomes INTERNAL; otherwise it is only logged. */
  readonly isStrict: boolean;
  /** The name that other services know this one by, in calls without a principal. */
  readonly service: string;
}

/** One request to an operation, after the credential and budget checks. */
interface Run {
  readonly exchange: Exchange;
  readonly principal: Principal | undefined;
  readonly request: Request;
  readonly reply: Response;
  /** For a JSON body that may be large; calls of the operator, and anonymous ones, need none. */
  readonly place: LargeBodyPlace | undefined;
}

/** The body of a request: its bytes, or what its bytes are compared by if another service has received it. */
interface Received {
  readonly bytes: Buffer;
  readonly uploaded: Uploaded | undefined;
}

/** The way of bytes to and from another service; the gateway keeps none of them. */
export interface ByteRelay {
  /** Sends the body to the service as it comes. Rejects with the service's own refusal. */
  upload(exchange: Exchange, ctx: RequestContext, request: Request): Promise<Uploaded>;
  /** Resolves once the service's response has begun, to the function that sends the rest. */
  download(
    exchange: Exchange,
    request: Request,
    response: Response,
    o: { readonly from: BytesSource; readonly caller: Caller },
  ): Promise<() => Promise<void>>;
}

/**
 * Creates the operation, which does everything after credential and budgets: checks the Idempotency-Key's syntax,
 * permission, body size, media type and syntax, validates path, query and body by the route's schemas, runs the
 * handler, and checks that the route declares the response. With a key, the body is read first, because its bytes are
 * compared; all the rest then runs once.
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

  /** How a call waits for a place in memory. */
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
    // The work may go on for a while after its deadline, but nobody waits for it.
    wait.signal.addEventListener('abort', () => place.release(), { once: true });
    return place;
  }

  function measured<T>(principal: Principal | undefined, work: () => T): T {
    return principal === undefined ? work() : o.accountCpu.measure(principal.accountId, work);
  }

  /** Undefined for a caller with the permission, whose key is not confined to a toolset that the call is outside of. */
  function permissionRefusal({ principal, request, reply }: Run): ApiError | undefined {
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

  /** Whether the route takes a call of a key that is confined to this toolset. */
  function isWithin(toolsetId: string, request: Request): boolean {
    if (route.toolsetKeys === undefined) return false;
    if (route.toolsetKeys === 'ownToolset' && request.params['id'] !== toolsetId) return false;
    const sent = new URLSearchParams(queryString(request.url)).getAll('toolsetId');
    return sent.every((id) => id === toolsetId);
  }

  /** The body, or what the service that got it made of it. */
  async function receive({ exchange, principal, request, place }: Run): Promise<Received> {
    if (route.bytes !== 'request') return { bytes: await readBody(exchange, place), uploaded: undefined };
    const uploaded = await o.relay.upload(
      exchange,
      exchange.contextFor(callerOf(principal, o.service)),
      request,
    );
    return { bytes: Buffer.from(uploaded.digest), uploaded };
  }

  /** The call for the handler, and for the audit log. */
  async function prepare(
    { exchange, principal, request }: Run,
    { bytes, uploaded }: Received,
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

  /** Runs `work`; reports a failure to the audit log. */
  async function orReportFailure<T>(audited: AuditedCall, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (thrown) {
      await hook.failed(audited, asApiError(thrown).code);
      throw thrown;
    }
  }

  async function perform(run: Run, received: Received): Promise<Performed> {
    const { call, audited } = await prepare(run, received);
    await hook.begin(audited);
    const result = await orReportFailure(audited, () =>
      // Until it first waits: encoding the call for another service is the most of it.
      measured(run.principal, () => route.handle(call)),
    );
    const answer = performed(result, call.page);
    await hook.succeeded(audited, answer.body);
    checkResponse(run.exchange, answer.body);
    return answer;
  }

  /** The answer of a call. A large one of a GET has its place by then. */
  async function answerWithin(run: Run, received: Received): Promise<Answer> {
    const { exchange, principal, request, reply } = run;
    const readNow = async (): Promise<Answer> => answerOf(await perform(run, received));
    if (principal === undefined || route.method !== 'get') return await readNow();
    // Small pages are not kept waiting, except while the account is sent large ones: the next may be another of these.
    const read = (): Promise<Answer> =>
      route.page !== undefined && o.largeAnswers.hasLarge(principal.accountId)
        ? o.largeAnswers.inTurn(waitOf(exchange, principal, request), 'page', readNow)
        : readNow();
    let answer: Answer | undefined = await read();
    if (!answer.isLarge) return answer;
    const closed = new Promise<void>((resolve) => void reply.once('close', resolve));
    const wait = o.largeAnswers.take(waitOf(exchange, principal, request), closed);
    if (wait === undefined) return answer;
    // Calls that wait hold no answer: it is read anew.
    answer = undefined;
    await wait;
    return await read();
  }

  async function stream(run: Run, received: Received): Promise<() => Promise<void>> {
    const { call, audited } = await prepare(run, received);
    await hook.begin(audited);
    const rest = await orReportFailure(audited, async () => {
      // The handler of a route that streams returns pieces (RouteDeclaration).
      const pieces = (await route.handle(call)) as AsyncIterable<string | Uint8Array>;
      return openStream(run.request, run.reply, {
        status: route.status,
        pieces,
        stallMs: timeoutOf(run.request),
      });
    });
    return async () => {
      const isWhole = await orReportFailure(audited, rest);
      await (isWhole ? hook.succeeded(audited, undefined) : hook.failed(audited, undefined));
    };
  }

  /** Passes the response of the service on, which begins before this resolves. */
  async function passOn(run: Run, received: Received): Promise<() => Promise<void>> {
    await perform(run, received);
    const { exchange, principal, request, reply } = run;
    const origin = { from: route.bytesFrom ?? 'files', caller: callerOf(principal, o.service) };
    const rest = await o.relay.download(exchange, request, reply, origin);
    // From now on only a client that stops reading is disconnected.
    reply.setTimeout(timeoutOf(request), () => reply.destroy());
    return rest;
  }

  /** Handles a call with an Idempotency-Key. An error response is stored too, including that of a missing permission. */
  async function answerOnce(run: Run, key: string): Promise<void> {
    const { exchange, principal, request, reply } = run;
    const forbidden = permissionRefusal(run);
    // An upload that is refused anyway is not received.
    if (forbidden !== undefined && route.bytes === 'request') throw forbidden;
    const received = await receive(run);
    // A repeated call with the key gets the result of this call.
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
          const { body } = await perform(run, received);
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
    // A caller who has lost the permission does not get the stored response that it gave access to.
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
    const result = response === undefined ? undefined : response.safeParse(body);
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
      const run: Run = { exchange, principal, request, reply, place: placeFor(exchange, principal, request) };
      try {
        const key = takesKey ? readIdempotencyKey(request) : undefined;
        if (key !== undefined) {
          await answerOnce(run, key);
          return undefined;
        }
        const forbidden = permissionRefusal(run);
        if (forbidden !== undefined) throw forbidden;
        const received = await receive(run);
        if (route.streams) return await stream(run, received);
        if (route.bytes === 'response') return await passOn(run, received);
        return await sendAnswer(run, await answerWithin(run, received), {
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
        run.place?.release();
      }
    },
  };
}

function servicesOf<V extends object>(route: Route<V>, services: V): V {
  // The handler's type has only the services that the route names.
  return Object.fromEntries(route.services.map((name) => [name, services[name]])) as V;
}
