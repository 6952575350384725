import type { KeptAnswer } from '../domain/call.ts';
import type { StoredAnswer } from '../domain/record.ts';
import type { Slot } from '../domain/slot.ts';

/** How what is kept of a call is written: so that nobody learns of it from the database. */
export interface AnswerCodec {
  /** Tells a body from any other of the same slot; with a key, because bodies may hold what can be guessed. */
  fingerprint(slot: Slot, body: Uint8Array): Promise<string>;
  /** Seals an answer for its slot and run; elsewhere it does not open. */
  sealAnswer(slot: Slot, runId: string, answer: KeptAnswer): Promise<StoredAnswer>;
  openAnswer(slot: Slot, runId: string, stored: StoredAnswer): Promise<KeptAnswer>;
}
