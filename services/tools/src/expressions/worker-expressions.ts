import type { JsonObject } from '@fairlead/connector-model/json';
import { overloaded } from '@fairlead/errors/api-error';
import type { EvaluationWorkers } from '@fairlead/evaluation/evaluation-workers';
import { expressionsOf } from '@fairlead/evaluation/jsonata/expressions';
import {
  parseSyntaxIssues,
  parseTemplateResult,
  syntaxProgram,
  templateProgram,
} from '@fairlead/evaluation/jsonata/template-program';
import { schemaProgram } from '@fairlead/evaluation/json-schema/schema-program';
import type { EvaluatedTemplate, Expressions } from '../ports/expressions.ts';

/** Evaluates expressions in worker processes of the account that wrote them. A template without expressions is its own value. */
export function createWorkerExpressions(workers: Pick<EvaluationWorkers, 'evaluate'>): Expressions {
  return {
    async evaluate(template, context, { accountId, ...o }) {
      if (expressionsOf(template).length === 0) return { kind: 'value', value: template };
      const evaluation = await workers.evaluate(accountId, templateProgram(template), context, o);
      switch (evaluation.kind) {
        case 'result': {
          const result = parseTemplateResult(evaluation.result);
          return 'error' in result ? { kind: 'failed', ...result.error } : { kind: 'value', ...result };
        }
        case 'tooCostly':
          return failed('It took too long, or too much memory.');
        case 'unusable':
          return failed('It has taken too long, or too much memory, more than once. Change the workflow.');
        case 'overloaded':
          return failed('It could not be evaluated in time, because other evaluations did not end.');
      }
    },
    async syntaxIssues(texts, { accountId, ...o }) {
      if (texts.length === 0) return new Map();
      const evaluation = await workers.evaluate(accountId, syntaxProgram, [...texts], o);
      if (evaluation.kind === 'result') return parseSyntaxIssues(evaluation.result);
      throw overloaded('The expressions could not be parsed in time. Nothing was stored.');
    },
    async isUsableSchema(schema: JsonObject, { accountId, ...o }) {
      const program = schemaProgram(schema);
      const evaluation = await workers.evaluate(accountId, program, { value: {}, root: 'fields' }, o);
      if (evaluation.kind === 'overloaded')
        throw overloaded('The schema could not be compiled in time. Nothing was stored.');
      return evaluation.kind === 'result';
    },
  };
}

function failed(message: string): EvaluatedTemplate {
  return { kind: 'failed', path: '', message };
}
