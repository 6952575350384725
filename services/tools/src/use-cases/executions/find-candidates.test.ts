import { ApiError, notFound } from '@fairlead/errors/api-error';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { connectorHead, toolDefinition } from '../../testing/fixtures.ts';
import { catalogOf } from '../../testing/tool-calls.ts';
import { findCandidates } from './find-candidates.ts';

test('an unknown tool has no candidates; a catalogue that is away is an error', async () => {
  const ctx = testContext();
  const failing = (refusal: Error) => ({ catalog: { resolveTool: () => Promise.reject(refusal) } });
  const catalog = catalogOf(toolDefinition(), connectorHead());
  expect(await findCandidates({ catalog }, ctx, 'a', '')).toHaveLength(1);
  expect(await findCandidates(failing(notFound('tool')), ctx, 'a', '')).toEqual([]);
  const away = new ApiError('UNAVAILABLE', 'Away.');
  await expect(findCandidates(failing(away), ctx, 'a', '')).rejects.toBe(away);
});
