import { ApiError } from '@fairlead/errors/api-error';
import { expect, test } from 'vitest';
import type { Outcome } from '../domain/execution.ts';
import { detachedCall } from '../testing/memory-calls.ts';
import { encodeOutcome, toDetachedCall } from './convert-detached-call.ts';

const info = {
  source: 'mcp',
  mcpServerName: 'Support',
  startedAt: new Date(0),
  durationMs: 1,
  connectionId: 7,
  connectionResolution: 'default',
  applicationSlug: 'crm',
  toolSlug: 'crm-echo',
  toolVersion: '1',
  attempts: 1,
  userId: null,
} as const;

const ended = (outcome: Outcome) => encodeOutcome({ result: { outcome, historyId: 1, info } });

test('a call has failed if its tool failed, or if it was refused', () => {
  const failure = ended({ isSuccess: false, errorMessage: 'It broke.' });
  const refusal = encodeOutcome({ error: new ApiError('UNAVAILABLE', 'Away.') });
  const success = ended({ isSuccess: true, output: {} });
  const isFailed = [failure, refusal, success].map(
    (end) => toDetachedCall(detachedCall({ end: { kind: 'outcome', ...end } })).isFailed,
  );
  expect(isFailed).toEqual([true, true, false]);
  expect(toDetachedCall(detachedCall({ end: { kind: 'lost' } })).isFailed).toBe(false);
});
