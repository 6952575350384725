import { EgressError } from './error.ts';

/** The maximum number of redirects that are followed. */
export const REDIRECT_LIMIT = 5;

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The target of a redirect. */
export interface Hop {
  readonly url: URL;
  readonly method: string;
  /** The method became GET, so the body is dropped. */
  readonly isBodyDropped: boolean;
}

/**
 * The next request after a redirect, or undefined if the response is not one. Throws `redirect` if it leads to another
 * origin, because headers with credentials would be sent there. Methods change as in the fetch standard.
 */
export function nextHop(o: {
  readonly status: number;
  readonly location: string | undefined;
  readonly url: URL;
  readonly method: string;
}): Hop | undefined {
  if (!REDIRECTS.has(o.status) || o.location === undefined) return undefined;
  const url = URL.parse(o.location, o.url.href);
  if (url === null)
    throw new EgressError('redirect', `${o.url.host} redirects to an address that is not valid.`);
  if (url.origin !== o.url.origin) {
    throw new EgressError('redirect', `${o.url.host} redirects to another site, which is not followed.`);
  }
  const method = o.method.toUpperCase();
  const becomesGet =
    (o.status === 303 && method !== 'GET' && method !== 'HEAD') ||
    ((o.status === 301 || o.status === 302) && method === 'POST');
  return becomesGet ? { url, method: 'GET', isBodyDropped: true } : { url, method, isBodyDropped: false };
}

export function tooManyRedirects(url: URL): EgressError {
  return new EgressError('redirect', `${url.host} redirects more than ${REDIRECT_LIMIT} times.`);
}
