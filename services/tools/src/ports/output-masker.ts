import type { JsonObject } from '@fairlead/connector-model/model';

/** Masks what callers get. */
export interface OutputMasker {
  /** The value with every secret masked; undefined if that could not be done in time. */
  mask(
    value: JsonObject,
    secrets: readonly string[],
    o: { readonly accountId: string; readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<JsonObject | undefined>;
}
