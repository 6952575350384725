import { normalizeHost } from '@fairlead/egress/address';

/** The proxy that the agent's own requests to the platform go through. */
export interface Proxy {
  /** Without user and password. */
  readonly url: URL;
  /** Value of `proxy-authorization`; undefined: none. */
  readonly authorization: string | undefined;
  readonly secrets: readonly string[];
}

/** Parses the address of a proxy. Undefined: it is no http or https URL. */
export function parseProxy(text: string): Proxy | undefined {
  // As other programs take it.
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
 * The value of HTTPS_PROXY for an https address, and of http_proxy for an http one (not HTTP_PROXY, which a CGI server may set from
 * a header); undefined: none, or NO_PROXY lists the host.
 */
export function proxyOfEnvironment(target: URL, env: NodeJS.ProcessEnv): string | undefined {
  const value = target.protocol === 'https:' ? (env['HTTPS_PROXY'] ?? env['https_proxy']) : env['http_proxy'];
  if (value === undefined || value === '') return undefined;
  const exceptions = (env['NO_PROXY'] ?? env['no_proxy'] ?? '').split(/[\s,]+/);
  return isExcepted(target, exceptions) ? undefined : value;
}

/** Whether an entry of a NO_PROXY list is the host of `target`, a domain above it, either with its port, or `*`. */
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
