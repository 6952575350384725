import type { EvaluationWorkers, UnbuiltInput } from '@fairlead/evaluation/evaluation-workers';
import type { Json } from '@fairlead/connector-model/model';
import { createEvaluator } from '@fairlead/evaluation/evaluator';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { builtOutput, UnbuiltOutput } from '@fairlead/connector-runtime/outputs/unbuilt-output';

/** Evaluations in this process, by the evaluator that runs in workers. */
export function evaluationsInPlace(): Pick<EvaluationWorkers, 'evaluate'> {
  const evaluator = createEvaluator({ maxBytes: 1_000_000 });
  return {
    async evaluate(_accountId, program, input) {
      const { key, language } = program;
      await evaluator.answer({ kind: 'compile', key, language, source: program.source() });
      // As the worker parses it.
      const value = builtInput(input);
      const answer = await evaluator.answer({ kind: 'run', key, input: value });
      return answer.kind === 'result' ? answer : { kind: 'unusable' };
    },
  };
}

function builtInput(input: Parameters<EvaluationWorkers['evaluate']>[2]): Json {
  if (input instanceof LazyJson) return input.parse();
  // A value with these members is none of these tests.
  const { output, root } = input as UnbuiltInput;
  return output instanceof UnbuiltOutput ? { value: builtOutput(output), root } : (input as Json);
}
