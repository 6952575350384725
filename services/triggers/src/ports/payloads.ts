import type { HookCall } from '../domain/hook-call.ts';

/** Makes the payloads of calls to addresses. */
export interface Payloads {
  /** The payload of a call, as hookPayload makes it; large bodies of the account are read one after another. */
  of(accountId: string, call: HookCall): Promise<Uint8Array>;
}
