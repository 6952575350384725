import { Agent, Pool, ProxyAgent } from 'undici';
import type { Dispatcher } from 'undici';
import type { Proxy } from '../config/proxy.ts';

const CONNECT_TIMEOUT_MS = 10_000;

/** Connections to the platform, directly or through tunnels (CONNECT) of `proxy`. */
export function createTransport(proxy: Proxy | undefined): Dispatcher {
  const connect = { timeout: CONNECT_TIMEOUT_MS };
  // Without a time limit here: the channel limits each request.
  const limits = { headersTimeout: 0, bodyTimeout: 0, allowH2: false };
  if (proxy === undefined) return new Agent({ connect, ...limits });
  return new ProxyAgent({
    ...limits,
    uri: proxy.url.href,
    ...(proxy.authorization !== undefined && { token: proxy.authorization }),
    connectTimeout: CONNECT_TIMEOUT_MS,
    // Tunnels for http addresses too, because a proxy that reads the request could change it.
    proxyTunnel: true,
    clientFactory: (origin, options) => new Pool(origin, { ...options, headersTimeout: CONNECT_TIMEOUT_MS }),
  });
}
