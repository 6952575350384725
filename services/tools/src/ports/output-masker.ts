import type { JsonObject } from '@fairlead/connector-model/model';
import type { Masker } from '../domain/masking.ts';

/** Masks what callers get. */
export interface OutputMasker {
  /** The value with every secret of the masker masked; undefined if that could not be done in time. */
  mask(
    value: JsonObject,
    masker: Masker,
    o: { readonly accountId: string; readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<JsonObject | undefined>;
}
