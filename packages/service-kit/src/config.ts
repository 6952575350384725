import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { parseKeyRing } from './key-ring.ts';
import { Secret } from './secret.ts';
import { canaryConfigShape } from './canary/config.ts';
import { telemetryConfigShape } from './telemetry/config.ts';

/** The environment does not match the schema. The message lists every problem, one per line: `PORT: expected …`. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads the variables that `schema` names, or throws a ConfigError that lists every problem at once; the result is
 * frozen. An empty variable counts as unset. If NAME is unset and NAME_FILE is set, the value is that file's
 * text without its last line break (Kubernetes and Docker secrets).
 */
export function loadConfig<S extends z.ZodType>(
  schema: S,
  env: Record<string, string | undefined>,
): Readonly<z.infer<S>> {
  const problems: string[] = [];
  const values: Record<string, string> = {};
  for (const name of variableNames(schema)) {
    const value = env[name] || fromFile(name, env[`${name}_FILE`], problems);
    if (value) values[name] = value;
  }
  const result = schema.safeParse(values);
  if (!result.success) {
    const unreadable = new Set(problems.map((problem) => problem.split(':', 1)[0]));
    for (const issue of result.error.issues) {
      const name = issue.path.length > 0 ? issue.path.join('.') : '(environment)';
      const isUnset = issue.path.length === 1 && values[name] === undefined;
      if (!unreadable.has(name))
        problems.push(`${name}: ${isUnset ? 'required, but not set' : issue.message}`);
    }
  }
  if (!result.success || problems.length > 0) throw new ConfigError(problems.join('\n'));
  return Object.freeze(result.data);
}

function variableNames(schema: z.ZodType): string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape);
  if (schema instanceof z.ZodPipe && schema.in instanceof z.ZodObject) return Object.keys(schema.in.shape);
  throw new TypeError('A configuration schema is a z.object of environment variables.');
}

function fromFile(name: string, path: string | undefined, problems: string[]): string | undefined {
  if (!path) return undefined;
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    problems.push(`${name}: cannot read the file that ${name}_FILE names (${code})`);
    return undefined;
  }
}

/** A variable whose text becomes a Secret, so that no log or dump of the configuration shows it. */
export const secretVariable = z
  .string()
  .min(1)
  .transform((text) => new Secret(text));

/** A variable that holds JSON of the given schema. A problem in it is reported with its path, never with a value. */
export function jsonVariable<S extends z.ZodType>(
  schema: S,
): z.ZodPipe<z.ZodPipe<z.ZodString, z.ZodTransform<unknown, string>>, S> {
  return z
    .string()
    .transform((text, check): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        check.issues.push({ code: 'custom', message: 'is not JSON', input: text });
        return z.NEVER;
      }
    })
    .pipe(schema);
}

/** A variable of keys. `parse` throws an Error that names an entry, never a key. */
export function keysVariable<T>(parse: (text: string) => T) {
  return secretVariable.transform((text, check): T => {
    try {
      return parse(text.reveal());
    } catch (error) {
      const message = error instanceof Error ? error.message : 'is not a key ring';
      check.issues.push({ code: 'custom', message, input: undefined });
      return z.NEVER;
    }
  });
}

/** A variable that holds a key ring: `v2:<base64 of 32 bytes>,v1:<…>`. */
export const keyRingVariable = keysVariable(parseKeyRing);

const port = z.coerce.number<string>('expected a port number').int().min(0).max(65_535);

/** The variables of every process that serves; spread into the service's own `z.object`. */
export const serverConfigShape = {
  /** Address to listen on. Default 127.0.0.1; containers set 0.0.0.0. */
  HOST: z.string().default('127.0.0.1'),
  /** Port of HTTP/1.1 (Connect, gRPC-Web; the gateway's REST). Default 0: any free port. */
  PORT: port.default(0),
  /** Port of cleartext HTTP/2 (gRPC, Connect, gRPC-Web). Default 0: any free port. */
  GRPC_PORT: port.default(0),
  /** Lowest level that is logged. Default info. */
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  /** Milliseconds that requests in flight get to finish after a stop is requested. Default 10 000. */
  SHUTDOWN_GRACE_MS: z.coerce
    .number<string>('expected milliseconds')
    .int()
    .min(0)
    .max(600_000)
    .default(10_000),
  /**
   * Keys of the caller contexts between services, `v2:<base64 of 32 bytes>,v1:<…>`: the first signs, every key verifies.
   * Each process of an installation verifies what the others sign; docs/production.md describes the rotation.
   */
  CALLER_CONTEXT_KEYS: keyRingVariable,
  ...canaryConfigShape,
  ...telemetryConfigShape,
};

/** The variables of every service with its own HTTP side. */
export const drainConfigShape = {
  /**
   * Milliseconds for which a service that was asked to stop still takes requests: not ready, with `connection: close`
   * on each response. Longer than load balancers take to notice, and than clients leave a connection idle. Precedes
   * SHUTDOWN_GRACE_MS. Default 5 000.
   */
  DRAIN_DELAY_MS: z.coerce.number<string>('expected milliseconds').int().min(0).max(60_000).default(5_000),
};

/** The variables of every service with a database; each service adds the default of MONGODB_DATABASE itself. */
export const mongoConfigShape = {
  /** Connection string, which may hold a password. The deployment must be a replica set. */
  MONGODB_URI: z
    .string()
    .regex(/^mongodb(\+srv)?:\/\//, 'expected mongodb://… or mongodb+srv://…')
    .transform((text) => new Secret(text)),
  /** The service's own database; no other service reads or writes it. */
  MONGODB_DATABASE: z.string().regex(/^[A-Za-z0-9_-]{1,63}$/, 'expected 1 to 63 letters, digits, _ or -'),
};

/** How a service calls the others. */
const rpcTransport = z.enum(['connect-fast', 'grpc']);

/** `connect-fast`: Connect over pooled HTTP/1.1. `grpc`: gRPC over HTTP/2. */
export type RpcTransport = z.infer<typeof rpcTransport>;

/** The variables of every service that calls others, except their addresses. */
export const peerConfigShape = {
  /**
   * Protocol of calls to other services. Default connect-fast: their `*_URL` are HTTP/1.1 addresses (`PORT`); with grpc
   * they are cleartext HTTP/2 addresses (`GRPC_PORT`).
   */
  RPC_TRANSPORT: rpcTransport.default('connect-fast'),
};

/** The variables of every service that publishes or subscribes to changes. */
export const natsConfigShape = {
  /**
   * Address of NATS with JetStream: `nats://[user:password@ or token@]host[:port]`, or `tls://` for an encrypted connection;
   * several of one cluster are separated by commas. A service starts and serves without it; its cache entries are then
   * short-lived.
   */
  NATS_URL: z
    .string()
    .regex(/^(nats|tls):\/\/[^,]+(,(nats|tls):\/\/[^,]+)*$/, 'expected nats://… or tls://…')
    .refine(
      (text) => text.split(',').every((address) => URL.canParse(address)),
      'expected addresses with a host and, where given, a port',
    )
    .transform((text) => new Secret(text)),
};

/** The variables of every service that runs handlers in worker processes. */
export const workerConfigShape = {
  /**
   * Maximum number of worker processes that call databases and MCP servers. A worker starts when it is needed, serves
   * one account, has 35 MiB of its own at rest and 256 MiB at most. Default 8.
   */
  WORKER_PROCESSES: z.coerce.number<string>('expected a whole number').int().min(1).max(1_000).default(8),
};

/** The variables of every service that waits for servers of an account's choice. */
export const permitsConfigShape = {
  /**
   * Calls of one account that wait for a server of its choice at once on one replica; its other calls wait for their turn, then are
   * refused. N replicas let in N times as many. Default 100.
   */
  ACCOUNT_CONCURRENCY: z.coerce
    .number<string>('expected a whole number')
    .int()
    .min(1)
    .max(100_000)
    .default(100),
  /** Calls of one connection that wait for such a server at once on one replica, like ACCOUNT_CONCURRENCY. Default 20. */
  CONNECTION_CONCURRENCY: z.coerce
    .number<string>('expected a whole number')
    .int()
    .min(1)
    .max(10_000)
    .default(20),
};

/** The limits of concurrent calls that these variables set. */
export function concurrencyOf(config: {
  readonly ACCOUNT_CONCURRENCY: number;
  readonly CONNECTION_CONCURRENCY: number;
}): { readonly perAccount: number; readonly perPartition: number } {
  return { perAccount: config.ACCOUNT_CONCURRENCY, perPartition: config.CONNECTION_CONCURRENCY };
}
