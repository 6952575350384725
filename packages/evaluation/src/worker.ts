import { serveJobs } from '@fairlead/worker-pool/serve-jobs';
import type { EvaluationJob } from './evaluation-job.ts';
import { createEvaluator } from './evaluator.ts';

/** A third of the worker's heap. */
const MAX_CACHED_BYTES = 32 * 1024 * 1024;

serveJobs(() => {
  const evaluator = createEvaluator({ maxBytes: MAX_CACHED_BYTES });
  // createEvaluationWorkers sends it.
  return Promise.resolve((job) => evaluator.answer(job as EvaluationJob));
});
