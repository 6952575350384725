/** The body of a delivery: an event of a trigger. */
export interface WebhookEvent {
  /** `te_…`. The same on every attempt and replay: store it to handle each event once. */
  id: string;
  /** The slug of the trigger type. */
  type: string;
  trigger_id: string;
  occurred_at: string;
  /** Described by the trigger type's `payloadSchema`; a string if `payload_truncated`. */
  payload: unknown;
  /** Whether `payload` is only the beginning of a JSON text that was too large. */
  payload_truncated: boolean;
  /** `sha256:` and the hash, in hex, of the whole payload as it was captured. */
  payload_hash: string;
}

/** The options of verifyWebhook, besides body, header and secret. */
export interface VerifyWebhookOptions {
  /** How many seconds the signature's time may differ from `now`. Default 300. */
  readonly toleranceSeconds?: number | undefined;
  /** When the request was received. Default: now. */
  readonly now?: Date | undefined;
}

/** The request is not a delivery that was signed with this secret, within the tolerance. Respond with 401. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

const DEFAULT_TOLERANCE_SECONDS = 300;

/**
 * The event of a delivery, once its `fairlead-signature` header has proved that exactly this body was signed with the destination's signing
 * secret, at most `toleranceSeconds` ago. Throws a WebhookVerificationError otherwise. `rawBody` is the body as received: a body that was
 * parsed and serialised again has other bytes. `headerValue` may be absent, as in Node's `request.headers`. Needs `node:crypto`: Node ≥
 * 20.16, Deno, Bun; not for browsers, where the secret would be public.
 */
export function verifyWebhook(
  rawBody: string | Uint8Array,
  headerValue: string | readonly string[] | null | undefined,
  secret: string,
  options: VerifyWebhookOptions = {},
): WebhookEvent {
  const body = bytesOf(rawBody);
  if (secret === '') throw new TypeError('verifyWebhook: the signing secret is empty');
  const { seconds, signatures } = parseHeader(headerValue);
  const crypto = nodeCrypto();
  const expected = crypto.createHmac('sha256', secret).update(`${seconds}.`).update(body).digest();
  if (!signatures.some((signature) => crypto.timingSafeEqual(signature, expected))) {
    throw new WebhookVerificationError('The signature does not match the body and the secret.');
  }
  checkTime(Number(seconds), options);
  return parseEvent(body);
}

function checkTime(seconds: number, options: VerifyWebhookOptions): void {
  const tolerance = options.toleranceSeconds ?? DEFAULT_TOLERANCE_SECONDS;
  if (!(tolerance >= 0)) throw new TypeError('verifyWebhook: toleranceSeconds is no number of seconds');
  const now = Math.floor((options.now ?? new Date()).getTime() / 1000);
  if (!(Math.abs(now - seconds) <= tolerance)) {
    throw new WebhookVerificationError(`The signature's time differs by more than ${tolerance} seconds.`);
  }
}

function bytesOf(rawBody: unknown): Uint8Array {
  if (typeof rawBody === 'string') return new TextEncoder().encode(rawBody);
  if (rawBody instanceof Uint8Array) return rawBody;
  throw new TypeError(
    'verifyWebhook needs the raw body, a string or bytes: turn off the parsing of this route',
  );
}

/** The time of a header as it was sent, and the signatures, 32 bytes each. Members that are not known are ignored. */
function parseHeader(header: string | readonly string[] | null | undefined): {
  readonly seconds: string;
  readonly signatures: readonly Uint8Array[];
} {
  // A header that was sent twice has two times, and is malformed.
  const members = [header ?? ''].flat().join(',').split(',');
  const valuesOf = (name: string): string[] =>
    members.filter((member) => member.startsWith(`${name}=`)).map((member) => member.slice(name.length + 1));
  const [seconds, ...others] = valuesOf('t');
  const signatures = valuesOf('v1').filter((value) => /^[\da-f]{64}$/.test(value));
  if (seconds === undefined || !/^\d{1,12}$/.test(seconds) || others.length > 0 || signatures.length === 0) {
    throw new WebhookVerificationError('The fairlead-signature header is missing or malformed.');
  }
  return { seconds, signatures: signatures.map(hexBytes) };
}

function hexBytes(hex: string): Uint8Array {
  return Uint8Array.from({ length: hex.length / 2 }, (_, at) =>
    Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16),
  );
}

function parseEvent(body: Uint8Array): WebhookEvent {
  try {
    // The signature was verified, and the platform sends no other form.
    return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent;
  } catch {
    throw new WebhookVerificationError('The body is no JSON.');
  }
}

interface Hmac {
  update(data: string | Uint8Array): Hmac;
  digest(): Uint8Array;
}

interface NodeCrypto {
  createHmac(algorithm: 'sha256', key: string): Hmac;
  timingSafeEqual(a: Uint8Array, b: Uint8Array): boolean;
}

/**
 * `node:crypto`, without an import that would keep browsers from loading the client. Web Crypto is no substitute: it is
 * asynchronous, and a caller who forgets to await a promise has verified nothing.
 */
function nodeCrypto(): NodeCrypto {
  const { process } = globalThis as { readonly process?: { getBuiltinModule?(name: string): unknown } };
  const crypto = process?.getBuiltinModule?.('node:crypto');
  if (crypto === undefined) throw new TypeError('verifyWebhook needs node:crypto (Node 20.16 or newer)');
  // Every version that has getBuiltinModule has both functions.
  return crypto as NodeCrypto;
}
