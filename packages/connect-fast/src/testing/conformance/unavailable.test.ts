import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { unavailableReason } from './unavailable.ts';

const failed = (line: string) =>
  new Error(`Command failed: go install suite@v1.0.7\ngo: suite@v1.0.7: ${line}\n`);
const startFailure = (program: string) =>
  promisify(execFile)(program, [], { env: { PATH: '/nowhere' } }).then(
    () => undefined,
    (error: unknown) => error,
  );

test('a machine without Go cannot build the suite', async () => {
  expect(unavailableReason(await startFailure('go'))).toBe('there is no Go on PATH.');
});

test.each([
  'Get "https://proxy.example/suite/@v/v1.0.7.info": dial tcp: lookup proxy.example: no such host',
  'Get "https://proxy.example/suite/@v/v1.0.7.info": net/http: TLS handshake timeout',
  'reading https://proxy.example/suite/@v/v1.0.7.zip: 502 Bad Gateway',
  'module lookup disabled by GOPROXY=off',
])('a machine without a module proxy cannot build the suite: %s', (line) => {
  expect(unavailableReason(failed(line))).toMatch(/^no module proxy can be reached: /);
});

test('every other failure is a failure of the build', async () => {
  for (const error of [
    await startFailure('another-program'),
    failed('reading https://proxy.example/suite/@v/v1.0.7.info: 404 Not Found'),
    failed('verifying module: checksum mismatch'),
    failed('cmd/suite/main.go:3:1: undefined: run'),
    'no error',
  ])
    expect(unavailableReason(error)).toBeUndefined();
});
