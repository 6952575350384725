import type { EvaluationWorkers } from '@fairlead/evaluation/evaluation-workers';
import type { OutputMasker } from '../ports/output-masker.ts';

/** The largest value that is masked in place, in characters of JSON: the worst of its size take 20 ms of processor time. */
const MAX_LENGTH_IN_PLACE = 64 * 1024;

/** Masks small values in place and large ones in a worker of the account, because a vendor decides how large they are. */
export function createOutputMasker(workers: Pick<EvaluationWorkers, 'mask'>): OutputMasker {
  return {
    async mask(value, masker, { accountId, signal, timeoutMs }) {
      if (JSON.stringify(value).length <= MAX_LENGTH_IN_PLACE) return masker.object(value);
      return await workers.mask(accountId, value, masker.secrets, { signal, timeoutMs });
    },
  };
}
