import { CallFailure } from '../failure.ts';

/**
 * The target of a request: `url` itself, or a path below `base`. With a base, no spelling of the path can lead
 * outside it. Throws CallFailure.
 */
export function requestTarget(url: string, base: string | undefined): URL {
  if (base === undefined) {
    return (
      httpUrl(url) ?? refuse('The URL must be an absolute http or https URL: the connection has no base URL.')
    );
  }
  const root = httpUrl(base) ?? refuse('The base URL of the connection must be an http or https URL.');
  const folder = root.pathname.endsWith('/') ? root.pathname : `${root.pathname}/`;
  const target = /^[a-z][a-z0-9+.-]*:/i.test(url)
    ? httpUrl(url)
    : httpUrl(`${root.origin}${folder}${url.replace(/^\/+/, '')}`);
  if (target === null) return refuse('The URL must be an http or https URL, or a path below the base URL.');
  const isBelow = target.origin === root.origin && `${target.pathname}/`.startsWith(folder);
  if (!isBelow || hasDotSegments(target.pathname))
    return refuse('The URL must be below the base URL of the connection.');
  return target;
}

/** The parsed URL, or null unless it is http(s) without user and password, which would override the connection's credential. */
function httpUrl(text: string): URL | null {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  if (url.username !== '' || url.password !== '') refuse('The URL must not contain a user name or password.');
  return url;
}

/**
 * Whether a path contains dot segments after decoding. The URL parser has resolved plain `..`, but a server may
 * decode segments once more, even twice, and may drop the part after a semicolon (RFC 3986 section 3.3).
 */
export function hasDotSegments(pathname: string): boolean {
  const once = decoded(pathname) ?? refuse('The path of the URL is not percent-encoded correctly.');
  return [once, decoded(once) ?? once].some((path) =>
    path.split(/[/\\]/).some((segment) => /^\.{1,2}(;|$)/.test(segment)),
  );
}

/** The decoded text, or null if its percent-encoding is invalid. */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function refuse(message: string): never {
  throw new CallFailure(message);
}
