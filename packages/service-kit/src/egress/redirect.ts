import { EgressError } from './error.ts';

/** At most so many redirects are followed. */
export const REDIRECT_LIMIT = 5;

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Where a redirect leads. */
export interface Hop {
  readonly url: URL;
  readonly method: string;
  /** The method became GET, so there is no body any more. */
  readonly isBodyDropped: boolean;
}

/**
 * The next request of a redirect, or undefined when the answer is none. Throws `redirect` where it leads to another
 * origin: headers with credentials would go along. Methods change as in the fetch standard.
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

/** The error of one redirect too many. */
export function tooManyRedirects(url: URL): EgressError {
  return new EgressError('redirect', `${url.host} redirects more than ${REDIRECT_LIMIT} times.`);
}
