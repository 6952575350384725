/** The result of one check. Part of `doctor --json`: members are added, never changed. */
export interface Finding {
  /** The check, a stable name. */
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly message: string;
  /** What to do, where there is something to do. */
  readonly hint?: string;
}

/** All is well. */
export function ok(check: string, message: string): Finding {
  return { check, status: 'ok', message };
}

/** It works, and might not for long. */
export function warn(check: string, message: string, hint: string): Finding {
  return { check, status: 'warn', message, hint };
}

/** It does not work. */
export function fail(check: string, message: string, hint: string): Finding {
  return { check, status: 'fail', message, hint };
}
