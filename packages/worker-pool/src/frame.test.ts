import { expect, it } from 'vitest';
import { createFrameReader, encodeFrame, FRAME, FrameTooLargeError, setArgument } from './frame.ts';

function read(chunks: readonly Buffer[], maxBodyBytes = 1_000): unknown[] {
  const frames: unknown[] = [];
  const reader = createFrameReader(maxBodyBytes, ({ body, ...frame }) =>
    frames.push({ ...frame, text: body.toString() }),
  );
  for (const chunk of chunks) reader.push(chunk);
  return frames;
}

it('reads frames however the stream is cut', () => {
  const call = encodeFrame(FRAME.call, 7, '{"a":"ü"}');
  setArgument(call, 250);
  const stream = Buffer.concat([call, encodeFrame(FRAME.ping), encodeFrame(FRAME.result, 8, 'null')]);
  const expected = [
    { type: FRAME.call, id: 7, argument: 250, text: '{"a":"ü"}' },
    { type: FRAME.ping, id: 0, argument: 0, text: '' },
    { type: FRAME.result, id: 8, argument: 0, text: 'null' },
  ];
  for (let size = 1; size <= stream.length; size += 1) {
    const chunks = Array.from({ length: Math.ceil(stream.length / size) }, (_, at) =>
      stream.subarray(at * size, (at + 1) * size),
    );
    expect(read(chunks)).toEqual(expected);
  }
});

it('refuses a body above the limit when its header arrives', () => {
  expect(read([encodeFrame(FRAME.result, 1, 'x'.repeat(1_000))])).toHaveLength(1);
  const header = encodeFrame(FRAME.result, 1, 'x'.repeat(1_001)).subarray(0, 13);
  expect(() => read([header])).toThrow(FrameTooLargeError);
});
