import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { Sealer } from '@fairlead/sealing/sealing';
import { digest, pieceBinding } from './domain/slot.ts';
import type { AnswerCodec } from './ports/answer-codec.ts';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** Maximum bytes of a piece, half of a MongoDB document's limit; sealing adds a third. */
const PIECE_LENGTH = 6 * 1024 * 1024;

/** Responses are compressed before sealing: they are JSON, and sealed text cannot be compressed. */
export function createAnswerCodec(sealer: Sealer, pieceLength = PIECE_LENGTH): AnswerCodec {
  return {
    fingerprint: (slot, body) => sealer.fingerprint(slot.sealingScope, `${slot.id}.${digest(body)}`),
    async sealAnswer(slot, lockId, { status, text, accountId }) {
      const packed = (await deflate(text)).toString('base64');
      const pieces = await Promise.all(
        split(packed, pieceLength).map((piece, index) =>
          sealer.seal(slot.sealingScope, pieceBinding(slot.id, lockId, index), piece),
        ),
      );
      return { status, pieces, accountId };
    },
    async openAnswer(slot, lockId, { status, pieces }) {
      const opened = await Promise.all(
        pieces.map((piece, index) =>
          sealer.open(slot.sealingScope, pieceBinding(slot.id, lockId, index), piece),
        ),
      );
      const packed = Buffer.from(opened.map((piece) => piece.reveal()).join(''), 'base64');
      return { status, text: (await inflate(packed)).toString() };
    },
  };
}

function split(text: string, length: number): string[] {
  return Array.from({ length: Math.ceil(text.length / length) }, (_, index) =>
    text.slice(index * length, (index + 1) * length),
  );
}
