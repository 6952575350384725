import { overloaded } from '@fairlead/errors/api-error';
import type { EvaluationWorkers } from '@fairlead/evaluation/evaluation-workers';
import { parseSyntaxIssues, syntaxProgram } from '@fairlead/evaluation/jsonata/template-program';
import type { Filters } from '../ports/filters.ts';

/** How long the worker of the account may take to parse, its wait included. */
const PARSE_MS = 5_000;

/** Filters in worker processes of the account that wrote them. */
export function createWorkerFilters(workers: Pick<EvaluationWorkers, 'evaluate'>): Filters {
  return {
    async syntaxIssue(text, { accountId, signal }) {
      const o = { signal, timeoutMs: PARSE_MS };
      const evaluation = await workers.evaluate(accountId, syntaxProgram, [text], o);
      if (evaluation.kind === 'result') return parseSyntaxIssues(evaluation.result).get(0);
      throw overloaded('The filter could not be parsed in time. Nothing was stored.');
    },
  };
}
