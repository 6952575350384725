import { request as httpRequest } from 'node:http';
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { createEndpointBalancer } from '@fairlead/connect-fast/endpoint-balancer';
import type { Endpoint } from '@fairlead/connect-fast/endpoint';
import type { Addresses } from '@fairlead/connect-fast/live-addresses';
import { ApiError } from '@fairlead/errors/api-error';
import { isErrorCode } from '@fairlead/errors/catalogue';
import { chooseTrack } from '@fairlead/service-kit/canary/peer-canaries';
import type { PeerCanaries } from '@fairlead/service-kit/canary/peer-canaries';
import type { Clock } from '@fairlead/service-kit/clock';
import { CALLER_HEADER } from '@fairlead/service-kit/context/caller-token';
import { createCallerSigner } from '@fairlead/service-kit/context/caller-tokens';
import { REQUEST_ID_HEADER } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { errorResponse } from '@fairlead/service-kit/http/envelope';
import type { Exchange } from '@fairlead/service-kit/http/exchange';
import type { KeyRing } from '@fairlead/service-kit/key-ring';
import { z } from 'zod';
import type { Upload } from '@fairlead/rest-kit/route';
import { closeOnAbort, ConnectionAgent, openConnection } from '@fairlead/service-proxy/connection';

const MAX_ANSWER_BYTES = 64 * 1024;
const FIRST_REFUSAL = 400;
/** The client's headers that are forwarded to the service. */
const PASSED_ON = [
  'content-type',
  'content-length',
  'content-disposition',
  'content-encoding',
  'transfer-encoding',
] as const satisfies (keyof IncomingHttpHeaders)[];

const uploadedForm: z.ZodType<Upload> = z.object({ fileId: z.string(), digest: z.string() });

/**
 * Forwards request bodies to `service`, at the path of the request and with the signed caller, no faster than the service reads. If an
 * address cannot be reached, the next one gets the whole body; once sending has begun, the body is not sent again. If the service refuses,
 * its error is rethrown, and the rest of the body is discarded.
 */
export function createServiceUpload(o: {
  readonly service: string;
  readonly addresses: Addresses;
  readonly canaries?: PeerCanaries | undefined;
  readonly callerKeys: KeyRing;
  readonly clock: Clock;
}): (exchange: Exchange, ctx: RequestContext, request: IncomingMessage) => Promise<Upload> {
  const channels = {
    open: (url: string) => new URL(url),
    // Each request has a connection of its own.
    close: () => Promise.resolve(),
  };
  const balancer = createEndpointBalancer(o.addresses, channels, { canary: o.canaries });
  const sign = createCallerSigner({ audience: o.service, keys: o.callerKeys });

  return async (exchange, ctx, request) => {
    const { canaries, track } = chooseTrack(o.canaries, ctx);
    const headers = {
      ...Object.fromEntries(
        PASSED_ON.flatMap((name) =>
          request.headers[name] === undefined ? [] : [[name, request.headers[name]]],
        ),
      ),
      ...exchange.span?.headers(),
      [REQUEST_ID_HEADER]: exchange.requestId,
      [CALLER_HEADER]: sign(ctx.caller, o.clock.now(), canaries),
    };
    const tried = new Set<Endpoint<URL>>();
    let failure: unknown;
    for (;;) {
      const endpoint = balancer.pick(tried, track) ?? (await balancer.pickRenewed(tried, track));
      if (endpoint === undefined) throw unavailable(failure);
      tried.add(endpoint);
      balancer.begin(endpoint);
      try {
        const { signal } = ctx;
        const connection = await openConnection(endpoint.channel, signal).catch((error: unknown) => {
          balancer.failed(endpoint);
          failure = error;
        });
        if (connection === undefined) continue;
        closeOnAbort(connection, signal);
        const answer = await send(request, connection, headers).catch((cause: unknown) => {
          balancer.failed(endpoint);
          throw unavailable(cause);
        });
        balancer.answered(endpoint);
        return uploadedOf(answer);
      } finally {
        balancer.end(endpoint);
      }
    }
  };
}

/** The response of a service: status and text. */
interface Answer {
  readonly status: number;
  readonly text: string;
}

function send(request: IncomingMessage, connection: Socket, headers: IncomingHttpHeaders): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { url: path } = request;
    const sent = httpRequest({ method: 'POST', path, headers, agent: new ConnectionAgent(connection) });
    sent.once('error', reject);
    sent.once('response', (answer) => {
      // The service may respond before it has read everything. The rest of the body is read and discarded.
      request.unpipe(sent);
      request.resume();
      readText(answer)
        .then((text) => resolve({ status: answer.statusCode ?? 0, text }), reject)
        .finally(() => close(sent));
    });
    request.pipe(sent);
  });
}

function close(sent: ClientRequest): void {
  sent.destroy();
}

async function readText(answer: IncomingMessage): Promise<string> {
  let text = '';
  answer.setEncoding('utf8');
  for await (const piece of answer) {
    text += String(piece);
    if (text.length > MAX_ANSWER_BYTES) throw new Error('The answer is too long.');
  }
  return text;
}

function uploadedOf({ status, text }: Answer): Upload {
  const json: unknown = JSON.parse(text);
  if (status < FIRST_REFUSAL) return uploadedForm.parse(json);
  const { errorCode, message, details, candidates } = errorResponse.parse(json);
  throw new ApiError(isErrorCode(errorCode) ? errorCode : 'INTERNAL', message, {
    ...(details !== undefined && { details }),
    ...(candidates !== undefined && { candidates }),
    ...(errorCode === 'RATE_LIMIT_EXCEEDED' && { retryAfterSeconds: 1 }),
  });
}

function unavailable(cause: unknown): ApiError {
  return new ApiError('UNAVAILABLE', 'A part of the system is not available. Try again.', { cause });
}
