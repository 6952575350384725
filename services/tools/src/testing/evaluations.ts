import type { EvaluationWorkers, UnbuiltInput } from '@fairlead/evaluation/evaluation-workers';
import type { Json } from '@fairlead/connector-model/json';
import { createEvaluator } from '@fairlead/evaluation/evaluator';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { builtOutput, UnbuiltOutput } from '@fairlead/connector-runtime/outputs/unbuilt-output';

/** Evaluates in this process, with the evaluator of the workers. */
export function evaluationsInPlace(): Pick<EvaluationWorkers, 'evaluate'> {
  const evaluator = createEvaluator({ maxBytes: 1_000_000 });
  return {
    async evaluate(_accountId, program, input) {
      const { key, language } = program;
      await evaluator.answer({ kind: 'compile', key, language, source: program.source() });
      // Parsed as in the worker.
      const value = builtInput(input);
      const answer = await evaluator.answer({ kind: 'run', key, input: value });
      return answer.kind === 'result' ? answer : { kind: 'unusable' };
    },
  };
}

function builtInput(input: Parameters<EvaluationWorkers['evaluate']>[2]): Json {
  if (input instanceof LazyJson) return input.parse();
  // No test value has these members otherwise.
  const { output, root } = input as UnbuiltInput;
  return output instanceof UnbuiltOutput ? { value: builtOutput(output), root } : (input as Json);
}
