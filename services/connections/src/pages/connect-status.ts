import { ApiError } from '@fairlead/errors/api-error';
import type { Page } from '@fairlead/service-kit/http/app';
import { sendJson } from '@fairlead/service-kit/http/reply';
import type { Request, Response } from 'express';
import { bearerToken } from '@fairlead/access/bearer-token';
import type { connectSessionRecord } from '@fairlead/rest-records/connect-session';
import type { Clock } from '@fairlead/service-kit/clock';
import { Secret } from '@fairlead/service-kit/secret';
import type { z } from 'zod';
import { sessionStatus } from '../domain/connect-session.ts';
import type { ConnectSession } from '../domain/connect-session.ts';
import type { AddressLimit } from './address-limit.ts';
import type { PageUseCases } from './bind-use-cases.ts';
import { platformContext } from './platform-context.ts';
import type { TokenLimit } from './token-limit.ts';

export interface ConnectStatusOptions {
  readonly useCases: Pick<PageUseCases, 'readConnectSession' | 'isOriginAllowed'>;
  /** Network address of the client that sent the request. */
  readonly addressOf: (request: Request) => string;
  /** Limit for requests with an unknown token or none. */
  readonly limit: AddressLimit;
  readonly tokens: TokenLimit;
  readonly clock: Clock;
}

const PREFLIGHT_SECONDS = '600';
const MAX_ORIGIN_CHARACTERS = 2_048;

/**
 * `GET /connect/status`: the session of the bearer token, for scripts of the session's allowed origins. A preflight has no token; it is
 * granted to an origin that any unexpired session allows. Errors reveal nothing about a session and are readable by all origins, so that
 * scripts know whether to retry. Requests count against the token once it is known to be valid, before that against the network address;
 * never against the account's budgets, which customers' browsers could otherwise exhaust.
 */
export function connectStatusPage(o: ConnectStatusOptions): Page {
  const { useCases, addressOf, limit, tokens, clock } = o;
  const admit = (request: Request, token?: string): void => {
    const waitMs = (token === undefined ? undefined : tokens.take(token)) ?? limit(addressOf(request));
    if (waitMs === 0) return;
    const text = 'Too many requests come from your network, or for this session.';
    throw new ApiError('RATE_LIMIT_EXCEEDED', text, { retryAfterSeconds: Math.ceil(waitMs / 1000) });
  };

  return {
    path: '/connect/status',
    isSafe: true,
    async show(exchange, request, response) {
      response.setHeader('vary', 'origin');
      allow(response, '*');
      const token = bearerToken(request.headers.authorization ?? '');
      admit(request, token);
      if (token === undefined) throw unauthorized();
      const session = await useCases
        .readConnectSession(platformContext(exchange), new Secret(token))
        .catch((error: unknown) => {
          if (!(error instanceof ApiError) || error.code !== 'NOT_FOUND') throw error;
          tokens.remove(token);
          throw unauthorized();
        });
      tokens.add(token);
      response.removeHeader('access-control-allow-origin');
      response.removeHeader('access-control-expose-headers');
      const { origin } = request.headers;
      if (origin !== undefined && session.allowedOrigins.includes(origin)) allow(response, origin);
      sendJson(response, 200, present(session, clock.now()));
    },
    async preflight(exchange, request, response) {
      response.setHeader('vary', 'origin');
      admit(request);
      const { origin = '' } = request.headers;
      const isAllowed =
        origin !== '' &&
        origin.length <= MAX_ORIGIN_CHARACTERS &&
        (await useCases.isOriginAllowed(platformContext(exchange), origin));
      if (isAllowed) {
        allow(response, origin);
        response.setHeader('access-control-allow-methods', 'GET');
        response.setHeader('access-control-allow-headers', 'authorization, x-request-id');
        response.setHeader('access-control-max-age', PREFLIGHT_SECONDS);
      }
      sendJson(response, 204);
    },
  };
}

function allow(response: Response, origin: string): void {
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-expose-headers', 'x-request-id, retry-after');
}

function present(session: ConnectSession, now: Date): z.output<typeof connectSessionRecord> {
  return {
    sessionId: session.id,
    endUserId: session.endUserId,
    applicationSlugs: [...session.applicationSlugs],
    connectionId: session.connectionId,
    redirectUrl: session.redirectUrl,
    allowedOrigins: [...session.allowedOrigins],
    locale: session.locale,
    theme: session.theme,
    metadata: session.metadata,
    status: sessionStatus(session, now),
    connections: [...session.connections],
    lastError: session.lastError,
    expiresAt: session.expiresAt.toISOString(),
    createdAt: session.createdAt.toISOString(),
    updatedAt: session.updatedAt.toISOString(),
  };
}

function unauthorized(): ApiError {
  return new ApiError('UNAUTHORIZED', 'Send the token of a connect session as a bearer token.');
}
