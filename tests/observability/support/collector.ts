import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** An OpenTelemetry collector that receives spans over OTLP/HTTP as JSON. */
export interface Collector {
  readonly url: string;
  close(): Promise<void>;
}

/** A span as the collector received it. */
export interface CollectedSpan {
  readonly service: string;
  readonly name: string;
  readonly kind: 'server' | 'client';
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface Batch {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly name: string;
        readonly kind: number;
        readonly traceId: string;
        readonly spanId: string;
        readonly parentSpanId?: string;
        readonly attributes: readonly Attribute[];
      }[];
    }[];
  }[];
}

/** Starts a collector on a free port. Its `GET /received` returns every batch so far, one per line. */
export async function startCollector(): Promise<Collector> {
  const received: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method === 'GET') {
      response.end(received.join('\n'));
      return;
    }
    received.push(await text(request));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  };
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Everything received, unchanged. */
export async function receivedText(collectorUrl: string): Promise<string> {
  return (await fetch(`${collectorUrl}/received`)).text();
}

/** The spans that the collector received. */
export async function receivedSpans(collectorUrl: string): Promise<CollectedSpan[]> {
  const lines = (await receivedText(collectorUrl)).split('\n').filter((line) => line !== '');
  return lines.flatMap((line) => {
    // Defined by the OTLP specification.
    const batch = JSON.parse(line) as Batch;
    return batch.resourceSpans.flatMap(({ resource, scopeSpans }) => {
      const service = String(valuesOf(resource.attributes)['service.name']);
      return scopeSpans.flatMap(({ spans }) =>
        spans.map((span) => ({
          service,
          name: span.name,
          kind: span.kind === 2 ? ('server' as const) : ('client' as const),
          traceId: span.traceId,
          spanId: span.spanId,
          parentSpanId: span.parentSpanId ?? '',
          attributes: valuesOf(span.attributes),
        })),
      );
    });
  });
}

function valuesOf(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
