import type { StoredResponse } from '../domain/call.ts';
import type { StoredAnswer } from '../domain/record.ts';
import type { Slot } from '../domain/slot.ts';

/** Encodes the stored data of a call, so the database reveals nothing about it. */
export interface AnswerCodec {
  /** The keyed fingerprint of a body in its slot; keyed because a body may be guessable. */
  fingerprint(slot: Slot, body: Uint8Array): Promise<string>;
  /** Seals a response for its slot and lock; it cannot be opened for another one. */
  sealAnswer(slot: Slot, lockId: string, answer: StoredResponse): Promise<StoredAnswer>;
  openAnswer(slot: Slot, lockId: string, stored: StoredAnswer): Promise<StoredResponse>;
}
