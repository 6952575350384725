import { ApiError } from '@fairlead/errors/api-error';
import { serveThread } from '@fairlead/service-kit/threads/serve-thread';
import { parseBody } from '../body.ts';
import { splitBody } from './split-body.ts';
import type { LargeBodyAnswer, LargeBodyJob } from './body-thread.ts';

serveThread((job) => {
  // createBodyThread sent this message.
  const answer = read(job as LargeBodyJob);
  return {
    answer,
    handedOver: answer.kind === 'read' ? answer.passed.map(({ json }) => json) : [],
  };
});

function read({ bytes, maxBodyValues, passesOn }: LargeBodyJob): LargeBodyAnswer {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return { kind: 'read', ...splitBody(parseBody(body, { maxBodyValues }), passesOn) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, message, details } = error;
    return { kind: 'refused', code, message, details };
  }
}
