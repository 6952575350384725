import type { HookCall } from '../domain/hook-call.ts';

/** Creates the payloads of inbound calls. */
export interface Payloads {
  /** The payload of a call, as defined by hookPayload; an account's large bodies are processed one after another. */
  of(accountId: string, call: HookCall): Promise<Uint8Array>;
}
