/**
 * The type of a frame. The pool sends start, call, cancel, ping, decision, told and answer; the worker sends the
 * others; both send bytes.
 */
export const FRAME = {
  /** The first frame. Body: the pool's settings. Argument: maximum bytes of a result. */
  start: 1,
  /** Body: the job. Argument: its time limit in milliseconds. */
  call: 2,
  cancel: 3,
  ping: 4,
  /** The worker is ready for calls. */
  ready: 5,
  /** Body: the job's result. Argument: 1 if the worker wants no further calls (JobOptions.retire), else 0. */
  result: 6,
  /** Body: the error that the job threw (WorkerDefect). Argument: as for `result`. */
  failed: 7,
  pong: 8,
  /** Body: one line of the worker's log. */
  log: 9,
  /** Body: the error that ends the worker (WorkerDefect), without its message. */
  fatal: 10,
  /** Body: bytes of the call or result with this id, whose own frame follows. */
  bytes: 11,
  /** The worker asks whether the call may continue (JobOptions.ask). */
  ask: 12,
  /** Argument: 1 if the call may continue, else 0. */
  decision: 13,
  /** Body: a message of the call to its caller (JobOptions.tell). */
  tell: 14,
  /** Argument: the number of the call's messages that were processed; the call may send as many again. */
  told: 15,
  /**
   * Body: a question of the call to its caller (JobOptions.question). Argument: its number, unique among the call's
   * open questions.
   */
  question: 16,
  /** Body: the answer to the question with this number; empty: none. */
  answer: 17,
} as const;

/** One message. `id` is a call's id, or 0. Bodies are JSON in UTF-8, except in frames of type `bytes`. */
export interface Frame {
  readonly type: number;
  readonly id: number;
  readonly argument: number;
  readonly body: Buffer;
}

/** An error as a worker reports it. Its texts may come from a peer. */
export interface WorkerDefect {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
}

/** The body's length, the type, the id and the argument. */
const HEADER_BYTES = 13;
const EMPTY = Buffer.alloc(0);

/** Encodes a frame; `text` is its body. */
export function encodeFrame(type: number, id = 0, text = '', argument = 0): Buffer {
  const length = Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + length);
  writeHeader(bytes, { type, id, argument, length });
  bytes.write(text, HEADER_BYTES);
  return bytes;
}

/** A frame in parts, so that its body is not copied; the first part is its header. */
export function encodeParts(
  type: number,
  id: number,
  body: readonly Uint8Array[],
): readonly [Buffer, ...Uint8Array[]] {
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  const length = body.reduce((sum, part) => sum + part.length, 0);
  writeHeader(header, { type, id, argument: 0, length });
  return [header, ...body];
}

/** The frame with these bytes. */
export function encodeBytes(id: number, bytes: Uint8Array): readonly Uint8Array[] {
  return encodeParts(FRAME.bytes, id, [bytes]);
}

function writeHeader(
  frame: Buffer,
  { type, id, argument, length }: Omit<Frame, 'body'> & { readonly length: number },
): void {
  frame.writeUInt32BE(length, 0);
  frame.writeUInt8(type, 4);
  frame.writeUInt32BE(id, 5);
  frame.writeUInt32BE(argument, 9);
}

/** Changes the argument of an encoded frame, given the frame's header. */
export function setArgument(frame: Buffer, argument: number): void {
  frame.writeUInt32BE(argument, 9);
}

/** The sender announced a body above the limit; nothing of it was buffered. */
export class FrameTooLargeError extends Error {
  override readonly name = 'FrameTooLargeError';
}

/**
 * Assembles frames from the chunks of a stream and passes each to `onFrame`; the body is valid only during that call.
 * Buffers at most one body, even for tiny chunks. `push` throws FrameTooLargeError when a header announces more than
 * `maxBodyBytes`; the stream is unusable afterwards.
 */
export function createFrameReader(
  maxBodyBytes: number,
  onFrame: (frame: Frame) => void,
): { push(chunk: Buffer): void } {
  const header = Buffer.alloc(HEADER_BYTES);
  let headerBytes = 0;
  let body = EMPTY;
  let bodyBytes = 0;
  const emit = (whole: Buffer): void => {
    headerBytes = 0;
    body = EMPTY;
    const [type, id, argument] = [header.readUInt8(4), header.readUInt32BE(5), header.readUInt32BE(9)];
    onFrame({ type, id, argument, body: whole });
  };

  /** Returns the number of consumed bytes. */
  function readHeader(chunk: Buffer, from: number): number {
    const used = chunk.copy(header, headerBytes, from);
    headerBytes += used;
    if (headerBytes < HEADER_BYTES) return used;
    const length = header.readUInt32BE(0);
    if (length > maxBodyBytes) throw new FrameTooLargeError(`A frame has ${length} bytes.`);
    const start = from + used;
    // Most frames arrive in one chunk.
    if (chunk.length - start >= length) {
      emit(chunk.subarray(start, start + length));
      return used + length;
    }
    body = Buffer.allocUnsafeSlow(length);
    bodyBytes = 0;
    return used;
  }

  function readBody(chunk: Buffer, from: number): number {
    const used = chunk.copy(body, bodyBytes, from);
    bodyBytes += used;
    if (bodyBytes === body.length) emit(body);
    return used;
  }

  return {
    push(chunk) {
      let at = 0;
      while (at < chunk.length) at += body.length === 0 ? readHeader(chunk, at) : readBody(chunk, at);
    },
  };
}
