import { startProcess } from '@fairlead/local-stores/local-process';
import { exitReason } from './exit-reason.ts';
import { describeExit } from './supervisor.ts';
import type { Runnable } from './supervisor.ts';

/** A Node program that the launcher runs. */
export interface NodeProgram {
  readonly name: string;
  /** Arguments of `node`: its options, the script and the script's own. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly logFile: string;
  /** Milliseconds that it gets to end after a stop is requested; default 5 000. */
  readonly stopGraceMs?: number;
}

/** The variables that children inherit from the launcher's environment; settings of npm and other programs are dropped. */
const INHERITED = [
  'PATH',
  'HOME',
  'TMPDIR',
  'LANG',
  'LC_ALL',
  'TZ',
  'LOG_LEVEL',
  'RPC_TRANSPORT',
  'DRAIN_DELAY_MS',
  'EXECUTION_TIMEOUT_MS',
  'CONNECTOR_SETTINGS',
  'CONNECTOR_OAUTH_CLIENTS',
  'PACKAGES_PATH',
  'FURTHER_CONNECTORS',
  'AGENT_RELEASES',
  'CANARY_RULES',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'OTEL_TRACES_EXPORTER',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_PROTOCOL',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_TRACES_SAMPLER',
  'OTEL_TRACES_SAMPLER_ARG',
  'OTEL_RESOURCE_ATTRIBUTES',
  'EGRESS_TRACEPARENT',
] as const;

const STOP_GRACE_MS = 5_000;

/** The environment that every child gets in addition to its own variables. */
export function childEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  compileCache: string,
): Readonly<Record<string, string | undefined>> {
  const inherited = INHERITED.map((name) => [name, environment[name]] as const);
  // Node caches compiled code here, so that a warm start compiles nothing again.
  return { ...Object.fromEntries(inherited), NODE_COMPILE_CACHE: compileCache };
}

/**
 * Starts a program that runs until it is stopped, and resolves when `ready` does.
 *
 * Rejects, with nothing left running, if the program ends first or the signal aborts.
 */
export async function startService(
  program: NodeProgram,
  o: { isRestart: boolean; signal: AbortSignal; ready: (signal: AbortSignal) => Promise<void> },
): Promise<Runnable> {
  const child = await startNode(program, o.isRestart);
  const ended = child.exited.then(async (status) => {
    throw new Error(await failure(program, describeExit(status)));
  });
  const stop = () => child.stop(program.stopGraceMs ?? STOP_GRACE_MS);
  const decided = new AbortController();
  try {
    await Promise.race([o.ready(AbortSignal.any([o.signal, decided.signal])), ended]);
  } catch (error) {
    await stop();
    throw error;
  } finally {
    decided.abort();
  }
  return { pid: child.pid, exited: child.exited, stop };
}

/** Runs a program to its end; rejects, with the reason from its log, if it fails or the signal aborts. */
export async function runTask(program: NodeProgram, signal: AbortSignal): Promise<void> {
  const child = await startNode(program, false);
  const abort = (): void => void child.stop(0);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  const status = await child.exited;
  signal.removeEventListener('abort', abort);
  signal.throwIfAborted();
  if (status.code !== 0) throw new Error(await failure(program, describeExit(status)));
}

function startNode(program: NodeProgram, isRestart: boolean): ReturnType<typeof startProcess> {
  return startProcess({ ...program, command: process.execPath, appendLog: isRestart });
}

async function failure(program: NodeProgram, how: string): Promise<string> {
  return `${program.name} ended (${how}): ${await exitReason(program.logFile)}; log: ${program.logFile}`;
}
