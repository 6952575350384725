import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import type { ApiServer } from '../api-server.ts';

/** An EndpointSlice in the form of the API server. */
interface Slice {
  readonly metadata: { readonly name: string };
  readonly addressType: string;
  readonly endpoints:
    readonly { readonly addresses: readonly string[]; readonly conditions?: object }[] | null;
}

/** An object of another kind. */
interface KubernetesObject {
  readonly metadata: { readonly name: string };
}

interface Change {
  readonly version: number;
  readonly list: string;
  readonly event: { readonly type: string; readonly object: object };
}

/** A double of the API server: a namespace's EndpointSlices and other objects, and watches. */
export interface KubernetesDouble {
  readonly api: ApiServer;
  /** Paths and queries of all requests, in order. */
  readonly requests: readonly string[];
  put(service: string, slice: Slice): void;
  remove(service: string, name: string): void;
  /** Sets an object of any kind, at the path of its list; only a watch of its name sees it. */
  putObject(path: string, object: KubernetesObject): void;
  removeObject(path: string, name: string): void;
  /** The stored object. */
  object(path: string, name: string): object | undefined;
  /** Sends a bookmark with the current version to each watch. */
  bookmark(): void;
  /** Forgets all changes, as the API server does with old ones: a watch from an earlier version gets 410. */
  compact(): void;
  /** Ends all watches, either regularly or by cutting their connections. */
  endWatches(how: 'end' | 'cut'): void;
  /** Sets the status of all responses; 200: normal operation. */
  answerWith(status: number): void;
  /** Replaces the accepted token, and the file with it. */
  rotateToken(token: string): void;
}

const NAMESPACE = 'default';
const PATH = `/apis/discovery.k8s.io/v1/namespaces/${NAMESPACE}/endpointslices`;

const stored = z.looseObject({ metadata: z.looseObject({ resourceVersion: z.string() }) });
const statusPatch = z.object({ metadata: z.object({ resourceVersion: z.string() }), status: z.unknown() });

/** The list of a service's slices. */
function slicesOf(service: string): string {
  return `${PATH}?kubernetes.io/service-name=${service}`;
}

/** The list for an object. */
function ofName(path: string, name: string): string {
  return `${path}?metadata.name=${name}`;
}

/** The list and name of the object with this status path. */
function ofStatus(path: string): [list: string, name: string] {
  const [, folder = '', name = ''] = /^(.+)\/([^/]+)\/status$/.exec(path) ?? [];
  return [ofName(folder, name), name];
}

/** Starts a double on loopback, closed after the test. */
export async function startKubernetesDouble(): Promise<KubernetesDouble> {
  const credentials = mkdtempSync(join(tmpdir(), 'service-account-'));
  /** Objects by name, per list. */
  const lists = new Map<string, Map<string, object>>();
  const changes: Change[] = [];
  const watches = new Map<ServerResponse, string>();
  const requests: string[] = [];
  let version = 1;
  let oldest = 1;
  let status = 200;
  let accepted = '';

  const send = (response: ServerResponse, event: Change['event']): void =>
    void response.write(`${JSON.stringify(event)}\n`);
  const change = (list: string, type: string, object: object): void => {
    changes.push({ version, list, event: { type, object } });
    for (const [response, watched] of watches) if (watched === list) send(response, { type, object });
  };
  const store = (list: string, name: string, object: object & { metadata: object }): void => {
    version += 1;
    const objects = lists.get(list) ?? new Map<string, object>();
    lists.set(list, objects);
    const type = objects.has(name) ? 'MODIFIED' : 'ADDED';
    const metadata = { ...object.metadata, resourceVersion: String(version) };
    objects.set(name, { ...object, metadata });
    change(list, type, { ...object, metadata });
  };
  const drop = (list: string, name: string): void => {
    const gone = lists.get(list)?.get(name);
    if (gone === undefined) return;
    version += 1;
    lists.get(list)?.delete(name);
    const former = stored.parse(gone).metadata;
    change(list, 'DELETED', { ...gone, metadata: { ...former, resourceVersion: String(version) } });
  };

  /** Merges a patch's status, if the patch names the stored version. */
  async function patch(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [list, name] = ofStatus(path);
    const former = lists.get(list)?.get(name);
    const { metadata, status: next } = statusPatch.parse(JSON.parse(await text(request)));
    if (former === undefined) return void response.writeHead(404).end();
    const isCurrent = stored.parse(former).metadata.resourceVersion === metadata.resourceVersion;
    if (isCurrent) {
      const updated = { ...stored.parse(former), status: next };
      store(list, name, updated);
    }
    response.writeHead(isCurrent ? 200 : 409).end('{}');
  }

  const server = createServer((request, response) => {
    requests.push(request.method === 'GET' ? (request.url ?? '') : `${request.method} ${request.url}`);
    const url = new URL(request.url ?? '', 'http://api');
    if (request.headers.authorization !== `Bearer ${accepted}`) return void response.writeHead(401).end();
    if (status !== 200) return void response.writeHead(status).end();
    if (request.method === 'PATCH') return void patch(url.pathname, request, response);
    const selector = url.searchParams.get('labelSelector') ?? url.searchParams.get('fieldSelector') ?? '';
    const list = `${url.pathname}?${selector}`;
    if (url.searchParams.get('watch') !== 'true') {
      const items = [...(lists.get(list)?.values() ?? [])];
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
      if (missed.version > from && missed.list === list) send(response, missed.event);
    watches.set(response, list);
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
    put: (service, slice) => store(slicesOf(service), slice.metadata.name, slice),
    remove: (service, name) => drop(slicesOf(service), name),
    putObject: (path, object) => store(ofName(path, object.metadata.name), object.metadata.name, object),
    removeObject: (path, name) => drop(ofName(path, name), name),
    object: (path, name) => lists.get(ofName(path, name))?.get(name),
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
        watches.delete(response);
        if (how === 'end') response.end();
        else response.destroy();
      }
    },
    answerWith: (next) => void (status = next),
    rotateToken,
  };
}
