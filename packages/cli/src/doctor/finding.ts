/** The result of one check. Part of `doctor --json`: members are added, never changed. */
export interface Finding {
  /** The check, a stable name. */
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly message: string;
  /** Advice for the reader, if there is any. */
  readonly hint?: string;
}

/** A passed check. */
export function ok(check: string, message: string): Finding {
  return { check, status: 'ok', message };
}

/** A check that passed, but may fail soon. */
export function warn(check: string, message: string, hint: string): Finding {
  return { check, status: 'warn', message, hint };
}

export function fail(check: string, message: string, hint: string): Finding {
  return { check, status: 'fail', message, hint };
}
