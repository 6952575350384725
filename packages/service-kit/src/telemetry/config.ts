import { z } from 'zod';

const url = z.url({ protocol: /^https?$/, error: 'expected http://… or https://…' });

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** How sampled traces are chosen. */
export type SamplerName = (typeof SAMPLERS)[number];

/**
 * The variables of metrics and traces; part of `serverConfigShape`. OpenTelemetry's specification defines the variables
 * that start with `OTEL_`.
 */
export const telemetryConfigShape = {
  /** Port of `/metrics` and `/livez`; 0 takes any free port. Default: none is opened. */
  ADMIN_PORT: z.coerce.number<string>('expected a port number').int().min(0).max(65_535).optional(),
  /** `otlp` enables traces, `none` disables them. Default: `otlp` if an endpoint is set, else `none`. */
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none']).optional(),
  /** Base address of an OTLP/HTTP collector; spans go to `/v1/traces` below it. Default http://localhost:4318. */
  OTEL_EXPORTER_OTLP_ENDPOINT: url.optional(),
  /** Full address for spans, instead of the base address. */
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url.optional(),
  /** Encoding of spans. Default http/protobuf. */
  OTEL_EXPORTER_OTLP_PROTOCOL: z.enum(['http/protobuf', 'http/json']).optional(),
  /** Which traces are kept. Default parentbased_always_on: all except those that the caller chose not to keep. */
  OTEL_TRACES_SAMPLER: z.enum(SAMPLERS).optional(),
  /** Share of traces that the `traceidratio` samplers keep, 0 to 1. Default 1. */
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number<string>('expected a number from 0 to 1').min(0).max(1).optional(),
  /** Whether calls to applications carry `traceparent` (nothing else of a trace). Default false. */
  EGRESS_TRACEPARENT: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional(),
};

const telemetryConfig = z.object(telemetryConfigShape);

/** The parsed variables of metrics and traces. */
export type TelemetryConfig = Readonly<z.infer<typeof telemetryConfig>>;

/** The variables with the destination of spans. */
export type TracingConfig = Omit<TelemetryConfig, 'ADMIN_PORT' | 'EGRESS_TRACEPARENT'>;

/** Whether the operator enabled traces. */
export function wantsTraces(config: TracingConfig): boolean {
  if (config.OTEL_TRACES_EXPORTER !== undefined) return config.OTEL_TRACES_EXPORTER === 'otlp';
  return (
    config.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined ||
    config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT !== undefined
  );
}
