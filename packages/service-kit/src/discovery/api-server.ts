import { readFile } from 'node:fs/promises';
import http from 'node:http';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import { join } from 'node:path';

/** A Kubernetes API server, and how to authenticate to it. */
export interface ApiServer {
  readonly url: string;
  /** Folder with the files `token` and `ca.crt`. */
  readonly credentials: string;
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The API server of the cluster in which this process runs, with the account of its pod. Throws outside a cluster. */
export function podApiServer(env: Readonly<Record<string, string | undefined>>): ApiServer {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = env;
  if (!host)
    throw new Error(
      'kubernetes:/// addresses are only known inside a cluster: KUBERNETES_SERVICE_HOST is not set.',
    );
  return {
    url: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    credentials: SERVICE_ACCOUNT,
  };
}

// Idle time of a watch after which it counts as broken; the API server sends a bookmark each minute.
const SILENCE_MS = 150_000;
// Maximum bytes of a response; far more than a service's slices, each of which has at most 1 000 endpoints.
const MAX_TEXT = 32 * 1024 * 1024;

/** An error response of the API server. */
export class ApiServerError extends Error {
  override readonly name = 'ApiServerError';
  readonly status: number | undefined;

  constructor(method: string, path: string, status: number | undefined) {
    super(`The API server has answered ${String(status)} to ${method} ${path}.`);
    this.status = status;
  }
}

/** The body of a GET. Rejects with an ApiServerError unless the status is 200. */
export function getFrom(server: ApiServer, path: string, signal: AbortSignal): Promise<IncomingMessage> {
  return requestOf(server, { method: 'GET', path, signal });
}

/**
 * Merges `patch` into the object at `path` (RFC 7396). Rejects with an ApiServerError unless the status is 200; 409:
 * the patch names an outdated `resourceVersion`.
 */
export async function patchAt(
  server: ApiServer,
  path: string,
  patch: object,
  signal: AbortSignal,
): Promise<void> {
  const response = await requestOf(server, { method: 'PATCH', path, signal, body: JSON.stringify(patch) });
  response.resume();
}

async function requestOf(
  server: ApiServer,
  o: { readonly method: string; readonly path: string; readonly signal: AbortSignal; readonly body?: string },
): Promise<IncomingMessage> {
  const { method, signal, body } = o;
  // Read each time, because both files are replaced periodically.
  const [token, ca] = await Promise.all(
    ['token', 'ca.crt'].map((name) => readFile(join(server.credentials, name), 'utf8')),
  );
  const url = new URL(o.path, server.url);
  const options = {
    method,
    headers: {
      authorization: `Bearer ${(token ?? '').trim()}`,
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/merge-patch+json' }),
    },
    agent: false as const,
    timeout: SILENCE_MS,
    signal,
  };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request =
      url.protocol === 'https:'
        ? https.request(url, { ...options, ca }, resolve)
        : http.request(url, options, resolve);
    request.on('error', reject);
    request.on('timeout', () =>
      request.destroy(new Error('The API server sent nothing within the time limit.')),
    );
    request.end(body);
  });
  if (response.statusCode === 200) return response;
  response.destroy();
  throw new ApiServerError(method, url.pathname, response.statusCode);
}

/** The lines of a response, as they arrive. */
export async function* linesOf(response: IncomingMessage): AsyncGenerator<string> {
  response.setEncoding('utf8');
  let rest = '';
  for await (const text of response) {
    rest += String(text);
    if (rest.length > MAX_TEXT) throw new Error('A line of the API server is too long.');
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
