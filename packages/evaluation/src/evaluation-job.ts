import type { Json, JsonObject } from '@fairlead/connector-model/model';

// What passes between a service and its evaluation workers. A worker may be compromised: its answers are checked.

/** The languages of programs. */
export type Language = 'jsonSchema' | 'jsonata' | 'jsonataSyntax';

/** A program is compiled once per worker, then run by its key; a value is masked with secrets that no worker keeps. */
export type EvaluationJob =
  | { readonly kind: 'compile'; readonly key: string; readonly language: Language; readonly source: string }
  | { readonly kind: 'run'; readonly key: string; readonly input: Json }
  | { readonly kind: 'mask'; readonly secrets: readonly string[]; readonly value: JsonObject };

/** How a job ended. */
export type EvaluationAnswer =
  | { readonly kind: 'compiled' }
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'result'; readonly result: Json }
  /** The worker does not know the program: it is new, or dropped the program. */
  | { readonly kind: 'unknown' }
  /** The input nests too deep for the program. */
  | { readonly kind: 'tooDeep' };

const MAX_REASON_LENGTH = 500;

/** The answer of a worker. Throws if it is none; a result may be anything. */
export function parseAnswer(value: unknown): EvaluationAnswer {
  const answer: Readonly<Record<string, unknown>> = typeof value === 'object' ? { ...value } : {};
  const { kind, reason, result } = answer;
  switch (kind) {
    case 'compiled':
    case 'unknown':
    case 'tooDeep':
      return { kind };
    case 'invalid':
      return { kind, reason: String(reason).slice(0, MAX_REASON_LENGTH) };
    case 'result':
      // It was parsed from JSON, or is absent.
      return { kind, result: (result ?? null) as Json };
    default:
      throw new TypeError('A worker answered something else than the end of an evaluation.');
  }
}
