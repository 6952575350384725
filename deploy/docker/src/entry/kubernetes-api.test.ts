import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { expect, it, onTestFinished } from 'vitest';
import { openKubernetesApi } from './kubernetes-api.ts';

async function certificate(): Promise<{ private: string; cert: string }> {
  return generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
}

/** A fake API server, and the files by which a pod finds it. */
async function cluster(): Promise<{ env: Record<string, string>; folder: string; seen: string[] }> {
  const { private: key, cert } = await certificate();
  const seen: string[] = [];
  const server = createServer({ key, cert }, (request, response) => {
    seen.push(`${request.method ?? ''} ${request.url ?? ''} ${request.headers.authorization ?? ''}`);
    request.pipe(response.writeHead(201, { 'content-type': 'application/json' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-service-account-'));
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });
  for (const [file, text] of Object.entries({ token: 'the-token\n', 'ca.crt': cert, namespace: 'ns\n' }))
    await writeFile(join(folder, file), text);
  // A listening TCP server has such an address.
  const { port } = server.address() as AddressInfo;
  return {
    env: { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: String(port) },
    folder,
    seen,
  };
}

it('calls the API server of the pod with its token', async () => {
  const { env, folder, seen } = await cluster();
  const api = await openKubernetesApi(env, folder);
  expect(api.namespace).toBe('ns');
  expect(await api.call('POST', '/api/v1/x', { a: 1 })).toEqual({ status: 201, body: { a: 1 } });
  expect(seen).toEqual(['POST /api/v1/x Bearer the-token']);
});

it('calls no server that the certificate of the cluster does not prove', async () => {
  const { env, folder, seen } = await cluster();
  await writeFile(join(folder, 'ca.crt'), (await certificate()).cert);
  const api = await openKubernetesApi(env, folder);
  await expect(api.call('GET', '/api/v1/x')).rejects.toThrow(/certificate|signature/);
  expect(seen).toEqual([]);
});

it('outside a pod says so', async () => {
  await expect(openKubernetesApi({})).rejects.toThrow('this is not a pod of Kubernetes');
});
