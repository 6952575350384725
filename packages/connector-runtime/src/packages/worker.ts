import type { JsonObject } from '@fairlead/connector-model/json';
import { denyNetwork } from '@fairlead/worker-pool/deny-network';
import { denyProcesses } from '@fairlead/worker-pool/deny-processes';
import { serveJobs } from '@fairlead/worker-pool/serve-jobs';
import type { JobOptions } from '@fairlead/worker-pool/serve-jobs';
import { cutText } from '../cut-text.ts';
import { withinOutputLimit } from '../output-limit.ts';
import { errorMessage } from './error-message.ts';
import { guardHttp } from './guarded-http.ts';
import { denyModules, loadProgram } from './load-program.ts';
import type { PackageAnswer, PackageJob, PackageResponse } from './package-job.ts';
import { callPiece, describePiece } from './piece.ts';
import { callServer, describeServer } from './stdio-server.ts';

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
  Promise.resolve(async (message, { question, ...options }): Promise<PackageAnswer> => {
    // The service sends this job (package-workers).
    const job = message as PackageJob;
    ask = question;
    try {
      return { kind: 'done', output: await outputOf(job, options) };
    } catch (error) {
      return failureOf(error);
    } finally {
      ask = undefined;
    }
  }),
);

async function outputOf(
  job: PackageJob,
  options: Pick<JobOptions, 'signal' | 'timeoutMs' | 'retire'>,
): Promise<JsonObject> {
  switch (job.kind) {
    case 'describePiece':
      return describePiece(loadProgram(job.program));
    case 'callPiece':
      return withinOutputLimit(await callPiece(loadProgram(job.program), job));
    case 'describeServer':
      return describeServer(job, options);
    case 'callServer':
      return withinOutputLimit(await callServer(job, options));
  }
}

function failureOf(error: unknown): PackageAnswer {
  const { response } = (error instanceof Error ? error : {}) as {
    readonly response?: { readonly status?: unknown };
  };
  const message = cutText(errorMessage(error), MAX_MESSAGE_LENGTH);
  return { kind: 'failed', message, isUnauthorized: response?.status === 401 };
}
