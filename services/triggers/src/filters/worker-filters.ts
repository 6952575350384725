import { overloaded } from '@fairlead/errors/api-error';
import type { EvaluationWorkers } from '@fairlead/evaluation/evaluation-workers';
import {
  conditionProgram,
  parseSyntaxIssues,
  parseTemplateResult,
  syntaxProgram,
} from '@fairlead/evaluation/jsonata/template-program';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { Filters, FilterVerdict } from '../ports/filters.ts';

/** Time limit for parsing in the account's worker, including the wait. */
const PARSE_MS = 5_000;

/** CPU time of one run: a filter is a simple comparison, and the account's other filters wait for it. */
const RUN_MS = 100;
/** CPU time added per byte of payload: parsing takes a third of it, or three quarters if all member names differ. */
const RUN_MS_PER_MIB = 50;
const MIB = 1024 * 1024;
/** Failures with larger payloads do not count against the filter, because the caller chooses the size. */
const COUNTED_BYTES = 64 * 1024;
/** Time limit of a run, including the wait for the account's worker. */
const WAIT_MS = 5_000;

/** Runs filters in worker processes of the account that wrote them; `waitMs` is for tests. */
export function createWorkerFilters(workers: Pick<EvaluationWorkers, 'evaluate'>, waitMs = WAIT_MS): Filters {
  return {
    async run(filter, payload, { accountId, signal }) {
      const { length } = payload;
      const runMs = RUN_MS + Math.ceil((RUN_MS_PER_MIB * length) / MIB);
      const program = { ...conditionProgram(filter), runMs };
      const input = new LazyJson(payload);
      const o = { signal, timeoutMs: waitMs, excessCounts: length <= COUNTED_BYTES };
      const evaluation = await workers.evaluate(accountId, program, input, o);
      switch (evaluation.kind) {
        case 'result': {
          const result = parseTemplateResult(evaluation.result);
          if ('error' in result) return failed(result.error.message);
          return { kind: result.value === true ? 'passed' : 'refused' };
        }
        case 'tooCostly':
          return failed('It took too long, or too much memory.');
        case 'unusable':
          return failed('It has taken too long, or too much memory, more than once. Change the filter.');
        case 'overloaded':
          throw overloaded('The filter could not be run in time.');
      }
    },
    async syntaxIssue(text, { accountId, signal }) {
      const o = { signal, timeoutMs: PARSE_MS };
      const evaluation = await workers.evaluate(accountId, syntaxProgram, [text], o);
      if (evaluation.kind === 'result') return parseSyntaxIssues(evaluation.result).get(0);
      throw overloaded('The filter could not be parsed in time. Nothing was stored.');
    },
  };
}

function failed(message: string): FilterVerdict {
  return { kind: 'failed', message: `The filter failed: ${message}` };
}
