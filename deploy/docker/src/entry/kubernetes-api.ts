import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';

const ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';
const TIMEOUT_MS = 30_000;

/** A response of the API server. */
export interface ApiAnswer {
  readonly status: number;
  /** The parsed body. */
  readonly body: unknown;
}

/** The API server of the cluster that this pod runs in, called as the pod's service account. */
export interface KubernetesApi {
  /** The pod's namespace. */
  readonly namespace: string;
  call(method: 'GET' | 'POST', path: string, body?: object): Promise<ApiAnswer>;
}

/**
 * Opens the API server as Kubernetes describes it to pods: by environment variables, and the files of the service account in
 * `folder`. Rejects with an error that names what is missing.
 */
export async function openKubernetesApi(
  env: Readonly<Record<string, string | undefined>>,
  folder = ACCOUNT_FOLDER,
): Promise<KubernetesApi> {
  const host = env['KUBERNETES_SERVICE_HOST'];
  if (host === undefined || host === '')
    throw new Error('KUBERNETES_SERVICE_HOST: required, but not set: this is not a pod of Kubernetes');
  const read = (file: string): Promise<string> => readFile(join(folder, file), 'utf8');
  const [token, ca, namespace] = await Promise.all([read('token'), read('ca.crt'), read('namespace')]);
  const port = env['KUBERNETES_SERVICE_PORT'] ?? '443';
  return {
    namespace: namespace.trim(),
    call: (method, path, body) =>
      new Promise((resolve, reject) => {
        const text = body === undefined ? undefined : JSON.stringify(body);
        const headers = {
          accept: 'application/json',
          authorization: `Bearer ${token.trim()}`,
          ...(text === undefined ? {} : { 'content-type': 'application/json' }),
        };
        const signal = AbortSignal.timeout(TIMEOUT_MS);
        const outgoing = request({ host, port, path, method, headers, ca, signal }, (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            resolve({ status: response.statusCode ?? 0, body: parsed(Buffer.concat(chunks).toString()) });
          });
        });
        outgoing.on('error', reject);
        outgoing.end(text);
      }),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
