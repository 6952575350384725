/** Fingerprints of calls that reveal nothing about their inputs, not even to somebody who can guess them. */
export interface CallFingerprints {
  /** The fingerprints of a text, one per key; use the first for new approvals. */
  of(text: string): readonly [string, ...string[]];
}
