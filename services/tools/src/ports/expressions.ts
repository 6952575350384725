import type { Json, JsonObject } from '@fairlead/connector-model/json';

/** The account whose worker evaluates, and the time limit, including the wait. */
export interface EvaluationOptions {
  readonly accountId: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** The value of a template (undefined if it selects nothing), or the error and its position in the template. */
export type EvaluatedTemplate =
  | { readonly kind: 'value'; readonly value: Json | undefined }
  | { readonly kind: 'failed'; readonly path: string; readonly message: string };

/** Evaluates accounts' own JSONata, with limits of time and size. */
export interface Expressions {
  /** Evaluates a template whose strings that begin with `=` are JSONata over `context`. Never rejects because of template or context. */
  evaluate(template: Json, context: JsonObject, o: EvaluationOptions): Promise<EvaluatedTemplate>;
  /** Syntax errors of texts that are not JSONata, by index. RATE_LIMIT_EXCEEDED if they could not be checked in time. */
  syntaxIssues(texts: readonly string[], o: EvaluationOptions): Promise<ReadonlyMap<number, string>>;
  /** Whether a JSON Schema compiles within its limits. RATE_LIMIT_EXCEEDED if it could not be checked in time. */
  isUsableSchema(schema: JsonObject, o: EvaluationOptions): Promise<boolean>;
}
