import { readFile } from 'node:fs/promises';
import http from 'node:http';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import { join } from 'node:path';

/** A Kubernetes API server, and how to authenticate to it. */
export interface ApiServer {
  readonly url: string;
  /** Folder of the files `token` and `ca.crt`. */
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

// The API server sends a bookmark once a minute.
const SILENCE_MS = 150_000;
// Far more than the slices of a service: one holds at most 1 000 endpoints.
const MAX_TEXT = 32 * 1024 * 1024;

/** The response of the API server to a GET. Rejects with an Error that has the status unless that is 200. */
export async function getFrom(
  server: ApiServer,
  path: string,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  // Both files are replaced from time to time.
  const [token, ca] = await Promise.all(
    ['token', 'ca.crt'].map((name) => readFile(join(server.credentials, name), 'utf8')),
  );
  const url = new URL(path, server.url);
  const options = {
    headers: { authorization: `Bearer ${(token ?? '').trim()}`, accept: 'application/json' },
    agent: false as const,
    timeout: SILENCE_MS,
    signal,
  };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request =
      url.protocol === 'https:'
        ? https.get(url, { ...options, ca }, resolve)
        : http.get(url, options, resolve);
    request.on('error', reject);
    request.on('timeout', () => request.destroy(new Error('The API server is silent.')));
  });
  if (response.statusCode === 200) return response;
  response.destroy();
  throw new Error(`The API server has answered ${String(response.statusCode)} to ${url.pathname}.`);
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
