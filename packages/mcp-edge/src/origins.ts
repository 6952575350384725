import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '@fairlead/errors/api-error';
import { IDEMPOTENCY_REPLAYED } from '@fairlead/rest-kit/idempotency-key';
import { REQUEST_ID_HEADER } from '@fairlead/service-kit/context/context';
import { isLoopback } from '@fairlead/service-kit/http/form-target';
import { sendJson } from '@fairlead/service-kit/http/reply';

const EXPOSED = [
  'Mcp-Session-Id',
  'WWW-Authenticate',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  IDEMPOTENCY_REPLAYED,
  REQUEST_ID_HEADER,
].join(', ');
/** `*` stands for every header but Authorization (Fetch, "CORS-preflight fetch"). */
const SENT = 'Authorization, *';
const MAX_AGE_SECONDS = '7200';
const SCHEMES = ['http', 'https'];

/** The origins whose scripts may call MCP servers, and the hosts by which clients may reach them. */
export interface Origins {
  /**
   * Throws FORBIDDEN for a foreign Host (DNS rebinding) and for a foreign Origin. Permits scripts of an allowed
   * origin to read the response.
   */
  check(request: IncomingMessage, response: ServerResponse): void;
}

/**
 * Allows the origin of the public address and the given origins, each with its host. `isLoopbackAllowed`: also
 * origins of the person's own computer.
 */
export function createOrigins(o: {
  readonly publicUrl: string;
  readonly allowed: readonly string[];
  readonly isLoopbackAllowed: boolean;
}): Origins {
  const urls = [o.publicUrl, ...o.allowed].map((text) => new URL(text));
  const origins = new Set(urls.map(({ origin }) => origin));
  const hosts = new Set(urls.flatMap(hostsOf));
  const isOwnComputer = (text: string): boolean => {
    const url = o.isLoopbackAllowed ? URL.parse(text) : null;
    return url !== null && url.username === '' && url.pathname === '/' && isLoopback(url);
  };
  return {
    check({ headers }, response) {
      response.setHeader('vary', 'Origin');
      const { host = '', origin } = headers;
      if (!hosts.has(host.toLowerCase()) && !isOwnComputer(`http://${host}`))
        throw foreign('Host', 'under which clients may reach the MCP servers');
      if (origin === undefined) return;
      if (!origins.has(origin) && !isOwnComputer(origin))
        throw foreign('Origin', 'whose scripts may call the MCP servers');
      response.setHeader('access-control-allow-origin', origin);
      response.setHeader('access-control-expose-headers', EXPOSED);
    },
  };
}

/** Responds to the CORS preflight of an allowed origin. */
export function answerClientPreflight(response: ServerResponse, methods: readonly string[]): void {
  response.setHeader('allow', methods.join(', '));
  response.setHeader('access-control-allow-methods', methods.join(', '));
  response.setHeader('access-control-allow-headers', SENT);
  response.setHeader('access-control-max-age', MAX_AGE_SECONDS);
  sendJson(response, 204);
}

/** A client may include the default port of the scheme. */
function hostsOf({ host, hostname, port, protocol }: URL): readonly string[] {
  const implied = protocol === 'https:' ? '443' : '80';
  return port === '' ? [host, `${hostname}:${implied}`] : [host];
}

function foreign(header: string, kind: string): ApiError {
  return new ApiError('FORBIDDEN', `The ${header} header names none ${kind} (MCP_ALLOWED_ORIGINS).`);
}

/** Whether a text is an origin in the form that browsers send: `https://app.example`. */
export function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && url.origin === text && SCHEMES.includes(url.protocol.slice(0, -1));
}
