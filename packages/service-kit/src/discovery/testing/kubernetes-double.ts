import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ApiServer } from '../api-server.ts';

/** An EndpointSlice as the API server shows it. */
interface Slice {
  readonly metadata: { readonly name: string };
  readonly addressType: string;
  readonly endpoints:
    readonly { readonly addresses: readonly string[]; readonly conditions?: object }[] | null;
}

interface Change {
  readonly version: number;
  readonly service: string;
  readonly event: { readonly type: string; readonly object: object };
}

/** A double of the API server: EndpointSlices of a namespace, and the watches of their readers. */
export interface KubernetesDouble {
  readonly api: ApiServer;
  /** Paths and queries of requests, in order. */
  readonly requests: readonly string[];
  put(service: string, slice: Slice): void;
  remove(service: string, name: string): void;
  /** Sends the current version to each watch. */
  bookmark(): void;
  /** Forgets all changes, as the API server does with old ones: a watch from an earlier version is answered with 410. */
  compact(): void;
  /** Ends each watch: in order, or by cutting its connection. */
  endWatches(how: 'end' | 'cut'): void;
  /** Responds to requests with that status; 200: as usual. */
  answerWith(status: number): void;
  /** Replaces the token that is accepted, and the file that holds it. */
  rotateToken(token: string): void;
}

const NAMESPACE = 'default';
const PATH = `/apis/discovery.k8s.io/v1/namespaces/${NAMESPACE}/endpointslices`;

/** Starts a double on loopback, closed after the test. */
export async function startKubernetesDouble(): Promise<KubernetesDouble> {
  const credentials = mkdtempSync(join(tmpdir(), 'service-account-'));
  const slices = new Map<string, { readonly service: string; readonly object: object }>();
  const changes: Change[] = [];
  const watches = new Map<ServerResponse, string>();
  const requests: string[] = [];
  let version = 1;
  let oldest = 1;
  let status = 200;
  let accepted = '';

  const send = (response: ServerResponse, event: Change['event']): void =>
    void response.write(`${JSON.stringify(event)}\n`);
  const versioned = (slice: object & { metadata: object }): object => ({
    ...slice,
    metadata: { ...slice.metadata, resourceVersion: String(version) },
  });
  const change = (service: string, type: string, object: object): void => {
    changes.push({ version, service, event: { type, object } });
    for (const [response, watched] of watches) if (watched === service) send(response, { type, object });
  };

  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    const url = new URL(request.url ?? '', 'http://api');
    if (request.headers.authorization !== `Bearer ${accepted}`) return void response.writeHead(401).end();
    if (status !== 200 || url.pathname !== PATH)
      return void response.writeHead(status === 200 ? 404 : status).end();
    const service = (url.searchParams.get('labelSelector') ?? '').replace('kubernetes.io/service-name=', '');
    if (url.searchParams.get('watch') !== 'true') {
      const items = [...slices.values()]
        .filter((slice) => slice.service === service)
        .map(({ object }) => object);
      response.end(JSON.stringify({ metadata: { resourceVersion: String(version) }, items }));
      return;
    }
    const from = Number(url.searchParams.get('resourceVersion'));
    response.writeHead(200).flushHeaders();
    if (from < oldest) {
      send(response, { type: 'ERROR', object: { code: 410, message: `too old resource version: ${from}` } });
      response.end();
      return;
    }
    for (const missed of changes)
      if (missed.version > from && missed.service === service) send(response, missed.event);
    watches.set(response, service);
    response.on('close', () => watches.delete(response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });

  function rotateToken(token: string): void {
    accepted = token;
    writeFileSync(join(credentials, 'token'), `${token}\n`);
  }
  rotateToken('first');
  writeFileSync(join(credentials, 'ca.crt'), '');
  return {
    // A TCP server that listens has one.
    api: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, credentials },
    requests,
    put(service, slice) {
      version += 1;
      const object = versioned(slice);
      const type = slices.has(slice.metadata.name) ? 'MODIFIED' : 'ADDED';
      slices.set(slice.metadata.name, { service, object });
      change(service, type, object);
    },
    remove(service, name) {
      version += 1;
      const gone = slices.get(name);
      slices.delete(name);
      if (gone !== undefined)
        change(service, 'DELETED', { ...gone.object, metadata: { name, resourceVersion: String(version) } });
    },
    bookmark() {
      for (const response of watches.keys())
        send(response, { type: 'BOOKMARK', object: { metadata: { resourceVersion: String(version) } } });
    },
    compact() {
      changes.length = 0;
      oldest = version;
    },
    endWatches(how) {
      for (const response of watches.keys()) {
        if (how === 'end') response.end();
        else response.destroy();
      }
    },
    answerWith: (next) => void (status = next),
    rotateToken,
  };
}
