import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { DescMessage, MessageInitShape, MessageShape } from '@bufbuild/protobuf';

const PREFIX_BYTES = 4;

/** The messages of a stream in which each is preceded by its size: four bytes, big-endian. */
export async function* readMessages<D extends DescMessage>(
  desc: D,
  from: AsyncIterable<Buffer>,
): AsyncIterable<MessageShape<D>> {
  let buffered = Buffer.alloc(0);
  for await (const chunk of from) {
    buffered = Buffer.concat([buffered, chunk]);
    while (buffered.byteLength >= PREFIX_BYTES) {
      const end = PREFIX_BYTES + buffered.readUInt32BE();
      if (buffered.byteLength < end) break;
      yield fromBinary(desc, buffered.subarray(PREFIX_BYTES, end));
      buffered = buffered.subarray(end);
    }
  }
}

/** Writes a message preceded by its size. */
export function writeMessage<D extends DescMessage>(
  desc: D,
  to: NodeJS.WritableStream,
  init: MessageInitShape<D>,
): void {
  const bytes = toBinary(desc, create(desc, init));
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(bytes.byteLength);
  to.write(Buffer.concat([prefix, bytes]));
}
