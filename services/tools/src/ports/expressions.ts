import type { Json, JsonObject } from '@fairlead/connector-model/model';

/** The account whose worker evaluates, and how long that may take, its wait included. */
export interface EvaluationOptions {
  readonly accountId: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** The value of a template, undefined if it selects nothing; or why it failed, and where in the template. */
export type EvaluatedTemplate =
  | { readonly kind: 'value'; readonly value: Json | undefined }
  | { readonly kind: 'failed'; readonly path: string; readonly message: string };

/** Runs accounts' own JSONata, within bounds of time and size. */
export interface Expressions {
  /** The value of a template whose strings that begin with `=` are JSONata over `context`. Never rejects because of either. */
  evaluate(template: Json, context: JsonObject, o: EvaluationOptions): Promise<EvaluatedTemplate>;
  /**
   * Why each text that is not JSONata is none, by its index. RATE_LIMIT_EXCEEDED if that could not be found out in time.
   */
  syntaxIssues(texts: readonly string[], o: EvaluationOptions): Promise<ReadonlyMap<number, string>>;
  /** Whether a JSON Schema compiles within its bounds. RATE_LIMIT_EXCEEDED if that could not be found out in time. */
  isUsableSchema(schema: JsonObject, o: EvaluationOptions): Promise<boolean>;
}
