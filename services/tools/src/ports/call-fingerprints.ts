/** Fingerprints of calls that tell nothing of their inputs, not even to whoever can guess these. */
export interface CallFingerprints {
  /** The fingerprints of a text, one per key; the first is for new approvals. */
  of(text: string): readonly [string, ...string[]];
}
