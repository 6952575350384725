import type {
  AllowedPackage,
  AllowedPackages,
  AllowedServer,
} from '@fairlead/connector-model/packages/allowed-package';
import type { JsonObject } from '@fairlead/connector-model/json';
import type { Egress } from '@fairlead/egress/egress';
import { EgressError } from '@fairlead/egress/error';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { PoolRefusalError, WorkerLostError } from '@fairlead/worker-pool/errors';
import type { PoolLimits } from '@fairlead/worker-pool/limits';
import { createWorkerPool } from '@fairlead/worker-pool/worker-pool';
import type { WorkerPool } from '@fairlead/worker-pool/worker-pool';
import { CallFailure, OverloadError } from '../failure.ts';
import { HandlerError, parsedMembers } from '../handler.ts';
import type { HandlerCall, HandlerRegistry } from '../handler.ts';
import { createTextMasker } from '../secret-masking.ts';
import { isObject, textOf } from '../templates.ts';
import { PACKAGES } from './packages.ts';
import { MAX_RESPONSE_BODY_BYTES, parsePackageAnswer, parsePackageRequest } from './package-job.ts';
import type { PackageAnswer, PackageJob, PackageResponse } from './package-job.ts';
import { digestOf, exampleFields, settingsOf } from './server-start.ts';

/** Processor time of a call, including the start of the program. */
const CPU_MS = 10_000;
/** Descriptions contain all texts of a package, so they may be large. */
const MAX_DESCRIPTION_BYTES = 4 * 1024 * 1024;

const POOL_LIMITS: Partial<PoolLimits> = {
  callsPerWorker: 1,
  heapMb: 160,
  memoryMb: 384,
  idleMs: 30_000,
};

/** Descriptions are rare: an account reads one at each import. */
const DESCRIBING_LIMITS: Partial<PoolLimits> = {
  ...POOL_LIMITS,
  maxWorkers: 2,
  resultBytes: MAX_DESCRIPTION_BYTES,
};

/** Separates account and package in a key; account ids do not contain it. */
const SEPARATOR = ' ';

/** The account that a package runs for, and the time limit. */
interface RunOptions {
  readonly accountId: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** A package's description of itself. */
interface PackageDescription {
  readonly kind: AllowedPackage['kind'];
  readonly description: JsonObject;
  /** The fields that the operator gives to the connections of an MCP server. */
  readonly fields: AllowedServer['fields'];
}

/** Worker processes that run the code of packages. */
export interface PackageWorkers {
  /**
   * Returns the package's description of itself, which must be checked; undefined if the operator does not allow the package.
   * Throws CallFailure, and OverloadError if no worker was available.
   */
  describe(
    packageVersion: { readonly name: string; readonly version: string },
    o: RunOptions,
  ): Promise<PackageDescription | undefined>;
  /** Runs an action, or a tool of an MCP server. `fields` are `package`, `version`, `action` and the action's `props`. */
  callAction(call: Omit<HandlerCall, 'egress'>): Promise<JsonObject>;
  close(): Promise<void>;
}

/**
 * Creates workers for the packages that the operator allows. The code of a package is not trusted, so each worker serves one account and
 * one package, and has no network, environment or files. It asks the service to send its requests, which go through `egress`, only to the
 * package's hosts.
 */
export function createPackageWorkers(o: {
  readonly packages: AllowedPackages;
  readonly egress: Pick<Egress, 'request'>;
  readonly log: Logger;
  readonly limits?: Partial<PoolLimits>;
  /** Called with the processor time of each account's workers. */
  readonly onCpu?: (account: string, cpuMs: number) => void;
}): PackageWorkers {
  const { packages, egress, onCpu } = o;
  const poolOf = (name: string, limits: Partial<PoolLimits>): WorkerPool =>
    createWorkerPool({
      name,
      entry: new URL('worker.ts', import.meta.url),
      settings: null,
      log: o.log,
      limits: { ...limits, ...o.limits },
      readable: packages.directory === '' ? [] : [packages.directory],
      onCpu: onCpu && ((partition, cpuMs) => onCpu(accountOf(partition), cpuMs)),
      ownerOf: accountOf,
    });
  const calling = poolOf('packages', POOL_LIMITS);
  // A pool of its own, because a worker that only calls cannot send this process as much.
  const describing = poolOf('package-descriptions', DESCRIBING_LIMITS);

  async function run(
    allowed: AllowedPackage,
    job: PackageJob,
    { accountId, signal, timeoutMs, mask }: RunOptions & { readonly mask?: (text: string) => string },
  ): Promise<JsonObject> {
    const settings = 'environment' in job ? [digestOf(job)] : [];
    const partition = [accountId, `${allowed.package}@${allowed.version}`, ...settings].join(SEPARATOR);
    const question = (message: unknown): Promise<PackageResponse> =>
      sendFor(allowed, egress, message, { accountId, signal });
    const listener = { tell: () => undefined, question };
    const pool = job.kind === 'describePiece' || job.kind === 'describeServer' ? describing : calling;
    let answer: PackageAnswer;
    try {
      answer = parsePackageAnswer(
        await pool.run(partition, job, { signal, timeoutMs, cpuMs: CPU_MS, listener, ...(mask && { mask }) }),
      );
    } catch (error) {
      if (error instanceof WorkerLostError) throw new CallFailure(error.message, { cause: error });
      if (error instanceof PoolRefusalError) throw new OverloadError(error.message, { cause: error });
      throw error;
    }
    if (answer.kind === 'done') return answer.output;
    throw new HandlerError(answer.message || 'The package failed without a message.', answer);
  }

  return {
    async describe({ name, version }, options) {
      const allowed = packages.find(name, version);
      if (allowed === undefined) return undefined;
      const program = packages.programOf(allowed);
      const { kind } = allowed;
      return kind === 'piece'
        ? { kind, description: await run(allowed, { kind: 'describePiece', program }, options), fields: [] }
        : {
            kind,
            description: await run(
              allowed,
              { kind: 'describeServer', program, ...settingsOf(allowed, exampleFields(allowed)) },
              options,
            ),
            fields: allowed.fields,
          };
    },
    async callAction({ accountId, signal, timeoutMs, method, credential, beforeSend, ...call }) {
      const { package: name = '', version = '', action = '', props = {} } = parsedMembers(call.fields);
      const allowed = packages.find(textOf(name), textOf(version));
      if (allowed === undefined)
        throw new HandlerError(`The operator does not allow the package ${textOf(name)} ${textOf(version)}.`);
      await beforeSend?.(false);
      const { fields, accessToken, secrets } = credential;
      const callJob = {
        program: packages.programOf(allowed),
        action: textOf(action),
        fields: isObject(props) ? props : {},
      };
      return run(
        allowed,
        allowed.kind === 'piece'
          ? {
              kind: 'callPiece',
              ...callJob,
              credential: { method: method.authenticationId, fields, accessToken },
            }
          : { kind: 'callServer', ...callJob, ...settingsOf(allowed, fields) },
        { accountId, signal, timeoutMs, mask: createTextMasker(secrets) },
      );
    },
    async close() {
      await Promise.all([calling.close(), describing.close()]);
    },
  };
}

/** The handlers of `others`, and the handler that runs packages. */
export function withPackages(
  others: HandlerRegistry,
  workers: Pick<PackageWorkers, 'callAction'>,
): HandlerRegistry {
  return async (connectorSlug, name) =>
    connectorSlug === PACKAGES ? workers.callAction : others(connectorSlug, name);
}

function accountOf(partition: string): string {
  return partition.slice(0, partition.indexOf(SEPARATOR));
}

/** Sends a request of a package, or returns the reason why it was not sent. */
async function sendFor(
  { hosts }: AllowedPackage,
  egress: Pick<Egress, 'request'>,
  message: unknown,
  { accountId, signal }: Pick<RunOptions, 'accountId' | 'signal'>,
): Promise<PackageResponse> {
  const { method, url, headers, body } = parsePackageRequest(message);
  const { hostname = '' } = URL.parse(url) ?? {};
  if (hosts !== undefined && !hosts.some((host) => hostname === host || hostname.endsWith(`.${host}`)))
    return {
      kind: 'refused',
      reason: `The package may send requests to ${hosts.join(', ')} only, not to ${hostname}.`,
    };
  try {
    const response = await egress.request({
      method,
      url,
      headers,
      ...(body !== '' && { body: Buffer.from(body, 'base64') }),
      signal,
      redirect: 'manual',
      maxResponseBytes: MAX_RESPONSE_BODY_BYTES,
      destination: accountId,
    });
    return {
      kind: 'response',
      status: response.status,
      headers: response.headers,
      body: Buffer.from(response.body).toString('base64'),
    };
  } catch (error) {
    if (error instanceof EgressError) return { kind: 'refused', reason: error.message };
    throw error;
  }
}
