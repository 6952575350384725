/** What a `form-action` can name of a web address; anything else could end the directive and begin another. */
const ORIGIN_SOURCE = /^https?:\/\/[a-z0-9.-]+(:\d+)?$/;

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Whether a web address is one of the person's own computer. */
export function isLoopback({ hostname }: URL): boolean {
  return LOOPBACK.test(hostname);
}

/** What a program on the person's own computer may lead on to: a page of its own, or its maker's site. */
const FROM_LOOPBACK = ['http://127.0.0.1:*', 'http://localhost:*', 'https:'];

/**
 * CSP sources of a form whose answer redirects to `redirectUri` (undefined: it stays with us): its origin, or the scheme
 * alone where an origin cannot be written as a source (IPv6 literals, schemes of native applications).
 *
 * Browsers hold the whole chain of redirects to `form-action`, and where an application leads on to from its redirect
 * address is its own affair: a `127.0.0.1` one to its site, an `api.` host to its front. Such a chain `mayGoOn`: another
 * address must not strand the person on a page that asks for nothing secret.
 */
export function formTargets(
  redirectUri: URL | undefined,
  o: { readonly mayGoOn: boolean },
): readonly string[] {
  if (redirectUri === undefined) return [];
  const { origin, protocol } = redirectUri;
  const own = ORIGIN_SOURCE.test(origin) ? origin : protocol;
  if (!o.mayGoOn || !/^https?:$/.test(protocol)) return [own];
  return [...new Set([own, ...(isLoopback(redirectUri) ? FROM_LOOPBACK : ['https:'])])];
}
