import { fileURLToPath } from 'node:url';
import { expect, inject, test } from 'vitest';
import { createAccountOf } from '../contract/support/own-accounts.ts';
import { compare, runSuite } from './suite/run.ts';

const stack = inject('stack');
const LIMIT_MS = 600_000;
/** Time limit of each client; all run in parallel. */
const CLIENT_LIMIT_MS = 300_000;
/** The priority of Fairlead's workers, which call the suite's servers while its clients start. */
const NICENESS = 10;

const client = fileURLToPath(new URL('mcp-client.ts', import.meta.url));

/** Scenarios, in both revisions, that Fairlead as a client does not pass, with reasons. */
const NOT_MET = [
  ['auth/client-credentials-jwt', 'an extension'],
  ['auth/client-credentials-basic', 'an extension'],
  ['auth/enterprise-managed-authorization', 'an extension'],
  ['auth/dpop', 'an extension'],
  ['auth/dpop-nonce', 'an extension'],
  ['auth/wif-jwt-bearer', 'an extension'],
] as const;

const REVISIONS: readonly (readonly [string, ReadonlyMap<string, string>])[] = [
  ['2025-11-25', new Map(NOT_MET)],
  ['2026-07-28', new Map(NOT_MET)],
];

test.each(REVISIONS)(
  'an MCPClient connection passes the client scenarios of %s, but those that are named here',
  { timeout: LIMIT_MS },
  async (revision, known) => {
    const { apiKey } = await createAccountOf(stack);
    const report = await runSuite(
      [
        'client',
        '--command',
        `${process.execPath} ${client}`,
        '--requirements',
        revision,
        '--timeout',
        String(CLIENT_LIMIT_MS),
      ],
      { env: { FAIRLEAD_URL: stack.baseUrl, FAIRLEAD_API_KEY: apiKey }, niceness: NICENESS },
    );
    // A scenario that passes must be removed from the list.
    expect(compare(report, known), report.output).toEqual({ failed: {}, passed: [] });
    expect([...report.scenarios.keys()]).toEqual(
      expect.arrayContaining(['tools_call', 'auth/metadata-default', 'auth/token-endpoint-auth-basic']),
    );
  },
);
