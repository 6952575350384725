import { normalizeHost } from '@fairlead/egress/address';

/** The proxy for the agent's own requests to the platform. */
export interface Proxy {
  /** The proxy's address, without user and password. */
  readonly url: URL;
  /** Value of `proxy-authorization`; undefined: none. */
  readonly authorization: string | undefined;
  readonly secrets: readonly string[];
}

/** Parses a proxy's address. Undefined: not an http or https URL. */
export function parseProxy(text: string): Proxy | undefined {
  // Without a scheme, http is assumed, as in other programs.
  const url = URL.parse(text.includes('://') ? text : `http://${text}`);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '') return undefined;
  const user = decoded(url.username);
  const password = decoded(url.password);
  const credentials = Buffer.from(`${user}:${password}`).toString('base64');
  const hasCredentials = user !== '' || password !== '';
  const address = new URL(url.origin);
  return {
    url: address,
    authorization: hasCredentials ? `Basic ${credentials}` : undefined,
    secrets: hasCredentials ? [password, url.password, credentials].filter((secret) => secret !== '') : [],
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * The value of HTTPS_PROXY for an https address, and of http_proxy for an http address (not HTTP_PROXY, which a CGI
 * server may set from a header). Undefined: none, or NO_PROXY lists the host.
 */
export function proxyOfEnvironment(target: URL, env: NodeJS.ProcessEnv): string | undefined {
  const value = target.protocol === 'https:' ? (env['HTTPS_PROXY'] ?? env['https_proxy']) : env['http_proxy'];
  if (value === undefined || value === '') return undefined;
  const exceptions = (env['NO_PROXY'] ?? env['no_proxy'] ?? '').split(/[\s,]+/);
  return isExcepted(target, exceptions) ? undefined : value;
}

/** Whether an entry of NO_PROXY matches `target`: its host, a parent domain, either with the port, or `*`. */
export function isExcepted(target: URL, exceptions: readonly string[]): boolean {
  const host = normalizeHost(target.hostname);
  const port = target.port || (target.protocol === 'https:' ? '443' : '80');
  return exceptions.some((entry) => {
    if (entry === '*') return true;
    const [, name = '', entryPort] =
      /^(\[[^\]]*\]|[^:]*(?:::?[^:]*){2,}|[^:]*)(?::(\d+))?$/.exec(entry) ?? [];
    if (entryPort !== undefined && entryPort !== port) return false;
    const domain = normalizeHost(name.replace(/^\*?\./, ''));
    return domain !== '' && (host === domain || host.endsWith(`.${domain}`));
  });
}
