import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { withoutText } from '@fairlead/worker-pool/defect';
import { PoolRefusalError, WorkerLostError } from '@fairlead/worker-pool/errors';
import type { LossReason } from '@fairlead/worker-pool/errors';
import { JsonWithBytes } from '@fairlead/worker-pool/json-with-bytes';
import type { PoolLimits } from '@fairlead/worker-pool/limits';
import { createWorkerPool } from '@fairlead/worker-pool/worker-pool';
import { importAnswer } from './import-job.ts';
import type { ImportIssue, ImportJob, SkippedOperation } from './import-job.ts';

/** The result of an import. */
export type Import =
  | {
      readonly kind: 'imported';
      /** The application in the catalogue's form. The catalogue validates it again, because the worker may be compromised. */
      readonly encodedConnector: Uint8Array;
      readonly skipped: readonly SkippedOperation[];
    }
  | { readonly kind: 'refused'; readonly issues: readonly ImportIssue[] }
  /** The import exceeded a limit of processor time or memory. */
  | { readonly kind: 'tooCostly'; readonly limit: 'time' | 'memory' }
  /** No worker was free in time, or it was lost for a reason other than the document. */
  | { readonly kind: 'overloaded' };

/** Worker processes that turn an account's documents into applications. */
export interface ImportWorkers {
  /** Runs an import of `text`. Never rejects because of the text. */
  run(
    accountId: string,
    job: ImportJob,
    text: Uint8Array,
    o: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<Import>;
  close(): Promise<void>;
}

/** Processor time limit of an import; the largest permitted documents take a third of it. */
const CPU_MS = 10_000;

const POOL_LIMITS: Partial<PoolLimits> = {
  maxWorkers: 2,
  workersPerAccount: 1,
  callsPerWorker: 1,
  waitingPerAccount: 4,
  heapMb: 320,
  memoryMb: 640,
  // Long, because building a document blocks the event loop.
  unresponsiveMs: 15_000,
  resultBytes: 9 * 1024 * 1024,
};

const TIME: readonly LossReason[] = ['cpu', 'unresponsive'];

/** Creates the workers. Documents may be hostile, and a worker that exceeds a limit is killed. */
export function createImportWorkers(o: {
  readonly log: Logger;
  readonly onCpu?: (account: string, cpuMs: number) => void;
  readonly poolLimits?: Partial<PoolLimits>;
}): ImportWorkers {
  const pool = createWorkerPool({
    name: 'imports',
    entry: new URL('worker.ts', import.meta.url),
    settings: null,
    log: o.log,
    limits: { ...POOL_LIMITS, ...o.poolLimits },
    onCpu: o.onCpu,
  });
  return {
    close: () => pool.close(),
    async run(accountId, job, text, { signal, timeoutMs }) {
      try {
        return importOf(
          await pool.run(accountId, new JsonWithBytes(job, text), { signal, timeoutMs, cpuMs: CPU_MS }),
        );
      } catch (error) {
        return endOf(error, o.log);
      }
    },
  };
}

function importOf(result: unknown): Import {
  const bytes = result instanceof JsonWithBytes ? result.bytes : undefined;
  const answer = importAnswer.parse(result instanceof JsonWithBytes ? result.json : result);
  if (answer.kind === 'refused') return answer;
  if (bytes === undefined) throw new Error('An import has no application.');
  return { kind: 'imported', encodedConnector: bytes, skipped: answer.skipped };
}

function endOf(error: unknown, log: Logger): Import {
  if (error instanceof WorkerLostError && error.reason === 'memory')
    return { kind: 'tooCostly', limit: 'memory' };
  if (error instanceof WorkerLostError && TIME.includes(error.reason))
    return { kind: 'tooCostly', limit: 'time' };
  // The error's texts may quote the document.
  if (!(error instanceof PoolRefusalError || error instanceof WorkerLostError))
    log.error({ defect: withoutText(error) }, 'an import ended unexpectedly');
  return { kind: 'overloaded' };
}
