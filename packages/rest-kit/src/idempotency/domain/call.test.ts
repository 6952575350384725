import { ERROR_CATALOGUE } from '@fairlead/errors/catalogue';
import type { ErrorCode } from '@fairlead/errors/catalogue';
import { expect, test } from 'vitest';
import { isKeptError } from './call.ts';

test('every 4xx is kept but where the credential is refused, a budget is spent or the body is not read', () => {
  const codes = Object.keys(ERROR_CATALOGUE) as ErrorCode[];
  const passing = codes.filter((code) => !isKeptError(code));
  expect(passing.toSorted()).toEqual([
    'ACCOUNT_USER_INACTIVE',
    'INTERNAL',
    'OPA_AGENT_ERROR',
    'OPA_AGENT_TIMEOUT',
    'PAYLOAD_TOO_LARGE',
    'RATE_LIMIT_EXCEEDED',
    'TIMEOUT',
    'UNAUTHORIZED',
    'UNAVAILABLE',
  ]);
});
