import { expect } from 'vitest';
import { expectError } from './api.ts';
import type { Answer } from './api.ts';

/** The id of the approval that a refused call waits for. */
export function awaited(answer: Answer): string {
  const { approvalId, ...envelope } = answer.body;
  expectError({ ...answer, body: envelope }, 409, 'APPROVAL_REQUIRED');
  expect(approvalId).toMatch(/^[0-9a-f-]{36}$/);
  return approvalId;
}
