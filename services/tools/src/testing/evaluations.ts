import type { EvaluationWorkers } from '@fairlead/evaluation/evaluation-workers';
import { createEvaluator } from '@fairlead/evaluation/evaluator';

/** Evaluations in this process, by the evaluator that runs in workers. */
export function evaluationsInPlace(): Pick<EvaluationWorkers, 'evaluate'> {
  const evaluator = createEvaluator({ maxBytes: 1_000_000 });
  return {
    async evaluate(_accountId, program, input) {
      const { key, language } = program;
      await evaluator.answer({ kind: 'compile', key, language, source: program.source() });
      const answer = await evaluator.answer({ kind: 'run', key, input });
      return answer.kind === 'result' ? answer : { kind: 'unusable' };
    },
  };
}
