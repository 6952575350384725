import type { JsonObject } from '@bufbuild/protobuf';
import { ApiError } from '@fairlead/errors/api-error';
import type { FieldIssue } from '@fairlead/errors/api-error';
import type { ErrorCode } from '@fairlead/errors/catalogue';
import { setDeferred } from '@fairlead/service-kit/json/deferred-json';
import { createWorkThread } from '@fairlead/service-kit/threads/work-thread';
import type { Route } from '../route.ts';
import type { SplitBody } from './split-body.ts';

/** A body to be parsed in the thread. */
export interface LargeBodyJob {
  readonly bytes: Uint8Array;
  readonly maxBodyValues: number;
  readonly defersTextsOf: readonly string[];
}

/** The answer of the thread. */
export type LargeBodyAnswer =
  | ({ readonly kind: 'read' } & SplitBody)
  | {
      readonly kind: 'refused';
      readonly code: ErrorCode;
      readonly message: string;
      readonly details: readonly FieldIssue[];
    };

/** Bodies of at most so many bytes are parsed in place: the dearest takes 10 ms, and a thread's answer costs 0.2 ms. */
export const MAX_BYTES_IN_PLACE = 64 * 1024;

/** The thread that parses large bodies. */
export interface BodyThread {
  /**
   * Returns and throws as parseBody does. Large parts of the body are deferred if the route takes them so. Bytes that have a buffer
   * of their own are handed over, and are empty afterwards.
   */
  parse(
    accountId: string,
    bytes: Uint8Array,
    route: Pick<Route, 'maxBodyValues' | 'defersLarge' | 'defersTextsOf'>,
  ): Promise<JsonObject>;
  close(): Promise<void>;
}

/** Creates the thread; `charge` is told what each account's bodies take of a processor. */
export function createBodyThread(charge: (accountId: string, cpuMs: number) => void): BodyThread {
  const thread = createWorkThread<LargeBodyJob, LargeBodyAnswer>(
    new URL('large-body.thread.ts', import.meta.url),
  );
  return {
    async parse(accountId, bytes, { maxBodyValues, defersLarge, defersTextsOf }) {
      const job = { bytes, maxBodyValues, defersTextsOf };
      const { answer, cpuMs } = await thread.run(accountId, job, handedOver(bytes));
      charge(accountId, cpuMs);
      if (answer.kind === 'read') return whole(answer, defersLarge ? setDeferred : setParsed);
      const { code, message, details } = answer;
      throw new ApiError(code, message, { details });
    },
    close: () => thread.close(),
  };
}

function handedOver(bytes: Uint8Array): readonly Uint8Array<ArrayBuffer>[] {
  const { buffer } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength
    ? [new Uint8Array(buffer)]
    : [];
}

function whole(
  { body, deferred }: SplitBody,
  set: (holder: object, name: string, json: Uint8Array) => void,
): JsonObject {
  for (const { path, json } of deferred) {
    const names = [...path];
    const last = names.pop() ?? '';
    // The path leads through objects of the body.
    const holder = names.reduce<object>((part, name) => Reflect.get(part, name) as object, body);
    set(holder, last, json);
  }
  return body;
}

function setParsed(holder: object, name: string, { buffer, byteOffset, byteLength }: Uint8Array): void {
  Reflect.set(holder, name, JSON.parse(Buffer.from(buffer, byteOffset, byteLength).toString()));
}
