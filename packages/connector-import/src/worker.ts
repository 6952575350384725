import { JsonWithBytes } from '@fairlead/worker-pool/json-with-bytes';
import { denyNetwork } from '@fairlead/worker-pool/deny-network';
import { serveJobs } from '@fairlead/worker-pool/serve-jobs';
import type { ImportJob } from './import-job.ts';
import { runImport } from './run-import.ts';

denyNetwork();

serveJobs(() =>
  Promise.resolve((job, { bytes = new Uint8Array() }) => {
    // createImportWorkers sends this job.
    const { answer, application } = runImport(job as ImportJob, bytes);
    return Promise.resolve(application === undefined ? answer : new JsonWithBytes(answer, application));
  }),
);
