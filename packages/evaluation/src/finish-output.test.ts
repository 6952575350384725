import { JsonWithBytes } from '@fairlead/worker-pool/json-with-bytes';
import { expect, it } from 'vitest';
import { finishOutput } from './finish-output.ts';

const JOB = { kind: 'finish', shape: { kind: 'output' }, flags: null, maxStoredBytes: 1_000 } as const;

function finished(output: unknown, secrets: readonly string[] = []) {
  const bytes = Buffer.from(JSON.stringify(output));
  const answer = finishOutput({ ...JOB, secrets, parts: ['note'] }, bytes);
  if (!(answer instanceof JsonWithBytes)) throw new Error('The output was not finished.');
  return answer;
}

const body = { status: 200, headers: {}, body: { base64: 'AP8=' }, note: 'a' };
const content = { content: [{ type: 'image', data: 'AP8=', mimeType: 'image/png' }] };

it.each([body, content])(
  'an output with bytes is returned whole, whatever its paths select: %j',
  (output) => {
    const { json, bytes } = finished(output);
    expect(json).toMatchObject({ isBinary: true });
    expect(Buffer.from(bytes).toString()).toBe(JSON.stringify(output).repeat(2));
  },
);

it.each([body, content])('bytes in which a secret is masked are none: %j', (output) => {
  const { json, bytes } = finished(output, ['AP8=']);
  expect(json).toMatchObject({ isBinary: false });
  // The returned form by `paths`, and the whole output for the history.
  expect(Buffer.from(bytes).toString()).toMatch(/^(?:\{"note":"a"\}|\{\})\{/);
});
