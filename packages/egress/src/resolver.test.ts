import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createResolver, resolveAsMachine } from './resolver.ts';

const never = new AbortController().signal;
const hostsFile = join(mkdtempSync(join(tmpdir(), 'hosts-')), 'hosts');
writeFileSync(
  hostsFile,
  '# comment\n10.1.2.3  crm.internal crm # the CRM\nfd00::7\tcrm.internal\nnonsense here\n',
);

it.each([
  ['localhost', ['127.0.0.1', '::1']],
  ['LocalHost.', ['127.0.0.1', '::1']],
  ['any.localhost', ['127.0.0.1', '::1']],
  ['crm.internal', ['10.1.2.3', 'fd00::7']],
  ['CRM', ['10.1.2.3']],
  ['10.0.0.9', ['10.0.0.9']],
  ['[::1]', ['::1']],
])('%s needs no name server', async (host, addresses) => {
  expect(await createResolver(hostsFile)(host, never)).toEqual(addresses);
});

it('a look-up ends when its signal aborts', async () => {
  const resolved = createResolver('/nowhere')('no-such-host.invalid', AbortSignal.abort());
  await expect(resolved).rejects.toMatchObject({ name: 'EgressError', code: 'aborted' });
});

it('the machine’s own resolution tells missing names from a cancelled look-up', async () => {
  expect(await resolveAsMachine('127.0.0.1', never)).toEqual(['127.0.0.1']);
  expect(await resolveAsMachine('LOCALHOST.', never)).toContain('127.0.0.1');
  await expect(resolveAsMachine('missing.invalid', AbortSignal.abort())).rejects.toMatchObject({
    name: 'EgressError',
  });
});
