import { denyNetwork } from '@fairlead/worker-pool/deny-network';
import { denyProcesses } from '@fairlead/worker-pool/deny-processes';
import { serveJobs } from '@fairlead/worker-pool/serve-jobs';
import type { JobOptions } from '@fairlead/worker-pool/serve-jobs';
import { cutText } from '../cut-text.ts';
import { guardHttp } from './guarded-http.ts';
import { denyModules, loadProgram } from './load-program.ts';
import type { PackageAnswer, PackageJob, PackageResponse } from './package-job.ts';
import { callPiece, describePiece } from './piece.ts';

const MAX_MESSAGE_LENGTH = 4_000;

denyNetwork();
denyProcesses();
denyModules();

/** Sends requests to the service for the running job; a worker runs one at a time. */
let ask: JobOptions['question'] | undefined;

guardHttp(async (request) => {
  if (ask === undefined) throw new Error('The call is over.');
  // The service sends this job (package-workers).
  return (await ask(request)) as PackageResponse;
});

serveJobs(() =>
  Promise.resolve(async (given, { question }): Promise<PackageAnswer> => {
    // The service sends this job (package-workers).
    const job = given as PackageJob;
    ask = question;
    try {
      const program = loadProgram(job.program);
      const output = job.kind === 'describe' ? describePiece(program) : await callPiece(program, job);
      return { kind: 'done', output };
    } catch (error) {
      return failureOf(error);
    } finally {
      ask = undefined;
    }
  }),
);

function failureOf(error: unknown): PackageAnswer {
  if (!(error instanceof Error))
    return { kind: 'failed', message: 'It threw a value that is not an error.', isUnauthorized: false };
  const { response } = error as { readonly response?: { readonly status?: unknown } };
  const message = cutText(`${error.message}${resourceOf(error)}`, MAX_MESSAGE_LENGTH);
  return { kind: 'failed', message, isUnauthorized: response?.status === 401 };
}

/** The permission that the process lacks, which Node's message leaves out. */
function resourceOf(error: Error): string {
  if (!('code' in error) || error.code !== 'ERR_ACCESS_DENIED') return '';
  const { permission = '', resource = '' } = error as {
    readonly permission?: string;
    readonly resource?: string;
  };
  return ` (${[permission, resource].join(' ').trim()})`;
}
