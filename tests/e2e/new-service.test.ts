import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@fairlead/local-stores/ports';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import type { DevStack } from '../setup/dev-stack.ts';
import { startStack } from '../setup/start-stack.ts';
import { copyCheckout } from '../setup/copied-checkout.ts';
import type { CopiedCheckout } from '../setup/copied-checkout.ts';

const START_LIMIT_MS = 600_000;

let checkout: CopiedCheckout;

/** A copy of the tools service, as the start of a new service: only its own files and the list of services change. */
beforeAll(async () => {
  checkout = await copyCheckout();
  const { root, edit } = checkout;
  await cp(join(root, 'services/tools'), join(root, 'services/sample'), { recursive: true });
  await edit('services/sample/package.json', (text) => text.replace('/tools"', '/sample"'));
  for (const file of ['app.ts', 'main.ts', 'config.ts', 'migrate.ts']) {
    await edit(`services/sample/src/${file}`, (text) => text.replaceAll("tools'", "sample'"));
  }
  // The launcher gives a new service the common settings; the copied service's own ones get defaults.
  await edit('services/sample/src/config.ts', (text) =>
    text
      .replace('PUBLIC_URL: publicUrl.', "PUBLIC_URL: publicUrl.default('http://127.0.0.1:8080').")
      .replace(
        'GATEWAY_URL: addressesVariable,',
        "GATEWAY_URL: addressesVariable.prefault('http://127.0.0.1:1'),",
      ),
  );
  await checkout.link('@fairlead-services/sample', 'services/sample');
  await edit('packages/service-list/src/services.ts', (text) =>
    text.replace(
      '\n] as const',
      "\n  { name: 'sample', calls: ['catalog', 'connections', 'agents'] },\n] as const",
    ),
  );
}, START_LIMIT_MS);
afterAll(() => checkout.remove());

/** Expects that both stacks run and do not know each other's accounts. */
async function expectApart(one: DevStack, other: DevStack): Promise<void> {
  const whoami = async ({ baseUrl }: DevStack, { account }: DevStack): Promise<number> =>
    (await fetch(`${baseUrl}/v1/auth/whoami`, { headers: { 'x-api-key': account.apiKey } })).status;
  expect([await whoami(one, one), await whoami(other, other)]).toEqual([200, 200]);
  expect([await whoami(one, other), await whoami(other, one)]).toEqual([401, 401]);
}

describe('a new service, made by copying one and naming it in the list of services', () => {
  it('builds', () => {
    expect(checkout.run('tsc', [])).toEqual({ status: 0, output: '' });
  });

  it('passes lint, and lint guards it from its first file', async () => {
    const seeded = 'services/sample/src/domain/seeded-violation.ts';
    await checkout.write(
      seeded,
      "import { MongoClient } from 'mongodb';\nexport const seeded = MongoClient;\n",
    );
    // One run proves both: it must find only the seeded violation.
    const places = ['services/sample', 'packages/service-list', 'services/gateway/src/app.ts'];
    const { status, output } = checkout.run('oxlint', ['--format', 'json', ...places]);
    expect(status).toBe(1);
    // Member documented for oxlint's JSON format.
    const { diagnostics } = JSON.parse(output) as { diagnostics: readonly { filename: string }[] };
    expect(new Set(diagnostics.map(({ filename }) => filename))).toEqual(new Set([seeded]));
  });

  it(
    '[completion.npm-start.13] starts with the others beside another stack, is called when an account is erased, and stops cleanly',
    async () => {
      const data = await mkdtemp(join(tmpdir(), 'fairlead-test-new-service-'));
      onTestFinished(() => rm(data, { recursive: true, force: true }));
      const port = await freePort();
      const { stack, stop } = await startStack({
        root: checkout.root,
        args: ['--port', String(port)],
        data,
        env: { LOG_LEVEL: 'info' },
      });
      try {
        expect(Object.keys(stack.services)).toContain('sample');
        expect(stack.baseUrl).toBe(`http://127.0.0.1:${port}`);
        await expectApart(stack, inject('stack'));
        const erased = await fetch(`${stack.baseUrl}/operator/v1/accounts/${stack.otherAccount.accountId}`, {
          method: 'DELETE',
          headers: { 'x-api-key': stack.operatorKey },
        });
        expect(erased.status).toBe(204);
      } finally {
        await stop();
      }
      const log = await readFile(join(data, 'logs/sample.log'), 'utf8');
      expect(log).toContain('EraseAccountData');
      // Logged when the last request has ended within the grace period.
      expect(log).toContain('"stopped serving"');
    },
    START_LIMIT_MS,
  );
});
