import { Secret } from '../secret.ts';

const MASK = '***';
const DEPTH_LIMIT = 8;
const SECRET_NAME =
  /^(authorization|proxy-authorization|cookie|set-cookie|x-api-key|x-operator-key|x-fairlead-caller|api[-_]?key|pass(word|phrase)|.*(secret|password|token)|credentials?)$/i;
const URL_PASSWORD = /([a-z][a-z0-9+.-]*:\/\/[^\s/:@]*):[^\s/@]+@/gi;

/** A copy for the log, with `***` in place of each Secret and each field with a secret's name. */
export function redact(fields: Record<string, unknown>): Record<string, unknown> {
  return redactObject(fields, 0);
}

function redactObject(fields: object, depth: number): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    copy[name] = SECRET_NAME.test(name) && value != null ? MASK : redactValue(value, depth);
  }
  return copy;
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Secret) return MASK;
  if (value instanceof Error) return serializeError(value);
  if (value instanceof Date) return value;
  if (ArrayBuffer.isView(value)) return `(${value.byteLength} bytes)`;
  // Also ends a cycle.
  if (depth >= DEPTH_LIMIT) return '(deep)';
  if (Array.isArray(value)) return value.map((item) => redactValue(item, depth + 1));
  if (value instanceof Map) {
    const entries = [...value].map(([key, item]: [unknown, unknown]) => [String(key), item] as const);
    return redactObject(Object.fromEntries(entries), depth + 1);
  }
  if (value instanceof Set) return [...value].map((item) => redactValue(item, depth + 1));
  return redactObject(value, depth + 1);
}

function redactText(text: string): string {
  return text.includes('://') ? text.replace(URL_PASSWORD, `$1:${MASK}@`) : text;
}

/**
 * An error for the log: type, message, code, stack and cause. Other properties are omitted, because errors of
 * clients carry whole requests with their headers.
 */
export function serializeError(error: unknown): unknown {
  return serializeErrorAt(error, 0);
}

function serializeErrorAt(error: unknown, depth: number): unknown {
  if (!(error instanceof Error)) return redactValue(error, depth);
  return {
    type: error.name,
    message: redactText(error.message),
    ...('code' in error && isScalar(error.code) ? { code: error.code } : {}),
    ...(error.stack === undefined ? {} : { stack: redactText(error.stack) }),
    ...(error.cause !== undefined && depth < DEPTH_LIMIT
      ? { cause: serializeErrorAt(error.cause, depth + 1) }
      : {}),
  };
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number';
}
