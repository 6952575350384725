import type { IncomingMessage } from 'node:http';
import type { Exchange } from '@fairlead/service-kit/http/exchange';
import { errors } from 'oidc-provider';
import type { ReadAccessToken } from '@fairlead/access/access-token';
import { readRegistration } from '../clients/public-client.ts';
import type { Resources } from '@fairlead/access/resources';
import { ROUTES } from './routes.ts';
import { readBodyText } from './request-body.ts';
import type { StructuredTokens } from './structured-tokens.ts';

/** The dependencies of body preparation. */
export interface PrepareBodyDeps {
  readonly resources: Resources;
  readonly readAccessToken: ReadAccessToken;
  readonly structuredTokens: StructuredTokens;
}

/**
 * Calls `answer` with the body that the library gets: resources normalized, registrations narrowed to what is allowed, an access token to
 * introspect or revoke replaced by a handle that is valid during `answer`. Throws the library's errors for an unreadable body.
 */
export async function withPreparedBody(
  deps: PrepareBodyDeps,
  exchange: Exchange,
  request: IncomingMessage,
  path: string,
  answer: (body: string | undefined) => Promise<void>,
): Promise<void> {
  if (request.method !== 'POST') return answer(undefined);
  const text = await readBodyText(exchange, request);
  if (text === undefined) throw new errors.InvalidRequest('the body is too large or not text', 413);
  if (path === ROUTES.registration) return answer(JSON.stringify(readRegistration(readJson(text))));
  if (!isForm(request)) return answer(text);
  const form = withOurResources(new URLSearchParams(text), deps.resources);
  const token = form.getAll('token');
  const [value, ...others] = token;
  const isAboutToken = path === ROUTES.revocation || path === ROUTES.introspection;
  const read =
    isAboutToken && value !== undefined && others.length === 0
      ? await deps.readAccessToken(value)
      : undefined;
  if (read === undefined) return answer(form.toString());
  return deps.structuredTokens.during(read, (handle) => {
    form.set('token', handle);
    return answer(form.toString());
  });
}

/** Normalizes each of our resources in `resource`; the library refuses any other. */
export function withOurResources(parameters: URLSearchParams, resources: Resources): URLSearchParams {
  return new URLSearchParams(
    [...parameters].map(([name, value]): [string, string] => [
      name,
      name === 'resource' ? (resources.canonical(value) ?? value) : value,
    ]),
  );
}

/** Not a form: passed on unchanged, because the library itself checks the media type. */
function isForm(request: IncomingMessage): boolean {
  return /^application\/x-www-form-urlencoded\s*(;|$)/i.test(request.headers['content-type'] ?? '');
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new errors.InvalidRequest('the body is not JSON');
  }
}
