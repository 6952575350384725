import { denyNetwork } from '@fairlead/worker-pool/deny-network';
import { serveJobs } from '@fairlead/worker-pool/serve-jobs';
import { createValueMasker } from '@fairlead/connector-runtime/value-masking';
import { flaggedSecrets } from '@fairlead/connector-runtime/secret-fields/secret-fields';
import type { JsonObject } from '@fairlead/connector-model/json';
import { JsonWithBytes } from '@fairlead/worker-pool/json-with-bytes';
import type { CollectJob, EvaluationAnswer, FinishJob, MaskJob, ProgramJob } from './evaluation-job.ts';
import { createEvaluator } from './evaluator.ts';
import { finishOutput } from './finish-output.ts';

/** Maximum memory of cached programs, by estimate: a third of the worker's heap. */
const MAX_CACHED_BYTES = 32 * 1024 * 1024;

denyNetwork();

serveJobs(() => {
  const evaluator = createEvaluator({ maxBytes: MAX_CACHED_BYTES });
  // createEvaluationWorkers sends this job.
  return Promise.resolve(async (message, { bytes = new Uint8Array() }) => {
    const job = message as ProgramJob | MaskJob | CollectJob | FinishJob;
    switch (job.kind) {
      case 'mask':
        return mask(job, bytes);
      case 'collect':
        return { kind: 'result', result: flaggedSecrets(job.schema, job.value) } satisfies EvaluationAnswer;
      case 'finish':
        return finishOutput(job, bytes);
      default:
        return await evaluator.answer(job, bytes);
    }
  });
});

/** An object without its secrets, as JSON, which the service passes on unparsed. */
function mask({ secrets }: MaskJob, bytes: Uint8Array): EvaluationAnswer | JsonWithBytes {
  // The service sends the JSON of an object.
  const value = JSON.parse(Buffer.from(bytes).toString()) as JsonObject;
  const masked = JSON.stringify(createValueMasker(secrets).object(value));
  return masked === JSON.stringify(value)
    ? { kind: 'unchanged' }
    : new JsonWithBytes({ kind: 'masked' } satisfies EvaluationAnswer, Buffer.from(masked));
}
