import type { JsonObject } from '@bufbuild/protobuf';
import { ApiError } from '@fairlead/errors/api-error';
import type { FieldIssue } from '@fairlead/errors/api-error';
import type { ErrorCode } from '@fairlead/errors/catalogue';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { createWorkThread } from '@fairlead/service-kit/threads/work-thread';
import type { Route } from '../route.ts';
import type { SplitBody } from './split-body.ts';

/** A body for the thread to parse. */
export interface LargeBodyJob {
  readonly bytes: Uint8Array;
  readonly maxBodyValues: number;
  readonly passesOn: readonly string[];
}

/** The thread's answer. */
export type LargeBodyAnswer =
  | ({ readonly kind: 'read' } & SplitBody)
  | {
      readonly kind: 'refused';
      readonly code: ErrorCode;
      readonly message: string;
      readonly details: readonly FieldIssue[];
    };

/** Bodies up to this size are parsed in the main thread: that takes at most 10 ms, and a thread's answer costs 0.2 ms. */
export const MAX_BYTES_IN_PLACE = 64 * 1024;

/** The thread that parses large bodies. */
export interface BodyThread {
  /**
   * Parses like parseBody, but returns a LazyJson in place of each large part that the route passes on. Bytes with a
   * buffer of their own are transferred, and are empty afterwards.
   */
  parse(
    accountId: string,
    bytes: Uint8Array,
    route: Pick<Route, 'maxBodyValues' | 'passesOn'>,
  ): Promise<JsonObject>;
  close(): Promise<void>;
}

/** Creates the thread; `charge` is called with the processor time of each account's bodies. */
export function createBodyThread(charge: (accountId: string, cpuMs: number) => void): BodyThread {
  const thread = createWorkThread<LargeBodyJob, LargeBodyAnswer>(
    new URL('large-body.thread.ts', import.meta.url),
  );
  return {
    async parse(accountId, bytes, { maxBodyValues, passesOn }) {
      const job = { bytes, maxBodyValues, passesOn };
      const { answer, cpuMs } = await thread.run(accountId, job, handedOver(bytes));
      charge(accountId, cpuMs);
      if (answer.kind === 'read') return whole(answer);
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

function whole({ text, passed }: SplitBody): JsonObject {
  // The thread serialised an object that it had checked.
  const body = JSON.parse(text) as JsonObject;
  for (const { place, json } of passed) {
    const names = [...place];
    const last = names.pop() ?? '';
    // A path only leads through objects and arrays, so this is one of them.
    const holder = names.reduce<object>((outer, name) => Reflect.get(outer, name) as object, body);
    Reflect.set(holder, last, new LazyJson(json, place.join('.')));
  }
  return body;
}
