import { ApiError } from '@fairlead/errors/api-error';
import type { ErrorCode } from '@fairlead/errors/catalogue';
import { MAX_KEY_LENGTH } from '@fairlead/rest-kit/idempotency-key';
import type { KeyOwner } from '@fairlead/rest-kit/idempotency/domain/call';
import type { Idempotency } from '@fairlead/rest-kit/idempotency/idempotency';
import { objectSlices } from '@fairlead/service-kit/json/json-slices';
import { jsonBytes, LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { jsonValue } from './json-value.ts';
import { KEY_FIELD } from './posted.ts';
import type { KeyedCall } from './posted.ts';

/** The answer to a posted message. */
interface MessageAnswer {
  readonly httpStatus: number;
  /** JSON-RPC responses; empty: none. */
  readonly body: Uint8Array;
}

/** The called server, and the owner of the caller's idempotency keys; undefined: a client without a credential. */
interface KeyedCaller {
  readonly serverId: string;
  readonly keyOwner: KeyOwner | undefined;
}

/**
 * Answers a tool call with an idempotency key: runs it, or returns the stored first result. Throws a IdempotencyKeyError
 * with the code VALIDATION_ERROR, IDEMPOTENCY_CONFLICT or IDEMPOTENCY_IN_PROGRESS.
 */
export type CallOnce = (
  call: KeyedCall,
  caller: KeyedCaller,
  handle: () => Promise<MessageAnswer>,
) => Promise<MessageAnswer & { readonly isReplayed: boolean }>;

/** The member of a result's `_meta` with the error code of a refused call. */
const ERROR_CODE = 'dev.fairlead/errorCode';
/** The member with the URL where the user connects an application. After that, the call can run. */
const CONNECT_URL = 'dev.fairlead/connectUrl';
/** Somebody may approve the call meanwhile; then it can run. */
const AWAITS_APPROVAL: ErrorCode = 'APPROVAL_REQUIRED';
/** The client has to answer requests first, and then repeats the call with the answers. */
const AWAITS_INPUT = 'input_required';

/** A tool call with a refused idempotency key. The text contains the code and the member, because clients show little else. */
export class IdempotencyKeyError extends ApiError {
  constructor(code: ErrorCode, issue: string, cause?: unknown) {
    super(code, `${code}: ${KEY_FIELD} ${issue}.`, { details: [{ field: KEY_FIELD, issue }], cause });
  }
}

/** The reasons for refusing a well-formed key. */
const REFUSALS: Partial<Record<ErrorCode, string>> = {
  IDEMPOTENCY_CONFLICT: 'was used for another call',
  IDEMPOTENCY_IN_PROGRESS: 'belongs to a call that is still running',
};

/** Marks an answer that is not stored, so that the same call runs again. */
class NotKept extends Error {
  readonly answer: MessageAnswer;

  constructor(answer: MessageAnswer) {
    super('The answer is not stored.');
    this.answer = answer;
  }
}

/**
 * Runs each tool call with an idempotency key once (docs/adr/0015). Results are stored, including those of refused
 * calls. JSON-RPC errors are not stored: nothing was executed, or the outcome is unknown.
 */
export function createCallOnce(o: {
  readonly idempotency: Pick<Idempotency, 'run'>;
  /** Time limit of a call. */
  readonly timeoutMs: number;
}): CallOnce {
  return async (call, { serverId, keyOwner: owner }, handle) => {
    const key = keyIn(call);
    if (owner === undefined)
      throw new IdempotencyKeyError(
        'VALIDATION_ERROR',
        'needs a client with a credential, whose user owns it',
      );
    try {
      const { answer, isReplayed } = await o.idempotency.run(
        { owner, key, target: 'mcp', body: bytesOf(serverId, call), timeoutMs: o.timeoutMs },
        async () => {
          const handled = await handle();
          const result = resultToKeep(handled.body);
          if (result === undefined) throw new NotKept(handled);
          return { status: handled.httpStatus, text: Buffer.from(result).toString() };
        },
      );
      return { httpStatus: answer.status, body: responseOf(call, answer.text), isReplayed };
    } catch (error) {
      if (error instanceof NotKept) return { ...error.answer, isReplayed: false };
      const issue = error instanceof ApiError ? REFUSALS[error.code] : undefined;
      if (!(error instanceof ApiError) || issue === undefined) throw error;
      throw new IdempotencyKeyError(error.code, issue, error);
    }
  };
}

function keyIn({ key }: KeyedCall): string {
  const text = jsonValue(key);
  if (typeof text !== 'string' || text.length < 1 || text.length > MAX_KEY_LENGTH)
    throw new IdempotencyKeyError('VALIDATION_ERROR', `must be a text of 1 to ${MAX_KEY_LENGTH} characters`);
  return text;
}

/** The bytes by which two calls are compared. They are separated by a byte that never occurs in JSON in UTF-8. */
function bytesOf(serverId: string, { name, args }: KeyedCall): Uint8Array {
  const separator = Buffer.of(0xff);
  return Buffer.concat([Buffer.from(serverId), separator, name, separator, args]);
}

function responseOf({ id }: KeyedCall, result: string): Uint8Array {
  return jsonBytes({ jsonrpc: '2.0', id: new LazyJson(id), result: new LazyJson(Buffer.from(result)) });
}

/** The JSON of the result, if it can answer repetitions of the call; otherwise undefined. */
function resultToKeep(response: Uint8Array): Uint8Array | undefined {
  const result = objectSlices(response)?.get('result');
  const members = result && objectSlices(result);
  const meta = members?.get('_meta');
  const ofMeta = meta && objectSlices(meta);
  const code = ofMeta?.get(ERROR_CODE);
  const type = members?.get('resultType');
  if (code !== undefined && jsonValue(code) === AWAITS_APPROVAL) return undefined;
  if (ofMeta?.has(CONNECT_URL) === true) return undefined;
  return type !== undefined && jsonValue(type) === AWAITS_INPUT ? undefined : result;
}
