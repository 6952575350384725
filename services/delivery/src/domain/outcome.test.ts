import { expect, test } from 'vitest';
import { outcomeOfError, outcomeOfStatus } from './outcome.ts';

test('a response is delivered, retried or refused by its status, for every status', () => {
  const statuses = Array.from({ length: 500 }, (_, at) => at + 100);
  for (const status of statuses) {
    const { verdict, error, statusCode } = outcomeOfStatus(status, 5);
    const isRetryable = status === 408 || status === 429 || status >= 500;
    const isDelivered = status >= 200 && status < 300;
    expect([status, verdict]).toEqual([
      status,
      isDelivered ? 'delivered' : isRetryable ? 'retryable' : 'refused',
    ]);
    const isRedirect = status >= 300 && status < 400;
    expect(error).toBe(isDelivered ? null : isRedirect ? 'redirect' : `http_${String(status)}`);
    expect(statusCode).toBe(status);
  }
});

test.each(['timeout', 'dns_not_found', 'connection_refused', 'address_blocked'] as const)(
  'no response because of %s is retried',
  (code) => {
    expect(outcomeOfError(code, 7)).toEqual({
      verdict: 'retryable',
      statusCode: null,
      error: code,
      durationMs: 7,
    });
  },
);

test('a failure of TLS has a code that says more than its protocol', () => {
  expect(outcomeOfError('tls', 1).error).toBe('tls_failed');
});
