import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { expect, test } from 'vitest';
import type { FinishedOutput } from '../../ports/output-masker.ts';
import { workflowDeps } from '../../testing/memory-workflows.ts';
import { divideRunOutput } from './divide-run-output.ts';

async function divide(finished: FinishedOutput | undefined) {
  const { deps, run } = workflowDeps();
  const outputMasker = { finish: () => Promise.resolve(finished) };
  const o = { secrets: ['s'], timeoutMs: 1 };
  return await divideRunOutput({ ...deps, outputMasker }, run, { a: 1 }, o);
}

const finished = {
  kind: 'finished',
  answer: LazyJson.of({ content: [], structuredContent: { a: 1 } }),
  stored: LazyJson.of({ a: '[cut: the rest]' }),
  secrets: [],
  isBinary: false,
  files: [{ contentType: 'application/json', content: Buffer.from('{}'), at: 0, isWhole: true }],
} as const;

test('the result is the beginning and says where the rest is; the history has what was cut for it', async () => {
  const divided = await divide(finished);
  expect(divided?.outcome).toMatchObject({
    isSuccess: true,
    // No storage for files.
    output: {
      content: [{ type: 'text' }],
      structuredContent: { a: 1, '[cut]': expect.any(String) as string },
    },
  });
  expect(divided?.kept).toMatchObject({ isSuccess: true, output: { a: '[cut: the rest]' } });
});

test('an output that was not masked, or is above a limit, is none', async () => {
  for (const other of [undefined, { kind: 'failed', message: 'No.' } as const, { ...finished, files: [] }])
    expect(await divide(other)).toBeUndefined();
});
