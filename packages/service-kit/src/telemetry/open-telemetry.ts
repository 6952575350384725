import { setTimeout as delay } from 'node:timers/promises';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Context, Span as ApiSpan } from '@opentelemetry/api';
import { W3CTraceContextPropagator, setGlobalErrorHandler } from '@opentelemetry/core';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Sampler, SpanExporter } from '@opentelemetry/sdk-trace';
import { guid } from '../ids.ts';
import type { Logger } from './logger.ts';
import type { SamplerName, TracingConfig } from './config.ts';
import type { Span, SpanStart, Tracer } from './tracing.ts';

// Exports to an unreachable collector are repeated for 10 s; a stopping service does not wait for them.
const CLOSE_LIMIT_MS = 2_000;

/** A tracer that exports spans, and its close function. */
export interface ExportingTracer extends Tracer {
  /** Sends the remaining spans, within two seconds, and stops. */
  close(): Promise<void>;
}

/**
 * A tracer on the OpenTelemetry SDK that sends spans over OTLP/HTTP in batches. Only this module loads OpenTelemetry,
 * so import it dynamically. The SDK reads further settings (headers, certificates, timeouts, compression) from its
 * own `OTEL_…` variables.
 */
export async function createOpenTelemetryTracer(o: {
  readonly service: string;
  readonly config: TracingConfig;
  readonly log: Logger;
}): Promise<ExportingTracer> {
  const warn = (error: unknown): void => o.log.warn({ err: error }, 'spans could not be exported');
  setGlobalErrorHandler(warn);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.namespace': 'fairlead',
      'service.name': o.service,
      'service.instance.id': guid(),
    }).merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(o.config.OTEL_TRACES_SAMPLER, o.config.OTEL_TRACES_SAMPLER_ARG),
    spanProcessors: [new BatchSpanProcessor({ exporter: await createExporter(o.config) })],
  });
  const tracer = provider.getTracer('fairlead');
  return {
    start({ name, kind, attributes, startedAt, remote }, parent) {
      const context = remote === undefined ? contextOf(parent) : remoteContext(remote);
      const options = {
        kind: KINDS[kind],
        ...(attributes !== undefined && { attributes }),
        ...(startedAt !== undefined && { startTime: startedAt }),
      };
      return new ExportedSpan(tracer.startSpan(name, options, context));
    },
    async close() {
      const sent = provider.shutdown().then(() => true);
      const isSent = await Promise.race([sent, delay(CLOSE_LIMIT_MS, false)]).catch(warn);
      if (isSent === false) warn(new Error('The collector did not respond within the time limit.'));
    },
  };
}

async function createExporter(config: TracingConfig): Promise<SpanExporter> {
  const options = { ...urlOf(config) };
  if (config.OTEL_EXPORTER_OTLP_PROTOCOL === 'http/json') {
    const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
    return new OTLPTraceExporter(options);
  }
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-proto');
  return new OTLPTraceExporter(options);
}

function urlOf(config: TracingConfig): { url?: string } {
  if (config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT !== undefined) {
    return { url: config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT };
  }
  // Without an address, the SDK's default: localhost.
  if (config.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return {};
  return { url: `${config.OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/+$/, '')}/v1/traces` };
}

function samplerOf(name: SamplerName = 'parentbased_always_on', ratio = 1): Sampler {
  switch (name) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return new TraceIdRatioBasedSampler(ratio);
    case 'parentbased_always_on':
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) });
  }
}

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER } as const;
const propagator = new W3CTraceContextPropagator();

class ExportedSpan implements Span {
  readonly #span: ApiSpan;

  constructor(span: ApiSpan) {
    this.#span = span;
  }

  get traceId(): string {
    return this.#span.spanContext().traceId;
  }

  get context(): Context {
    return trace.setSpan(ROOT_CONTEXT, this.#span);
  }

  headers(): Readonly<Record<string, string>> {
    const headers: Record<string, string> = {};
    propagator.inject(this.context, headers, {
      set: (_carrier, name, value) => void (headers[name] = value),
    });
    return headers;
  }

  rename(name: string): void {
    this.#span.updateName(name);
  }

  set(name: string, value: string | number | boolean): void {
    this.#span.setAttribute(name, value);
  }

  end(failure?: string, endedAt?: number): void {
    if (failure !== undefined) {
      this.#span.setAttribute('error.type', failure);
      this.#span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.#span.end(endedAt);
  }
}

function contextOf(parent: Span | undefined): Context {
  return parent instanceof ExportedSpan ? parent.context : ROOT_CONTEXT;
}

function remoteContext(header: NonNullable<SpanStart['remote']>): Context {
  return propagator.extract(ROOT_CONTEXT, undefined, {
    keys: () => [],
    get: (_carrier, name) => header(name),
  });
}
