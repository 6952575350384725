/** A web origin that may stand in `form-action`; other text could end the directive and start another. */
const ORIGIN_SOURCE = /^https?:\/\/[a-z0-9.-]+(:\d+)?$/;

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Whether a web address is on the person's own computer. */
export function isLoopback({ hostname }: URL): boolean {
  return LOOPBACK.test(hostname);
}

/** Possible next redirects of a program on the person's own computer: its own page, or its maker's site. */
const FROM_LOOPBACK = ['http://127.0.0.1:*', 'http://localhost:*', 'https:'];

/**
 * CSP sources of a form whose response redirects to `redirectUri` (undefined: to our own pages): its origin, or the scheme
 * alone where an origin cannot be written as a source (IPv6 literals, schemes of native applications).
 *
 * Browsers apply `form-action` to the whole chain of redirects, and an application may redirect from its redirect
 * address to anywhere: from `127.0.0.1` to its site, from an `api.` host to its front end. If `mayContinue`, such a chain is
 * allowed: on a page that asks for no secret, a further redirect must not strand the person.
 */
export function formTargets(
  redirectUri: URL | undefined,
  o: { readonly mayContinue: boolean },
): readonly string[] {
  if (redirectUri === undefined) return [];
  const { origin, protocol } = redirectUri;
  const own = ORIGIN_SOURCE.test(origin) ? origin : protocol;
  if (!o.mayContinue || !/^https?:$/.test(protocol)) return [own];
  return [...new Set([own, ...(isLoopback(redirectUri) ? FROM_LOOPBACK : ['https:'])])];
}
